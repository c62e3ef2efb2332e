#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace yeoul {

/// Starts a named thread (shown by top and gdb; cut to 15 characters). Joined on destruction after a stop request.
std::jthread start_thread(const std::string& name, std::function<void(std::stop_token)> body);

/// A latch-like flag a thread waits on and others raise: level-triggered, so no wake-up is lost.
/// Threads: any.
class WakeUp {
 public:
  void raise();
  /// Lowers it without waiting; whether it was raised. For loops that step what others run on threads.
  bool lower();
  /// Waits until raised (then lowers it), stopped, or `timeout_ms` passed (< 0: no timeout).
  void wait(std::stop_token stop, int64_t timeout_ms);

 private:
  std::mutex mutex_;
  std::condition_variable_any condition_;
  bool raised_ = false;
};

/// Runs jobs on a few named threads; for waits on files and networks. Destruction runs what was posted, then joins.
/// A job must not throw: it reports its failure to whoever posted it. Threads: any.
class ThreadPool {
 public:
  ThreadPool(const std::string& name, int num_threads);
  ~ThreadPool();
  void post(std::function<void()> job);

 private:
  void run(std::stop_token stop);

  std::mutex mutex_;
  std::condition_variable_any condition_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::jthread> threads_;
};

}  // namespace yeoul
