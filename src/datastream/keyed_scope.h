#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

/// Whether a state holds something for a key; asked for keys that may be forgotten. Threads: the task's.
class KeyedStateHandle {
 public:
  virtual ~KeyedStateHandle() = default;
  virtual bool empty(size_t record, Slot slot) = 0;
};

/// The keys of the records at hand, and the one whose turn it is: what keyed states refer to. The keys of a batch are
/// resolved to slots once, when the first state is touched; keys whose states are all empty at the end of the batch are
/// forgotten. Threads: the task's.
class KeyedScope {
 public:
  /// In Operator::open().
  void open(KeyedStateBackend& backend) { backend_ = &backend; }
  KeyedStateBackend& backend() { return *backend_; }

  /// The keys of the next records, one each.
  void begin(CanonicalKeys keys);
  void set_current(size_t record) { current_ = record; }
  size_t current() const { return current_; }
  std::string_view current_key() const { return keys_[current_]; }
  /// Changes with every begin(); a state that has cells of another batch loads them anew.
  uint64_t batch_number() const { return batch_number_; }
  const CanonicalKeys& keys() const { return keys_; }
  std::span<const Slot> slots() {
    if (!resolved_) resolve();
    return slots_;
  }
  Slot current_slot() { return slots()[current_]; }
  void end();
  /// Keys for which this holds something are kept too.
  void watch(std::shared_ptr<KeyedStateHandle> handle) { states_.push_back({{}, std::move(handle)}); }

  /// A state by name, registered at first; the same type must be asked for again. In open().
  /// @throws user error 7111 for a name that is used for states of two types
  template <class Handle, class... Args>
  std::shared_ptr<Handle> state(const StateDescriptor& descriptor, Args&&... args) {
    if (const auto known = find(descriptor)) return std::static_pointer_cast<Handle>(known);
    auto handle = std::make_shared<Handle>(*this, descriptor, std::forward<Args>(args)...);
    states_.push_back({descriptor, handle});
    return handle;
  }

 private:
  struct Registered {
    StateDescriptor descriptor;
    std::shared_ptr<KeyedStateHandle> handle;
  };
  void resolve();
  bool holds_nothing(size_t record);
  std::shared_ptr<KeyedStateHandle> find(const StateDescriptor& descriptor) const;

  KeyedStateBackend* backend_ = nullptr;
  CanonicalKeys keys_;
  std::vector<Slot> slots_;
  size_t current_ = 0;
  uint64_t batch_number_ = 0;
  bool resolved_ = false;
  std::vector<Registered> states_;
  std::vector<Slot> forgotten_;
};

}  // namespace yeoul
