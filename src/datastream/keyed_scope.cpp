#include "yeoul/datastream/keyed_scope.h"

#include <algorithm>

#include "yeoul/common/error.h"

namespace yeoul {

void KeyedScope::begin(CanonicalKeys keys) {
  keys_ = std::move(keys);
  resolved_ = false;
  current_ = 0;
  ++batch_number_;
}

void KeyedScope::resolve() {
  slots_.resize(keys_.size());
  backend_->resolve(keys_, true, slots_);
  resolved_ = true;
}

bool KeyedScope::holds_nothing(size_t record) {
  return std::all_of(states_.begin(), states_.end(),
                     [&](const Registered& state) { return state.handle->empty(record, slots_[record]); });
}

void KeyedScope::end() {
  if (!resolved_) return;
  forgotten_.clear();
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (holds_nothing(i)) forgotten_.push_back(slots_[i]);
  }
  if (!forgotten_.empty()) backend_->remove(forgotten_);
  backend_->end_batch();
  resolved_ = false;
}

std::shared_ptr<KeyedStateHandle> KeyedScope::find(const StateDescriptor& descriptor) const {
  for (const Registered& state : states_) {
    if (state.descriptor.name != descriptor.name) continue;
    if (state.descriptor == descriptor) return state.handle;
    throw user_error(7111, "two states have the name '{}': {} and {}; give them different names", descriptor.name,
                     state.descriptor.to_string(), descriptor.to_string());
  }
  return nullptr;
}

}  // namespace yeoul
