#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "yeoul/runtime/checkpoint_coordinator.h"
#include "yeoul/runtime/commit_coordinator.h"
#include "yeoul/runtime/completed_checkpoints.h"
#include "yeoul/runtime/execution.h"
#include "yeoul/runtime/job.h"
#include "yeoul/runtime/restart_strategy.h"
#include "yeoul/runtime/watermark_alignment.h"

namespace yeoul {

/// A job: its coordinator, and the attempts to run it. Threads: the functions of Job any, the rest the coordinator's,
/// which is a thread of its own or a test that calls step().
class JobMaster final : public Job, public CheckpointCoordinator::Listener {
 public:
  /// @param restored  what to start from; null: fresh
  /// @param executor  where I/O runs and tasks are stepped by the caller; null: on threads
  JobMaster(JobGraph graph, JobConfig config, const JobEnvironment& environment,
            std::shared_ptr<const Checkpoint> restored, Executor* executor = nullptr);
  ~JobMaster() override;

  /// Starts the first attempt; on threads, unless an executor was given.
  void start();

  // Job:
  const std::string& id() const override { return config_.job_id; }
  const std::string& name() const override { return config_.name; }
  JobProgress progress() const override;
  MetricReport metrics() const override;
  void cancel() override;
  JobStatus wait(int64_t timeout_ms) override;
  std::exception_ptr failure() const override;

  /// One mail or timer.
  Step step();
  /// Milliseconds until a timer is due; -1: none is.
  int64_t wait_ms() const;
  /// The current attempt, or null between two.
  Execution* execution() { return execution_.get(); }

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  class AttemptListener;

  void run(std::stop_token stop);
  void start_attempt();
  CommittablesByNode restored_committables() const;
  void launch();
  void fail_attempt(const std::exception_ptr& failure);
  void end_attempt();
  /// Goes on where an attempt has come to its end: finished, cancelled, failed, or to be restarted.
  void conclude();
  void schedule_restart(int64_t delay_ms);
  /// False: what failed is for the user to mend.
  bool can_restart_help() const;
  void finish(JobStatus status);
  void set_status(JobStatus status);
  /// Keeps readings of the metrics for rates, again and again.
  void sample_metrics();
  void on_task_stopped(int vertex, int subtask, bool done);
  void on_final_committables(std::vector<NodeAck> nodes);

  // CheckpointCoordinator::Listener:
  void on_completed(const CheckpointInfo& info) override;
  void on_committed(std::exception_ptr failure) override;
  void on_settled() override { conclude(); }

  const JobConfig config_;
  const JobEnvironment environment_;
  const JobGraph graph_;
  JobMetrics metrics_;
  std::vector<std::unique_ptr<AttemptListener>> listeners_;  ///< kept: late I/O tells them things
  CoordinatorContext context_;
  CompletedCheckpoints completed_;
  CommitCoordinator commits_;
  std::unique_ptr<Execution> execution_;
  std::shared_ptr<CheckpointCoordinator> checkpoints_;
  std::shared_ptr<WatermarkAlignment> alignment_;
  int attempt_ = 0;
  RestartStrategy restart_strategy_;
  int num_restarts_ = 0;
  bool cancelling_ = false;
  bool done_ = false;
  std::exception_ptr attempt_failure_;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  JobStatus status_ = JobStatus::kCreated;    ///< under mutex_
  int64_t status_since_ms_ = 0;               ///< under mutex_
  int restarts_shown_ = 0;                    ///< under mutex_
  std::exception_ptr failure_;                ///< under mutex_
  std::optional<CheckpointInfo> checkpoint_;  ///< under mutex_

  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<PoolExecutor> pool_executor_;
  std::jthread thread_;
};

/// Prepares a job as run_job() does, without starting it. @param executor  as for JobMaster
std::unique_ptr<JobMaster> make_job(const StreamGraph& graph, JobConfig config, const JobEnvironment& environment,
                                    Executor* executor);

}  // namespace yeoul
