#pragma once

#include <deque>
#include <functional>
#include <mutex>

#include "yeoul/runtime/executor.h"

namespace yeoul {

/// An executor whose jobs run when the test says so. Threads: any.
class SteppedExecutor final : public Executor {
 public:
  void post(std::function<void()> job) override {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  size_t num_waiting() const {
    const std::scoped_lock lock(mutex_);
    return jobs_.size();
  }
  /// Runs the oldest job, or the one so many behind it, as several threads do; false: there is none.
  bool step(size_t which = 0) {
    std::function<void()> job;
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.empty()) return false;
      const auto taken = jobs_.begin() + static_cast<std::ptrdiff_t>(which % jobs_.size());
      job = std::move(*taken);
      jobs_.erase(taken);
    }
    job();
    return true;
  }
  /// Forgets what is waiting, as a killed process does.
  void drop() {
    const std::scoped_lock lock(mutex_);
    jobs_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::function<void()>> jobs_;
};

}  // namespace yeoul
