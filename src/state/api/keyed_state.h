#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/bytes.h"
#include "yeoul/state/api/key_groups.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/type_info.h"

namespace yeoul {

enum class StateKind : uint8_t { kValue, kList, kMap, kSortedMap };
/// "value", "list", "map", "sorted map".
std::string_view to_string(StateKind kind);

/// What is written beside a state, so that it can be found and checked after the program or the query changed (D12).
/// Types are texts ("BIGINT", "ROW<…>"), compared on restore.
struct StateDescriptor {
  std::string name;  ///< "COUNT(DISTINCT user_id)"
  StateKind kind = StateKind::kValue;
  std::string value_type;
  std::string map_key_type;  ///< kMap, kSortedMap
  uint32_t codec_version = 1;
  bool operator==(const StateDescriptor&) const = default;

  /// "map state 'COUNT(DISTINCT user_id)' of STRING to BIGINT": for messages.
  std::string to_string() const;
  /// For checkpoints.
  void write(ByteWriter& out) const;
  /// @throws internal error 6001 for damaged bytes
  static StateDescriptor read(ByteReader& in);
};

/// Where a key's states lie; stays valid until the batch ends.
struct Slot {
  uint32_t group = 0;  ///< key group, counted from the first of this subtask
  uint32_t index = kNone;
  static constexpr uint32_t kNone = 0xffffffff;
  bool exists() const { return index != kNone; }
};

/// How a backend that knows no C++ types makes, copies, drops and stores cells.
struct CellType {
  uint32_t size = 0;
  uint32_t alignment = 1;
  bool trivial = false;                     ///< may be copied by memcpy and dropped without a call
  void (*construct)(void* cell) = nullptr;  ///< the default value
  void (*copy)(void* to, const void* from) = nullptr;
  void (*destroy)(void* cell) = nullptr;
  void (*encode)(const void* cell, ByteWriter& out) = nullptr;
  void (*decode)(ByteReader& in, void* cell) = nullptr;  ///< into a constructed cell
};

/// The cell type of a T that has TypeInfo.
template <class T>
CellType cell_type() {
  return {.size = sizeof(T),
          .alignment = alignof(T),
          .trivial = std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
          .construct = [](void* cell) { new (cell) T(); },
          .copy = [](void* to, const void* from) { *static_cast<T*>(to) = *static_cast<const T*>(from); },
          .destroy = [](void* cell) { static_cast<T*>(cell)->~T(); },
          .encode = [](const void* cell, ByteWriter& out) { TypeInfo<T>::encode(*static_cast<const T*>(cell), out); },
          .decode = [](ByteReader& in, void* cell) { *static_cast<T*>(cell) = TypeInfo<T>::decode(in); }};
}

/// One cell per key, default-constructed when the key is created.
class ValueStateStore {
 public:
  virtual ~ValueStateStore() = default;
  /// Addresses of the cells of existing slots, to read and write until the batch ends.
  virtual void cells(std::span<const Slot> slots, std::span<void*> out) = 0;
};

/// Cells by (key, map key bytes). Also kSortedMap, whose map keys are ordered by memcmp.
class MapStateStore {
 public:
  virtual ~MapStateStore() = default;
  /// For each i the cell of map key `keys[i]` under `slots[i]`; created (default) when `create`, else null where
  /// missing. Addresses stay valid until the next call that creates or erases.
  virtual void entries(std::span<const Slot> slots, std::span<const std::string_view> keys, bool create,
                       std::span<void*> out) = 0;
  virtual void erase(Slot slot, std::string_view key) = 0;
  virtual bool empty(Slot slot) = 0;
  /// Erases all entries of a key.
  virtual void clear(Slot slot) = 0;
  /// Calls `visit(map key, cell)` for all entries of a key; in key order for kSortedMap; stops when it returns false.
  virtual void for_each(Slot slot, const std::function<bool(std::string_view, void*)>& visit) = 0;
  /// kSortedMap only: the smallest (largest) map key; false when empty. The view is valid until the next change.
  virtual bool first(Slot slot, std::string_view& key) = 0;
  virtual bool last(Slot slot, std::string_view& key) = 0;
};

/// A list of byte strings per key.
class ListStateStore {
 public:
  virtual ~ListStateStore() = default;
  virtual void append(Slot slot, std::string_view element) = 0;
  virtual void for_each(Slot slot, const std::function<void(std::string_view)>& visit) = 0;
  virtual size_t size(Slot slot) = 0;
  virtual void clear(Slot slot) = 0;
};

/// Keyed state of one subtask as captured at a barrier. Written on the I/O pool while the task goes on.
class KeyedSnapshot {
 public:
  virtual ~KeyedSnapshot() = default;
  /// Canonical text of every state held.
  virtual const std::vector<StateDescriptor>& descriptors() const = 0;
  /// Bytes of one key group (number among all of the job's groups); empty when the group holds nothing. To be called
  /// once a group: the snapshot lets go of what it has written.
  virtual std::string write_group(int key_group) const = 0;
};

/// Keyed state of one subtask of one operator. Batch-first (D11): resolve a batch of keys to slots, then reach cells
/// by slot. Threads: its task's only.
class KeyedStateBackend {
 public:
  virtual ~KeyedStateBackend() = default;

  /// Register states at open, before restore. The store lives as long as the backend.
  virtual ValueStateStore& value_state(const StateDescriptor& descriptor, const CellType& cell) = 0;
  virtual MapStateStore& map_state(const StateDescriptor& descriptor, const CellType& cell) = 0;
  virtual ListStateStore& list_state(const StateDescriptor& descriptor) = 0;

  /// The states that were registered.
  virtual const std::vector<StateDescriptor>& descriptors() const = 0;

  /// Resolves keys to slots for this batch; keys that are new get slots when `create`, else Slot::kNone. A key that
  /// occurs twice gets the same slot. `out` has keys.size() elements.
  virtual void resolve(const CanonicalKeys& keys, bool create, std::span<Slot> out) = 0;
  /// Removes the keys and all their states; at the end of the batch.
  virtual void remove(std::span<const Slot> slots) = 0;
  /// Ends the batch: slots and addresses are no longer valid.
  virtual void end_batch() = 0;
  /// Number of keys held.
  virtual size_t num_keys() const = 0;
  /// Calls `visit(key bytes, slot)` for every key.
  virtual void for_each_key(const std::function<void(std::string_view, Slot)>& visit) = 0;

  /// Captures all state, cheaply (frozen tables; no full copy).
  virtual std::unique_ptr<KeyedSnapshot> snapshot() = 0;
  /// Takes in one key group's bytes as written under `descriptors`. A stored state that is registered with another kind
  /// or type is user error 6010 naming it; one that is not registered is returned by name in `unmatched`.
  virtual void restore_group(int key_group, std::string_view bytes, const std::vector<StateDescriptor>& descriptors,
                             std::vector<std::string>& unmatched) = 0;
};

/// Makes backends; one per program ("hashmap", later "rocksdb").
class StateBackendFactory {
 public:
  virtual ~StateBackendFactory() = default;
  virtual std::string_view identifier() const = 0;
  virtual std::unique_ptr<KeyedStateBackend> create(KeyGroupRange range, int max_parallelism) const = 0;
};

/// Typed view of a value state.
template <class T>
class ValueCells {
 public:
  ValueCells() = default;
  ValueCells(KeyedStateBackend& backend, StateDescriptor descriptor)
      : store_(&backend.value_state(descriptor, cell_type<T>())) {}
  void cells(std::span<const Slot> slots, std::span<T*> out) {
    store_->cells(slots, {reinterpret_cast<void**>(out.data()), out.size()});
  }

 private:
  ValueStateStore* store_ = nullptr;
};

/// Typed view of a map or sorted-map state.
template <class T>
class MapCells {
 public:
  MapCells() = default;
  MapCells(KeyedStateBackend& backend, StateDescriptor descriptor)
      : store_(&backend.map_state(descriptor, cell_type<T>())) {}
  void entries(std::span<const Slot> slots, std::span<const std::string_view> keys, bool create, std::span<T*> out) {
    store_->entries(slots, keys, create, {reinterpret_cast<void**>(out.data()), out.size()});
  }
  MapStateStore& store() { return *store_; }

 private:
  MapStateStore* store_ = nullptr;
};

}  // namespace yeoul
