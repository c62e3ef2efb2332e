#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "yeoul/connectors/api/sink.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// The rows of a SELECT on their way from the job to the caller; bounded, so that a slow reader slows the job.
/// Threads: the writer's and one reader's.
class ResultStream {
 public:
  /// Rows held before the writer waits.
  static constexpr size_t kRowsMax = 1 << 16;

  /// The next batch; null after `timeout_ms` without one.
  RowBatchPtr next(int64_t timeout_ms);

  void push(RowBatchPtr batch);
  bool has_room() const;
  /// Called (by the reader's thread) when there is room again.
  void set_wake_up(std::function<void()> wake_up);

 private:
  mutable std::mutex mutex_;
  std::condition_variable condition_;
  std::deque<RowBatchPtr> batches_;
  size_t rows_ = 0;
  std::function<void()> wake_up_;
};

/// The sink of a SELECT.
std::shared_ptr<const Sink> collect_sink(std::shared_ptr<ResultStream> stream);

}  // namespace yeoul
