#include "yeoul/datastream/collected_results.h"

namespace yeoul {

BatchPtr CollectedJob::next() {
  constexpr int64_t kWaitMs = 20;
  while (true) {
    if (BatchPtr batch = batches_->next(kWaitMs)) return batch;
    const JobStatus status = job_->wait(0);
    if (status != JobStatus::kFinished && status != JobStatus::kFailed && status != JobStatus::kCanceled) continue;
    // What the sink wrote last may have come between the two looks.
    if (BatchPtr batch = batches_->next(0)) return batch;
    if (status != JobStatus::kCanceled) wait_for_success(*job_);
    return nullptr;
  }
}

void CollectedJob::close() {
  job_->cancel();
  job_->wait();
}

}  // namespace yeoul
