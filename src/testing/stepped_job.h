#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "yeoul/runtime/job_master.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/fake_file_system.h"
#include "yeoul/testing/stepped_executor.h"

namespace yeoul {

/// A job without threads: coordinator, tasks and I/O are stepped in an order drawn from a seed, under a fake clock and
/// fake files, so that a run can be repeated. One thread.
class SteppedJob {
 public:
  SteppedJob(const StreamGraph& graph, JobConfig config, FakeClock& clock, FileSystem& files,
             const StateBackendFactory* state_backend = nullptr, uint64_t seed = 1);

  /// Steps until nothing can go on without the clock.
  void run_until_idle();
  /// Steps until the condition holds or nothing can go on; true: it holds.
  bool run_until(const std::function<bool()>& condition);
  /// Moves the clock in small strides, stepping in between, until the job ends or `ms` have passed.
  JobStatus run_for(int64_t ms, int64_t stride_ms = 10);
  JobMaster& job() { return *job_; }
  JobStatus status() const { return job_->progress().status; }
  /// Message of the error it failed with; empty when it did not.
  std::string failure_text() const;
  SteppedExecutor& executor() { return executor_; }
  /// Ends the process, as kill -9 does: nothing flushes.
  void kill();

 private:
  bool step();
  bool step_task(Task& task);

  FakeClock& clock_;
  SteppedExecutor executor_;
  std::unique_ptr<JobMaster> job_;
  std::minstd_rand random_;
};

}  // namespace yeoul
