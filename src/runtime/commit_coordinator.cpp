#include "yeoul/runtime/commit_coordinator.h"

namespace yeoul {

void CommitCoordinator::commit(CommittablesByNode committables, std::function<void(std::exception_ptr)> done) {
  std::erase_if(committables, [](const auto& entry) { return entry.second.empty(); });
  queue_.push_back({std::move(committables), std::move(done)});
  if (queue_.size() == 1) next();
}

CommittablesByNode CommitCoordinator::unconfirmed() const {
  CommittablesByNode all;
  for (const Request& request : queue_) {
    for (const auto& [node, committables] : request.committables) {
      all[node].insert(all[node].end(), committables.begin(), committables.end());
    }
  }
  return all;
}

void CommitCoordinator::forget_waiting() {
  while (queue_.size() > 1) queue_.pop_back();
}

void CommitCoordinator::next() {
  const auto committables = std::make_shared<const CommittablesByNode>(queue_.front().committables);
  context_.run_io(
      [this, committables] {
        for (const auto& [node, list] : *committables) {
          try {
            committer(node).commit(list);
          } catch (Error& error) {
            error.add_context(fmt::format("commit of '{}'", graph_.node(node).name));
            throw;
          }
        }
      },
      [this](const std::exception_ptr& failure) { finished(failure); });
}

void CommitCoordinator::finished(const std::exception_ptr& failure) {
  const std::function<void(std::exception_ptr)> done = std::move(queue_.front().done);
  queue_.pop_front();
  if (!queue_.empty()) next();
  done(failure);
}

Committer& CommitCoordinator::committer(int node) {
  std::shared_ptr<Committer>& committer = committers_[node];
  if (!committer) committer = graph_.node(node).sink->create_committer();
  if (!committer) throw internal_error(9013, "the sink has committables but no committer");
  return *committer;
}

}  // namespace yeoul
