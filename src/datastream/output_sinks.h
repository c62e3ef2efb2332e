#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "yeoul/connectors/api/sink.h"
#include "yeoul/datastream/record_text.h"
#include "yeoul/datastream/row_view.h"

namespace yeoul {

/// Appends one line for each record of a batch, each after `prefix`.
using BatchPrinter = void (*)(const BatchBase& batch, const std::string& prefix, std::string& out);

/// Lines on the standard output; each begins with `identifier`, then the number of the subtask where there are several,
/// as Flink's print() does.
std::shared_ptr<const Sink> print_sink(std::string identifier, BatchPrinter printer);

template <class T>
void print_batch(const BatchBase& base, const std::string& prefix, std::string& out) {
  const auto& batch = static_cast<const Batch<T>&>(base);
  for (size_t i = 0; i < batch.num_records(); ++i) {
    out += prefix;
    append_text(out, record_at(batch, i));
    out += '\n';
  }
}

/// Batches on their way from a job to the program that started it; bounded, so that a slow reader slows the job.
/// Threads: the writer's and one reader's.
class CollectedBatches {
 public:
  /// Records held before the writer waits.
  static constexpr size_t kRecordsMax = 1 << 16;

  /// The next batch; null after `timeout_ms` without one.
  BatchPtr next(int64_t timeout_ms);

  void push(BatchPtr batch);
  bool has_room() const;
  /// Called (by the reader's thread) when there is room again.
  void set_wake_up(std::function<void()> wake_up);

 private:
  mutable std::mutex mutex_;
  std::condition_variable condition_;
  std::deque<BatchPtr> batches_;
  size_t records_ = 0;
  std::function<void()> wake_up_;
};

/// The sink behind execute_and_collect().
std::shared_ptr<const Sink> collect_sink(std::shared_ptr<CollectedBatches> batches);

}  // namespace yeoul
