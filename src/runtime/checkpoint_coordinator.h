#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "yeoul/runtime/commit_coordinator.h"
#include "yeoul/runtime/completed_checkpoints.h"
#include "yeoul/runtime/coordinator_context.h"
#include "yeoul/runtime/execution.h"

namespace yeoul {

/// Triggers checkpoints of one attempt, collects what tasks acknowledge, makes it durable and tells everybody (D13).
/// One at a time. Shared, since I/O and timers may come back late. Threads: the coordinator's.
class CheckpointCoordinator : public std::enable_shared_from_this<CheckpointCoordinator> {
 public:
  /// What the job wants to know. Threads: the coordinator's.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void on_completed(const CheckpointInfo& info) = 0;
    /// A completed checkpoint was committed; null: without failure.
    virtual void on_committed(std::exception_ptr failure) = 0;
    /// After stop(): no metadata is being written any more.
    virtual void on_settled() = 0;
  };

  CheckpointCoordinator(const JobGraph& graph, CoordinatorContext& context, Execution& execution,
                        CompletedCheckpoints& completed, CommitCoordinator& commits, Listener& listener);

  /// Begins to trigger every interval.
  void start();
  /// Nothing is triggered any more; a checkpoint whose metadata is being written still counts.
  void stop();
  /// stop(), for an attempt that failed or is cancelled: whether its checkpoints' commits fail is no longer its
  /// concern, since the next attempt commits from the last checkpoint again.
  void abandon() {
    abandoned_ = true;
    stop();
  }
  /// No metadata is being written.
  bool settled() const { return !pending_ || !pending_->writing; }

  void on_flushed();
  void on_acknowledged(TaskAck ack);
  void on_declined(int64_t checkpoint_id, const std::exception_ptr& reason);

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  struct Pending {
    Checkpoint checkpoint;
    int64_t started_ms = 0;
    std::set<std::pair<int, int>> missing;   ///< (vertex, subtask)
    std::set<std::pair<int, int>> finished;  ///< acknowledged as finished
    CommittablesByNode committables;         ///< of this checkpoint alone
    int64_t bytes = 0;
    int64_t synchronous_ms_max = 0;
    bool writing = false;
  };

  bool is_pending(int64_t id) const { return pending_ && pending_->checkpoint.id == id; }
  void schedule(int64_t at_ms);
  void begin();
  /// Keeps one timer for the timeout, however many checkpoints complete before it is due.
  void watch();
  void on_watch();
  void on_timeout(int64_t id);
  void trigger(int64_t id);
  void add_nodes(Pending& pending) const;
  void send_triggers(int64_t id);
  void write();
  void on_written(int64_t id, int64_t bytes, const std::exception_ptr& failure);
  void complete();
  void notify(const Pending& done);
  void fail(int64_t id, const std::exception_ptr& reason);
  void discard(int64_t id);
  void schedule_next(int64_t started_ms);

  const JobGraph& graph_;
  CoordinatorContext& context_;
  Execution& execution_;
  CompletedCheckpoints& completed_;
  CommitCoordinator& commits_;
  Listener& listener_;
  std::optional<Pending> pending_;
  int64_t schedule_ = 0;  ///< number of the timer that counts
  int num_failed_ = 0;    ///< in a row
  bool watching_ = false;
  bool stopped_ = false;
  bool abandoned_ = false;
};

}  // namespace yeoul
