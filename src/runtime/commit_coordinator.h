#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/runtime/coordinator_context.h"
#include "yeoul/runtime/job_graph.h"

namespace yeoul {

/// Committables by node id.
using CommittablesByNode = std::map<int, std::vector<std::string>>;

/// Commits what completed checkpoints hold, one checkpoint after the other, on the I/O pool (D9). What is not confirmed
/// yet is part of every later checkpoint. Threads: the coordinator's.
class CommitCoordinator {
 public:
  CommitCoordinator(const JobGraph& graph, CoordinatorContext& context) : graph_(graph), context_(context) {}

  /// Commits after all that was given before. @param done  told what was thrown; null: committed
  void commit(CommittablesByNode committables, std::function<void(std::exception_ptr)> done);
  bool idle() const { return queue_.empty(); }
  /// Waiting or running.
  CommittablesByNode unconfirmed() const;
  /// Drops what is waiting: a restart commits from its checkpoint again, which holds it.
  void forget_waiting();

 private:
  struct Request {
    CommittablesByNode committables;
    std::function<void(std::exception_ptr)> done;
  };

  void next();
  void finished(const std::exception_ptr& failure);
  Committer& committer(int node);

  const JobGraph& graph_;
  CoordinatorContext& context_;
  std::deque<Request> queue_;                             ///< the first is running
  std::map<int, std::shared_ptr<Committer>> committers_;  ///< used by the one request that runs
};

}  // namespace yeoul
