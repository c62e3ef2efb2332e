#pragma once

#include <array>
#include <cstdint>
#include <mutex>

namespace yeoul {

/// How a task's thread spends its time: Flink's busy, idle and backpressured time. It is told only when the thread
/// begins or ends to wait. Threads: one writes, any reads.
class TaskTimes {
 public:
  enum Use : uint8_t { kStopped, kBusy, kIdle, kBackpressured };

  void switch_to(Use use, int64_t now_ns) {
    const std::scoped_lock lock(mutex_);
    spent_ns_[use_] += now_ns - since_ns_;
    since_ns_ = now_ns;
    use_ = use;
  }

  struct Reading {
    int64_t busy_ns = 0;
    int64_t idle_ns = 0;
    int64_t backpressured_ns = 0;
    bool backpressured = false;  ///< right now
  };
  Reading read(int64_t now_ns) const {
    const std::scoped_lock lock(mutex_);
    std::array<int64_t, 4> spent_ns = spent_ns_;
    spent_ns[use_] += now_ns - since_ns_;
    return {spent_ns[kBusy], spent_ns[kIdle], spent_ns[kBackpressured], use_ == kBackpressured};
  }

 private:
  mutable std::mutex mutex_;
  std::array<int64_t, 4> spent_ns_{};
  int64_t since_ns_ = 0;
  Use use_ = kStopped;
};

}  // namespace yeoul
