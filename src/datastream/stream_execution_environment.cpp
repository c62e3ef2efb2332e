#include "yeoul/datastream/stream_execution_environment.h"

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/standard_files.h"
#include "yeoul/state/hashmap/hashmap_backend.h"

namespace yeoul {

EnvironmentState::EnvironmentState() {
  hold_standard_files();
  static const HashMapBackendFactory state_backend;
  world.state_backend = &state_backend;
  config.pace_batches = true;  // what a program's functions take is unknown
}

std::unique_ptr<Job> EnvironmentState::start(const std::string& job_name) {
  if (!job_name.empty()) config.name = job_name;
  if (config.checkpoint_interval_ms > 0) warn_of_missing_uids();
  return run_job(plan.take_graph(), config, world);
}

void EnvironmentState::warn_of_missing_uids() const {
  const std::vector<std::string> names = plan.stateful_without_uid();
  if (names.empty()) return;
  log(LogLevel::kWarn, "datastream",
      "'{}' makes checkpoints, but these operators that keep state have no uid(): '{}'; it is found again only by a "
      "program of the same structure",
      config.name, fmt::join(names, "', '"));
}

void wait_for_success(Job& job) {
  const JobStatus status = job.wait();
  if (const std::exception_ptr failure = job.failure()) std::rethrow_exception(failure);
  if (status != JobStatus::kFinished) {
    throw user_error(7106, "job '{}' ended as {}, not as FINISHED", job.name(), to_string(status));
  }
}

StreamExecutionEnvironment& StreamExecutionEnvironment::set_parallelism(int parallelism) {
  if (parallelism < 1) throw user_error(7102, "the parallelism is {}; it must be 1 or more", parallelism);
  state_->plan.set_default_parallelism(parallelism);
  return *this;
}

StreamExecutionEnvironment& StreamExecutionEnvironment::set_max_parallelism(int parallelism) {
  if (parallelism < 1 || parallelism > 32768) {
    throw user_error(7102, "the maximum parallelism is {}; it must lie between 1 and 32768", parallelism);
  }
  state_->config.max_parallelism = parallelism;
  return *this;
}

StreamExecutionEnvironment& StreamExecutionEnvironment::enable_checkpointing(Duration interval) {
  if (interval.to_millis() < 1) {
    throw user_error(7107, "the checkpoint interval is {} ms; it must be 1 ms or more", interval.to_millis());
  }
  state_->config.checkpoint_interval_ms = interval.to_millis();
  return *this;
}

StreamExecutionEnvironment& StreamExecutionEnvironment::set_auto_watermark_interval(Duration interval) {
  if (interval.to_millis() < 0) {
    throw user_error(7107, "the watermark interval is {} ms; it must not be negative", interval.to_millis());
  }
  state_->config.auto_watermark_interval_ms = interval.to_millis();
  return *this;
}

StreamExecutionEnvironment& StreamExecutionEnvironment::set_runtime_mode(RuntimeExecutionMode mode) {
  if (mode == RuntimeExecutionMode::kBatch) {
    throw user_error(7107,
                     "set_runtime_mode(): there is no batch mode; a bounded job is a stream that ends: leave it at "
                     "kStreaming or kAutomatic");
  }
  return *this;
}

StreamExecutionEnvironment& StreamExecutionEnvironment::disable_operator_chaining() {
  state_->plan.disable_chaining();
  return *this;
}

StreamExecutionEnvironment& StreamExecutionEnvironment::set_restart_strategy(RestartSettings strategy) {
  state_->config.restart = strategy;
  return *this;
}

DataStream<int64_t> StreamExecutionEnvironment::from_sequence(int64_t start, int64_t end) {
  if (start > end) throw user_error(7108, "from_sequence({}, {}): the start lies behind the end", start, end);
  const auto source = std::make_shared<const NumberSequenceSource>(start, end);
  return DataStream<int64_t>(state_, state_->plan.add_source("Sequence Source", source, nullptr));
}

std::unique_ptr<Job> StreamExecutionEnvironment::execute(const std::string& job_name) {
  std::unique_ptr<Job> job = state_->start(job_name);
  wait_for_success(*job);
  return job;
}

std::unique_ptr<Job> StreamExecutionEnvironment::execute_async(const std::string& job_name) {
  return state_->start(job_name);
}

}  // namespace yeoul
