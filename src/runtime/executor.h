#pragma once

#include <functional>
#include <string>

#include "yeoul/common/threads.h"

namespace yeoul {

/// Where blocking work of a job runs; a queue that tests step, or the I/O pool. Jobs must not throw. Threads: any.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual void post(std::function<void()> job) = 0;
};

/// The I/O pool as an executor.
class PoolExecutor final : public Executor {
 public:
  explicit PoolExecutor(ThreadPool& pool) : pool_(pool) {}
  void post(std::function<void()> job) override { pool_.post(std::move(job)); }

 private:
  ThreadPool& pool_;
};

}  // namespace yeoul
