#pragma once

#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "yeoul/datastream/environment_state.h"
#include "yeoul/datastream/output_sinks.h"
#include "yeoul/datastream/record_type.h"

namespace yeoul {

/// Hands over the batches of a running job, in order of arrival; ends with the job. Dropping it cancels the job.
/// Threads: one.
class CollectedJob {
 public:
  CollectedJob(std::unique_ptr<Job> job, std::shared_ptr<CollectedBatches> batches)
      : job_(std::move(job)), batches_(std::move(batches)) {}

  /// The next batch; null at the end. @throws the failure of the job
  BatchPtr next();
  void close();
  Job& job() { return *job_; }

 private:
  std::unique_ptr<Job> job_;
  std::shared_ptr<CollectedBatches> batches_;
};

/// The records of a stream, one by one, while its job runs. After a restart from a checkpoint records may come again.
/// Threads: one.
template <class T>
class CloseableIterator {
 public:
  explicit CloseableIterator(CollectedJob job) : job_(std::move(job)) {}

  /// The next record; nothing at the end. @throws the failure of the job
  std::optional<T> next() {
    while (!batch_ || next_ == batch_->values.size()) {
      batch_ = std::static_pointer_cast<const Batch<T>>(job_.next());
      next_ = 0;
      if (!batch_) return std::nullopt;
    }
    return batch_->values[next_++];
  }
  /// All that is left.
  std::vector<T> to_vector() {
    std::vector<T> values;
    while (std::optional<T> value = next()) values.push_back(std::move(*value));
    return values;
  }
  /// Ends the job.
  void close() { job_.close(); }
  Job& job() { return job_.job(); }

  /// For range-for; one pass.
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;

    explicit Iterator(CloseableIterator& owner) : owner_(&owner) { ++*this; }
    const T& operator*() const { return *value_; }
    Iterator& operator++() {
      value_ = owner_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return !value_; }

   private:
    CloseableIterator* owner_;
    std::optional<T> value_;
  };
  Iterator begin() { return Iterator(*this); }
  std::default_sentinel_t end() const { return {}; }

 private:
  CollectedJob job_;
  std::shared_ptr<const Batch<T>> batch_;
  size_t next_ = 0;
};

}  // namespace yeoul
