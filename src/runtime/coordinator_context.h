#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "yeoul/runtime/executor.h"
#include "yeoul/runtime/job.h"
#include "yeoul/runtime/mailbox.h"
#include "yeoul/runtime/timer_queue.h"

namespace yeoul {

struct CheckpointMetrics;

/// What the parts of a job's coordinator share. Threads: the coordinator's, but for the mailbox and the executor.
struct CoordinatorContext {
  const JobConfig* config = nullptr;
  const JobEnvironment* environment = nullptr;
  Executor* executor = nullptr;
  std::shared_ptr<Mailbox> mailbox;
  TimerQueue timers;                             ///< milliseconds of Clock::steady_ns
  std::function<void(std::exception_ptr)> fail;  ///< ends the current attempt
  CheckpointMetrics* checkpoint_metrics = nullptr;

  const Clock& clock() const { return *environment->clock; }
  int64_t steady_ms() const { return clock().steady_ns() / 1'000'000; }
  /// Runs `io` on the executor, then `done` with what it threw (null: nothing) on the coordinator.
  void run_io(std::function<void()> io, std::function<void(std::exception_ptr)> done);
};

}  // namespace yeoul
