#include "yeoul/runtime/channel.h"

namespace yeoul {

void Channel::push(StreamElement element) {
  const auto* batch = std::get_if<BatchPtr>(&element);
  const int64_t bytes = batch ? static_cast<int64_t>((*batch)->memory_bytes()) + 1 : 0;
  bytes_.fetch_add(bytes);
  bool was_empty;
  {
    const std::scoped_lock lock(mutex_);
    was_empty = shared_.empty();
    shared_.push_back({std::move(element), bytes});
    filled_.store(true, std::memory_order_release);
  }
  if (was_empty) consumer_.raise();
}

const StreamElement* Channel::peek() {
  if (taken_.empty()) {
    if (!filled_.load(std::memory_order_acquire)) return nullptr;
    const std::scoped_lock lock(mutex_);
    taken_.swap(shared_);
    filled_.store(false, std::memory_order_relaxed);
  }
  return taken_.empty() ? nullptr : &taken_.front().element;
}

StreamElement Channel::pop() {
  Entry entry = std::move(taken_.front());
  taken_.pop_front();
  if (entry.bytes != 0) {
    const int64_t before = bytes_.fetch_sub(entry.bytes);
    if (before >= bytes_max_ && before - entry.bytes < bytes_max_) producer_.raise();
  }
  return std::move(entry.element);
}

}  // namespace yeoul
