#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"
#include "yeoul/common/metric_report.h"
#include "yeoul/runtime/restart_strategy.h"
#include "yeoul/runtime/stream_graph.h"
#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

struct Checkpoint;

/// How one job runs; filled from Flink's options by `engine`.
struct JobConfig {
  std::string name = "yeoul-job";  ///< pipeline.name
  std::string job_id;              ///< 32 hex digits; empty: drawn
  std::string fingerprint;         ///< of what the job does; kept in its checkpoints, to tell jobs that share a name
  int max_parallelism = 0;         ///< pipeline.max-parallelism; 0: Flink's default of the largest parallelism
  int64_t batch_records_max = 1024;
  bool pace_batches = false;  ///< smaller ones where functions are slow (batch_pace.h)
  int64_t channel_bytes_max = 1 << 20;
  int64_t auto_watermark_interval_ms = 200;          ///< pipeline.auto-watermark-interval
  int64_t checkpoint_interval_ms = 0;                ///< execution.checkpointing.interval; 0: none
  int64_t checkpoint_timeout_ms = 600000;            ///< execution.checkpointing.timeout
  int64_t checkpoint_min_pause_ms = 0;               ///< execution.checkpointing.min-pause
  int tolerable_failed_checkpoints = 0;              ///< execution.checkpointing.tolerable-failed-checkpoints
  int retained_checkpoints = 1;                      ///< execution.checkpointing.num-retained
  std::string checkpoint_directory = "yeoul-state";  ///< execution.checkpointing.dir
  std::string restore_path;                          ///< a chk-N folder; empty: fresh
  bool allow_non_restored_state = false;             ///< execution.state-recovery.ignore-unclaimed-state
  RestartSettings restart;                           ///< restart-strategy.*
};

/// The world around a job: replaced by tests and the simulator.
struct JobEnvironment {
  Clock* clock = &system_clock();
  FileSystem* files = &local_file_system();
  const StateBackendFactory* state_backend = nullptr;
};

enum class JobStatus : uint8_t { kCreated, kRunning, kRestarting, kCancelling, kCanceled, kFinished, kFailed };
/// Flink's spelling: "RUNNING", "FINISHED", ….
std::string_view to_string(JobStatus status);

/// A completed checkpoint.
struct CheckpointInfo {
  int64_t id = 0;
  std::string path;
  int64_t completed_at_ms = 0;
  int64_t duration_ms = 0;
  int64_t bytes = 0;
  int64_t synchronous_ms_max = 0;  ///< longest time a task's thread was held by its snapshot
};

/// Time that a part of a job has spent with something.
struct TimeSpent {
  std::string_view name;  ///< of the operator; valid as long as the job
  int64_t ns = 0;
};

/// A reading of a running job's counters; cheap, from any thread.
struct JobProgress {
  JobStatus status = JobStatus::kCreated;
  int64_t records_in = 0;
  int64_t bytes_in = 0;
  int64_t records_out = 0;
  int64_t bytes_out = 0;
  int64_t records_skipped = 0;
  int64_t watermark = kMinWatermark;  ///< smallest of the sinks
  int restarts = 0;
  int64_t pending_records = -1;
  std::optional<CheckpointInfo> last_checkpoint;
  std::vector<TimeSpent> busy;           ///< of each operator's subtasks in their own code; always in the same order
  std::vector<TimeSpent> backpressured;  ///< of each task, named after its first operator, waiting for room behind it
};

/// A submitted job. Threads: any.
class Job {
 public:
  virtual ~Job() = default;
  virtual const std::string& id() const = 0;
  virtual const std::string& name() const = 0;
  virtual JobProgress progress() const = 0;
  /// All metrics under Flink's names (docs/metrics.md).
  virtual MetricReport metrics() const = 0;
  /// Asks the job to stop; tasks end without flushing. wait() then returns kCanceled.
  virtual void cancel() = 0;
  /// Waits for the end, at most `timeout_ms` (< 0: for ever), and returns the status then.
  virtual JobStatus wait(int64_t timeout_ms = -1) = 0;
  /// Why it failed; null when it did not.
  virtual std::exception_ptr failure() const = 0;
};

/// Chains, places and starts a job on threads. Errors of the graph or the checkpoint to restore from are thrown here.
std::unique_ptr<Job> run_job(const StreamGraph& graph, const JobConfig& config, const JobEnvironment& environment);

/// The newest complete checkpoint below `<directory>/<job name>`; nothing when there is none.
std::optional<std::string> find_latest_checkpoint(FileSystem& files, const std::string& directory,
                                                  const std::string& job_name);
/// That of the job and of each that had to share its name: "name-2", "name-3", ….
std::vector<Checkpoint> find_latest_checkpoints(FileSystem& files, const std::string& directory,
                                                const std::string& job_name);

}  // namespace yeoul
