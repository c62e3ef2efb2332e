#include "yeoul/testing/stepped_job.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace yeoul {

SteppedJob::SteppedJob(const StreamGraph& graph, JobConfig config, FakeClock& clock, FileSystem& files,
                       const StateBackendFactory* state_backend, uint64_t seed)
    : clock_(clock), random_(static_cast<uint32_t>(seed)) {
  const JobEnvironment environment{.clock = &clock, .files = &files, .state_backend = state_backend};
  job_ = make_job(graph, std::move(config), environment, &executor_);
  job_->start();
}

bool SteppedJob::step_task(Task& task) {
  if (job_->execution()->stopping()) return task.close();
  const Step step = task.guarded_step();
  if (step == Step::kDone) return task.close();
  return step == Step::kProgress;
}

bool SteppedJob::step() {
  // Everyone that could step, in a drawn order; the first one that can go on counts.
  const size_t num_tasks = job_->execution() ? job_->execution()->tasks().size() : 0;
  std::vector<size_t> order(num_tasks + 2);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random_);
  for (const size_t who : order) {
    bool progress = false;
    if (who == num_tasks) {
      progress = job_->step() == Step::kProgress;
    } else if (who == num_tasks + 1) {
      progress = executor_.step();
    } else {
      progress = step_task(*job_->execution()->tasks()[who]);
    }
    if (progress) return true;
  }
  return false;
}

void SteppedJob::run_until_idle() {
  while (step()) {
  }
}

bool SteppedJob::run_until(const std::function<bool()>& condition) {
  while (!condition()) {
    if (!step()) return condition();
  }
  return true;
}

JobStatus SteppedJob::run_for(int64_t ms, int64_t stride_ms) {
  run_until_idle();
  for (int64_t passed = 0; passed < ms && status() < JobStatus::kCanceled; passed += stride_ms) {
    clock_.advance(stride_ms);
    run_until_idle();
  }
  return status();
}

std::string SteppedJob::failure_text() const {
  const std::exception_ptr failure = job_->failure();
  if (!failure) return "";
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    return error.message();
  }
}

void SteppedJob::kill() {
  executor_.drop();
  job_.reset();
}

}  // namespace yeoul
