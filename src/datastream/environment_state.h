#pragma once

#include <memory>
#include <string>

#include "yeoul/datastream/stream_plan.h"
#include "yeoul/runtime/job.h"

namespace yeoul {

/// What an environment and the streams made by it share. Threads: one.
struct EnvironmentState {
  EnvironmentState();

  StreamPlan plan;
  JobConfig config;
  JobEnvironment world;

  /// Starts what was described since the last job. @throws what StreamPlan::take_graph() and run_job() throw
  std::unique_ptr<Job> start(const std::string& job_name);

 private:
  void warn_of_missing_uids() const;
};

/// Waits for a job's end. @throws its failure; user error 7106 when it was cancelled
void wait_for_success(Job& job);

}  // namespace yeoul
