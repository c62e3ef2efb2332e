#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/keyed_scope.h"
#include "yeoul/datastream/state_descriptors.h"

namespace yeoul {

/// @throws user error 7112: the state was never taken from the RuntimeContext
[[noreturn]] void throw_state_not_opened();

/// One cell per key, empty at first. The cells of a batch of keys are looked up at once.
template <class T>
class ValueStateHandle final : public KeyedStateHandle {
 public:
  ValueStateHandle(KeyedScope& scope, const StateDescriptor& descriptor)
      : scope_(scope), cells_(scope.backend(), descriptor) {}

  std::optional<T>& cell() {
    if (loaded_ != scope_.batch_number()) load();
    return *addresses_[scope_.current()];
  }
  bool empty(size_t record, Slot slot) override {
    if (loaded_ == scope_.batch_number()) return !addresses_[record]->has_value();
    std::optional<T>* address = nullptr;
    cells_.cells({&slot, 1}, {&address, 1});
    return !address->has_value();
  }

 private:
  void load() {
    const std::span<const Slot> slots = scope_.slots();
    addresses_.resize(slots.size());
    cells_.cells(slots, addresses_);
    loaded_ = scope_.batch_number();
  }

  KeyedScope& scope_;
  ValueCells<std::optional<T>> cells_;
  std::vector<std::optional<T>*> addresses_;
  uint64_t loaded_ = 0;
};

/// The value of the current key.
template <class T>
class ValueState {
 public:
  ValueState() = default;
  explicit ValueState(std::shared_ptr<ValueStateHandle<T>> handle) : handle_(std::move(handle)) {}

  /// Empty where the key has none. Valid until the function returns.
  const std::optional<T>& value() const { return cell(); }
  void update(T value) { cell() = std::move(value); }
  void clear() { cell().reset(); }

 private:
  std::optional<T>& cell() const {
    if (!handle_) throw_state_not_opened();
    return handle_->cell();
  }

  std::shared_ptr<ValueStateHandle<T>> handle_;
};

/// What the key's values were reduced to.
template <class T>
class ReducingState {
 public:
  ReducingState() = default;
  ReducingState(std::shared_ptr<ValueStateHandle<T>> handle, std::function<T(const T&, const T&)> reduce)
      : handle_(std::move(handle)), reduce_(std::move(reduce)) {}

  /// Empty where nothing was added.
  const std::optional<T>& get() const { return cell(); }
  void add(T value) {
    std::optional<T>& held = cell();
    held = held ? reduce_(*held, value) : std::move(value);
  }
  void clear() { cell().reset(); }

 private:
  std::optional<T>& cell() const {
    if (!handle_) throw_state_not_opened();
    return handle_->cell();
  }

  std::shared_ptr<ValueStateHandle<T>> handle_;
  std::function<T(const T&, const T&)> reduce_;
};

/// What the key's values were aggregated to; the accumulator's type is the descriptor's affair.
template <class In, class Out>
class AggregatingState {
 public:
  AggregatingState() = default;
  template <class F>
  AggregatingState(std::shared_ptr<ValueStateHandle<typename F::Accumulator>> handle, F function)
      : cell_(std::make_shared<Cell<F>>(std::move(handle), std::move(function))) {}

  /// Empty where nothing was added.
  std::optional<Out> get() const { return cell().get(); }
  void add(const In& value) { cell().add(value); }
  void clear() { cell().clear(); }

 private:
  struct AnyCell {
    virtual ~AnyCell() = default;
    virtual std::optional<Out> get() = 0;
    virtual void add(const In& value) = 0;
    virtual void clear() = 0;
  };
  template <class F>
  struct Cell final : AnyCell {
    Cell(std::shared_ptr<ValueStateHandle<typename F::Accumulator>> handle, F function)
        : handle(std::move(handle)), function(std::move(function)) {}
    std::optional<Out> get() override {
      const auto& held = handle->cell();
      return held ? std::optional<Out>(function.get_result(*held)) : std::nullopt;
    }
    void add(const In& value) override {
      auto& held = handle->cell();
      if (!held) held = function.create_accumulator();
      function.add(value, *held);
    }
    void clear() override { handle->cell().reset(); }

    std::shared_ptr<ValueStateHandle<typename F::Accumulator>> handle;
    F function;
  };
  AnyCell& cell() const {
    if (!cell_) throw_state_not_opened();
    return *cell_;
  }

  std::shared_ptr<AnyCell> cell_;
};

/// A list of byte strings per key.
class ListStateHandle final : public KeyedStateHandle {
 public:
  ListStateHandle(KeyedScope& scope, const StateDescriptor& descriptor)
      : scope_(scope), store_(scope.backend().list_state(descriptor)) {}

  ListStateStore& store() { return store_; }
  Slot slot() { return scope_.current_slot(); }
  bool empty(size_t record, Slot slot) override {
    (void)record;
    return store_.size(slot) == 0;
  }

 private:
  KeyedScope& scope_;
  ListStateStore& store_;
};

/// The list of the current key.
template <class T>
class ListState {
 public:
  ListState() = default;
  explicit ListState(std::shared_ptr<ListStateHandle> handle) : handle_(std::move(handle)) {}

  std::vector<T> get() const {
    std::vector<T> values;
    values.reserve(size());
    handle().store().for_each(handle_->slot(), [&](std::string_view bytes) {
      ByteReader in(bytes);
      values.push_back(TypeInfo<T>::decode(in));
    });
    return values;
  }
  size_t size() const { return handle().store().size(handle_->slot()); }
  void add(const T& value) {
    ByteWriter out;
    TypeInfo<T>::encode(value, out);
    handle().store().append(handle_->slot(), out.bytes());
  }
  void add_all(const std::vector<T>& values) {
    for (const T& value : values) add(value);
  }
  /// Replaces the list.
  void update(const std::vector<T>& values) {
    clear();
    add_all(values);
  }
  void clear() { handle().store().clear(handle_->slot()); }

 private:
  ListStateHandle& handle() const {
    if (!handle_) throw_state_not_opened();
    return *handle_;
  }

  std::shared_ptr<ListStateHandle> handle_;
};

/// Cells by map key bytes, per key.
template <class V>
class MapStateHandle final : public KeyedStateHandle {
 public:
  MapStateHandle(KeyedScope& scope, const StateDescriptor& descriptor)
      : scope_(scope), cells_(scope.backend(), descriptor) {}

  MapStateStore& store() { return cells_.store(); }
  Slot slot() { return scope_.current_slot(); }
  /// Null where missing and not to be created. Valid until the next change.
  V* cell(std::string_view key, bool create) {
    const Slot at = slot();
    V* found = nullptr;
    cells_.entries({&at, 1}, {&key, 1}, create, {&found, 1});
    return found;
  }
  bool empty(size_t record, Slot slot) override {
    (void)record;
    return store().empty(slot);
  }

 private:
  KeyedScope& scope_;
  MapCells<V> cells_;
};

/// The map of the current key.
template <class K, class V>
class MapState {
 public:
  MapState() = default;
  explicit MapState(std::shared_ptr<MapStateHandle<V>> handle) : handle_(std::move(handle)) {}

  /// Empty where the map has no such key.
  std::optional<V> get(const K& key) const {
    const V* found = handle().cell(bytes_of(key), false);
    return found ? std::optional<V>(*found) : std::nullopt;
  }
  bool contains(const K& key) const { return handle().cell(bytes_of(key), false) != nullptr; }
  void put(const K& key, V value) { *handle().cell(bytes_of(key), true) = std::move(value); }
  void put_all(const std::vector<std::pair<K, V>>& entries) {
    for (const auto& [key, value] : entries) put(key, value);
  }
  void remove(const K& key) { handle().store().erase(handle_->slot(), bytes_of(key)); }
  /// In no particular order, as of now: the map may be changed meanwhile.
  std::vector<std::pair<K, V>> items() const {
    std::vector<std::pair<K, V>> entries;
    handle().store().for_each(handle_->slot(), [&](std::string_view bytes, void* cell) {
      ByteReader in(bytes);
      entries.emplace_back(TypeInfo<K>::decode(in), *static_cast<const V*>(cell));
      return true;
    });
    return entries;
  }
  std::vector<K> keys() const {
    std::vector<K> keys;
    for (auto& [key, value] : items()) keys.push_back(std::move(key));
    return keys;
  }
  std::vector<V> values() const {
    std::vector<V> values;
    for (auto& [key, value] : items()) values.push_back(std::move(value));
    return values;
  }
  bool is_empty() const { return handle().store().empty(handle_->slot()); }
  void clear() { handle().store().clear(handle_->slot()); }

 private:
  static std::string bytes_of(const K& key) {
    ByteWriter out;
    TypeInfo<K>::encode(key, out);
    return out.take();
  }
  MapStateHandle<V>& handle() const {
    if (!handle_) throw_state_not_opened();
    return *handle_;
  }

  std::shared_ptr<MapStateHandle<V>> handle_;
};

}  // namespace yeoul
