#include "yeoul/runtime/job.h"

#include <limits>
#include <map>
#include <random>
#include <set>

#include "yeoul/common/log.h"
#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/runtime/job_master.h"
#include "yeoul/runtime/state_assignment.h"

namespace yeoul {
namespace {

std::string draw_job_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 4; ++i) id += fmt::format("{:08x}", random());
  return id;
}

/// Flink's limit.
constexpr int64_t kMaxParallelismMax = 32'768;

void check_config(const JobConfig& config) {
  const auto require = [](std::string_view option, int64_t value, int64_t least, int64_t most) {
    if (value >= least && value <= most) return;
    throw user_error(2010, "option '{}': {} is not between {} and {}", option, value, least, most);
  };
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  require("pipeline.max-parallelism", config.max_parallelism, 0, kMaxParallelismMax);
  require("pipeline.auto-watermark-interval", config.auto_watermark_interval_ms, 0, kAny);
  require("execution.checkpointing.interval", config.checkpoint_interval_ms, 0, kAny);
  require("execution.checkpointing.timeout", config.checkpoint_timeout_ms, 1, kAny);
  require("execution.checkpointing.min-pause", config.checkpoint_min_pause_ms, 0, kAny);
  require("execution.checkpointing.tolerable-failed-checkpoints", config.tolerable_failed_checkpoints, 0, kAny);
  require("execution.checkpointing.num-retained", config.retained_checkpoints, 1, kAny);
  const RestartSettings& restart = config.restart;
  require("restart-strategy.fixed-delay.attempts", restart.attempts, 0, kAny);
  require("restart-strategy.fixed-delay.delay", restart.delay_ms, 0, kAny);
  require("restart-strategy.exponential-delay.initial-backoff", restart.initial_backoff_ms, 1, kAny);
  require("restart-strategy.exponential-delay.max-backoff", restart.max_backoff_ms, restart.initial_backoff_ms, kAny);
  require("restart-strategy.exponential-delay.reset-backoff-threshold", restart.reset_backoff_threshold_ms, 1, kAny);
  require("restart-strategy.exponential-delay.attempts-before-reset-backoff", restart.attempts_before_reset_backoff, 0,
          kAny);
  require("restart-strategy.failure-rate.max-failures-per-interval", restart.max_failures_per_interval, 1, kAny);
  require("restart-strategy.failure-rate.failure-rate-interval", restart.failure_rate_interval_ms, 1, kAny);
  require("restart-strategy.failure-rate.delay", restart.failure_rate_delay_ms, 0, kAny);
  const auto require_number = [](std::string_view option, double value, double least, double most) {
    if (value >= least && value <= most) return;
    throw user_error(2010, "option '{}': {} is not between {} and {}", option, value, least, most);
  };
  require_number("restart-strategy.exponential-delay.backoff-multiplier", restart.backoff_multiplier, 1, 1e9);
  require_number("restart-strategy.exponential-delay.jitter-factor", restart.jitter_factor, 0, 1);
}

/// Sources that brokers cannot tell apart: one line for each name that several have.
void warn_of_shared_client_ids(const StreamGraph& graph) {
  // By name: a table that is read twice is one source to its user.
  std::map<std::string, std::set<std::string>> sources;
  for (const StreamNode& node : graph.nodes()) {
    if (node.source == nullptr) continue;
    if (std::string prefix = node.source->client_id_prefix(); !prefix.empty()) {
      sources[std::move(prefix)].insert(fmt::format("'{}'", node.name));
    }
  }
  for (const auto& [prefix, names] : sources) {
    if (names.size() < 2) continue;
    log(LogLevel::kWarn, "job",
        "{} are known to their brokers by the same client ids, '{}-…': in logs and quotas of the brokers they are one; "
        "give each its own 'client.id.prefix'",
        fmt::join(names, " and "), prefix);
  }
}

void warn_of_missing_checkpoints(const StreamGraph& graph, const JobConfig& config) {
  if (config.checkpoint_interval_ms > 0 || graph.bounded()) return;
  for (const StreamNode& node : graph.nodes()) {
    if (node.sink == nullptr || !node.sink->relies_on_checkpoints()) continue;
    log(LogLevel::kWarn, "job",
        "'{}' is to deliver at least once, but the job makes no checkpoints: what is on its way when it fails is lost; "
        "set 'execution.checkpointing.interval'",
        node.name);
  }
}

}  // namespace

std::string_view to_string(JobStatus status) {
  switch (status) {
    case JobStatus::kCreated:
      return "CREATED";
    case JobStatus::kRunning:
      return "RUNNING";
    case JobStatus::kRestarting:
      return "RESTARTING";
    case JobStatus::kCancelling:
      return "CANCELLING";
    case JobStatus::kCanceled:
      return "CANCELED";
    case JobStatus::kFinished:
      return "FINISHED";
    case JobStatus::kFailed:
      return "FAILED";
  }
  return "";
}

std::unique_ptr<JobMaster> make_job(const StreamGraph& graph, JobConfig config, const JobEnvironment& environment,
                                    Executor* executor) {
  check_config(config);
  if (config.job_id.empty()) config.job_id = draw_job_id();
  std::shared_ptr<const Checkpoint> restored;
  if (!config.restore_path.empty()) {
    restored = std::make_shared<const Checkpoint>(read_checkpoint(*environment.files, config.restore_path));
    log(LogLevel::kInfo, "checkpoint", "job '{}' goes on from '{}'", config.name, config.restore_path);
  }
  config.max_parallelism = max_parallelism_after_restore(restored.get(), config);
  JobGraph job_graph(graph, config.max_parallelism);
  if (restored) check_all_state_matches(*restored, job_graph, config);
  warn_of_shared_client_ids(graph);
  warn_of_missing_checkpoints(graph, config);
  return std::make_unique<JobMaster>(std::move(job_graph), std::move(config), environment, std::move(restored),
                                     executor);
}

std::unique_ptr<Job> run_job(const StreamGraph& graph, const JobConfig& config, const JobEnvironment& environment) {
  // A folder that cannot be made is told of now, not at the first checkpoint.
  if (config.checkpoint_interval_ms > 0) environment.files->create_directories(config.checkpoint_directory);
  std::unique_ptr<JobMaster> job = make_job(graph, config, environment, nullptr);
  job->start();
  return job;
}

}  // namespace yeoul
