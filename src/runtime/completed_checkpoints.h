#pragma once

#include <cstdint>
#include <deque>
#include <memory>

#include "yeoul/runtime/checkpoint.h"
#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/runtime/job.h"

namespace yeoul {

/// The completed checkpoints of a job, over all its attempts. Threads: the coordinator's.
class CompletedCheckpoints {
 public:
  /// @param restored  what the job was started from, or null
  CompletedCheckpoints(std::shared_ptr<CheckpointStorage> storage, int num_retained,
                       std::shared_ptr<const Checkpoint> restored)
      : storage_(std::move(storage)), num_retained_(num_retained), latest_(std::move(restored)) {
    next_id_ = (latest_ ? latest_->id : 0) + 1;
    if (storage_) next_id_ = std::max(next_id_, storage_->last_id() + 1);
  }

  /// Null: no checkpoints are made.
  const std::shared_ptr<CheckpointStorage>& storage() const { return storage_; }
  int64_t take_id() { return next_id_++; }
  int64_t next_id() const { return next_id_; }
  /// What a restart restores from; null: nothing.
  const std::shared_ptr<const Checkpoint>& latest() const { return latest_; }
  /// Adds one and returns the numbers of those to remove now.
  std::vector<int64_t> add(Checkpoint checkpoint) {
    ids_.push_back(checkpoint.id);
    latest_ = std::make_shared<const Checkpoint>(std::move(checkpoint));
    std::vector<int64_t> surplus;
    while (static_cast<int>(ids_.size()) > std::max(1, num_retained_)) {
      surplus.push_back(ids_.front());
      ids_.pop_front();
    }
    return surplus;
  }

 private:
  std::shared_ptr<CheckpointStorage> storage_;
  int num_retained_;
  std::shared_ptr<const Checkpoint> latest_;
  std::deque<int64_t> ids_;  ///< made by this job and kept
  int64_t next_id_ = 1;
};

}  // namespace yeoul
