#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yeoul/state/api/keyed_state.h"
#include "yeoul/state/hashmap/tables.h"

namespace yeoul {

struct SnapshotGroups;

/// Keyed state in memory, a set of tables per key group. A snapshot shares the tables; resolve(create), cells(),
/// entries() and whatever else may write first have a snapshot that holds the group write it, or copy the table where
/// that is being done already. Reading does neither.
/// Threads: the task's; snapshots are written on any.
class HashMapBackend final : public KeyedStateBackend {
 public:
  HashMapBackend(KeyGroupRange range, int max_parallelism);
  ~HashMapBackend() override;

  ValueStateStore& value_state(const StateDescriptor& descriptor, const CellType& cell) override;
  MapStateStore& map_state(const StateDescriptor& descriptor, const CellType& cell) override;
  ListStateStore& list_state(const StateDescriptor& descriptor) override;

  void resolve(const CanonicalKeys& keys, bool create, std::span<Slot> out) override;
  /// The slots stay usable until end_batch(), which removes them.
  void remove(std::span<const Slot> slots) override;
  void end_batch() override;
  size_t num_keys() const override;
  void for_each_key(const std::function<void(std::string_view, Slot)>& visit) override;

  std::unique_ptr<KeyedSnapshot> snapshot() override;
  const std::vector<StateDescriptor>& descriptors() const override { return descriptors_; }
  void restore_group(int key_group, std::string_view bytes, const std::vector<StateDescriptor>& descriptors,
                     std::vector<std::string>& unmatched) override;

  /// The tables of one key group; null where nothing was ever written.
  struct Group {
    std::shared_ptr<KeyTable> keys;
    std::vector<std::shared_ptr<StateTable>> states;
  };

 private:
  class Store;
  class ValueStore;
  class MapStore;
  class SortedMapStore;
  class ListStore;

  struct Recent {
    uint64_t hash = 0;
    Slot slot;
  };
  static constexpr size_t kRecent = 256;

  template <class T, class Interface>
  Interface& register_state(const StateDescriptor& descriptor, const CellType& cell);
  KeyTable& writable_keys(uint32_t group);
  StateTable& writable(uint32_t group, uint32_t state);
  void thaw(uint32_t group);
  const StateTable* readable(uint32_t group, uint32_t state) const { return groups_[group].states[state].get(); }
  Slot resolve_one(std::string_view key, uint64_t hash, bool create);
  void read_state(uint32_t group, std::span<const uint32_t> rows, const StateDescriptor& stored, std::string_view bytes,
                  std::vector<std::string>& unmatched);

  KeyGroupRange range_;
  int max_parallelism_;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<Store>> stores_;
  std::vector<StateDescriptor> descriptors_;
  std::vector<std::weak_ptr<SnapshotGroups>> snapshots_;
  std::vector<Slot> removed_;
  std::vector<uint64_t> hashes_;  ///< scratch of resolve()
  std::vector<Recent> recent_;    ///< keys seen lately, by hash: saves the key group of keys that repeat
};

/// Makes HashMapBackends; "hashmap".
class HashMapBackendFactory final : public StateBackendFactory {
 public:
  std::string_view identifier() const override { return "hashmap"; }
  std::unique_ptr<KeyedStateBackend> create(KeyGroupRange range, int max_parallelism) const override;
};

}  // namespace yeoul
