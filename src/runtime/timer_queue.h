#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>

namespace yeoul {

/// Calls due at some time, by time and then in the order of adding. Which clock the times belong to is the owner's
/// affair. Threads: owner only.
class TimerQueue {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  void add(int64_t at_ms, std::function<void()> fire) { timers_.emplace(at_ms, std::move(fire)); }
  bool empty() const { return timers_.empty(); }
  /// Time of the next one, or kNever.
  int64_t next_at() const { return timers_.empty() ? kNever : timers_.begin()->first; }
  /// Removes and returns the next one; it must be there.
  std::function<void()> take() {
    std::function<void()> fire = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    return fire;
  }

 private:
  std::multimap<int64_t, std::function<void()>> timers_;
};

}  // namespace yeoul
