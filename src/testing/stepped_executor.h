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
  /// Runs the oldest job; false: there is none.
  bool step() {
    std::function<void()> job;
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.empty()) return false;
      job = std::move(jobs_.front());
      jobs_.pop_front();
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
  std::mutex mutex_;
  std::deque<std::function<void()>> jobs_;
};

}  // namespace yeoul
