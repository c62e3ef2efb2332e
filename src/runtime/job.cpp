#include "yeoul/runtime/job.h"

#include <random>

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
  if (config.job_id.empty()) config.job_id = draw_job_id();
  std::shared_ptr<const Checkpoint> restored;
  if (!config.restore_path.empty()) {
    restored = std::make_shared<const Checkpoint>(read_checkpoint(*environment.files, config.restore_path));
  }
  config.max_parallelism = max_parallelism_after_restore(restored.get(), config);
  JobGraph job_graph(graph, config.max_parallelism);
  if (restored) check_all_state_matches(*restored, job_graph, config);
  return std::make_unique<JobMaster>(std::move(job_graph), std::move(config), environment, std::move(restored),
                                     executor);
}

std::unique_ptr<Job> run_job(const StreamGraph& graph, const JobConfig& config, const JobEnvironment& environment) {
  std::unique_ptr<JobMaster> job = make_job(graph, config, environment, nullptr);
  job->start();
  return job;
}

}  // namespace yeoul
