#include "yeoul/common/threads.h"

#include <pthread.h>

#include <chrono>
#include <system_error>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {

std::jthread start_thread(const std::string& name, std::function<void(std::stop_token)> body) {
  std::jthread thread;
  try {
    thread = std::jthread(std::move(body));
  } catch (const std::system_error& error) {
    throw external_error(
        7030, "the system starts no thread '{}': {}; its limits of threads ('ulimit -u') or memory are reached", name,
        error.code().message());
  }
  pthread_setname_np(thread.native_handle(), name.substr(0, 15).c_str());
  return thread;
}

void WakeUp::raise() {
  {
    const std::scoped_lock lock(mutex_);
    raised_ = true;
  }
  condition_.notify_one();
}

bool WakeUp::lower() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(raised_, false);
}

void WakeUp::wait(std::stop_token stop, int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  if (timeout_ms < 0) {
    condition_.wait(lock, stop, [this] { return raised_; });
  } else {
    condition_.wait_for(lock, stop, std::chrono::milliseconds(timeout_ms), [this] { return raised_; });
  }
  raised_ = false;
}

ThreadPool::ThreadPool(const std::string& name, int num_threads) {
  for (int i = 0; i < num_threads; ++i) {
    threads_.push_back(start_thread(name, [this](std::stop_token stop) { run(stop); }));
  }
}

ThreadPool::~ThreadPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void ThreadPool::post(std::function<void()> job) {
  {
    const std::scoped_lock lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  condition_.notify_one();
}

void ThreadPool::run(std::stop_token stop) {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      condition_.wait(lock, stop, [this] { return !jobs_.empty(); });
      if (jobs_.empty()) return;  // stopped
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace yeoul
