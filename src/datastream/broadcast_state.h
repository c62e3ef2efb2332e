#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/state_descriptors.h"
#include "yeoul/state/api/operator_state.h"

namespace yeoul {

/// One broadcast map of an operator, as the runtime stores it. Threads: the task's.
class BroadcastStateHandle {
 public:
  virtual ~BroadcastStateHandle() = default;
  virtual const StateDescriptor& descriptor() const = 0;
  virtual void write(std::vector<std::string>& entries) const = 0;
  virtual void read(const std::vector<std::string>& entries) = 0;
};

/// Writes the states as broadcast lists.
OperatorState snapshot_broadcast(const std::vector<std::shared_ptr<BroadcastStateHandle>>& states);
/// @throws user error 6010 where a stored state has another type
void restore_broadcast(const std::vector<std::shared_ptr<BroadcastStateHandle>>& states, const OperatorState& restored);
/// @throws user error 7114: the stream was broadcast without this descriptor
[[noreturn]] void throw_unknown_broadcast_state(const std::string& name);

/// The entries of a broadcast map, by key bytes.
template <class K, class V>
class BroadcastMap final : public BroadcastStateHandle {
 public:
  explicit BroadcastMap(const MapStateDescriptor<K, V>& descriptor) : descriptor_(descriptor.stored()) {}

  const StateDescriptor& descriptor() const override { return descriptor_; }
  void write(std::vector<std::string>& entries) const override {
    for (const auto& [key, value] : values) {
      ByteWriter out;
      out.string(key);
      TypeInfo<V>::encode(value, out);
      entries.push_back(out.take());
    }
  }
  void read(const std::vector<std::string>& entries) override {
    for (const std::string& entry : entries) {
      ByteReader in(entry);
      std::string key(in.string());
      values.insert_or_assign(std::move(key), TypeInfo<V>::decode(in));
    }
  }

  std::map<std::string, V, std::less<>> values;

 private:
  StateDescriptor descriptor_;
};

/// A broadcast map to read, as the function for the other stream sees it.
template <class K, class V>
class ReadOnlyBroadcastState {
 public:
  explicit ReadOnlyBroadcastState(BroadcastMap<K, V>& map) : map_(&map) {}

  std::optional<V> get(const K& key) const {
    const auto it = map_->values.find(bytes_of(key));
    return it == map_->values.end() ? std::nullopt : std::optional<V>(it->second);
  }
  bool contains(const K& key) const { return map_->values.contains(bytes_of(key)); }
  bool is_empty() const { return map_->values.empty(); }
  /// In the order of the keys' bytes.
  std::vector<std::pair<K, V>> items() const {
    std::vector<std::pair<K, V>> entries;
    for (const auto& [bytes, value] : map_->values) {
      ByteReader in(bytes);
      entries.emplace_back(TypeInfo<K>::decode(in), value);
    }
    return entries;
  }

 protected:
  static std::string bytes_of(const K& key) {
    ByteWriter out;
    TypeInfo<K>::encode(key, out);
    return out.take();
  }
  BroadcastMap<K, V>* map_;
};

/// A broadcast map to change. Each subtask gets every broadcast record and must change its copy in the same way.
template <class K, class V>
class BroadcastState : public ReadOnlyBroadcastState<K, V> {
 public:
  using ReadOnlyBroadcastState<K, V>::ReadOnlyBroadcastState;

  void put(const K& key, V value) { this->map_->values.insert_or_assign(this->bytes_of(key), std::move(value)); }
  void remove(const K& key) { this->map_->values.erase(this->bytes_of(key)); }
  void clear() { this->map_->values.clear(); }
};

/// The broadcast maps of one operator. Threads: the task's.
class BroadcastStates {
 public:
  explicit BroadcastStates(std::vector<std::shared_ptr<BroadcastStateHandle>> handles) : handles_(std::move(handles)) {}

  template <class K, class V>
  BroadcastMap<K, V>& map(const MapStateDescriptor<K, V>& descriptor) {
    for (const auto& handle : handles_) {
      if (handle->descriptor().name != descriptor.name) continue;
      if (auto* map = dynamic_cast<BroadcastMap<K, V>*>(handle.get())) return *map;
    }
    throw_unknown_broadcast_state(descriptor.name);
  }
  const std::vector<std::shared_ptr<BroadcastStateHandle>>& handles() const { return handles_; }

 private:
  std::vector<std::shared_ptr<BroadcastStateHandle>> handles_;
};

}  // namespace yeoul
