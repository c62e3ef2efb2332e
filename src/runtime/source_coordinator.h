#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/runtime/coordinator_context.h"
#include "yeoul/runtime/stream_graph.h"
#include "yeoul/runtime/task.h"

namespace yeoul {

/// Hosts the enumerator of one source (FLIP-27). Shared, since I/O of its own may outlast it. Threads: the
/// coordinator's.
class SourceCoordinator final : public std::enable_shared_from_this<SourceCoordinator>, private SplitEnumeratorContext {
 public:
  /// @param tasks  of the source, by subtask
  SourceCoordinator(const StreamNode& node, CoordinatorContext& context, std::vector<Task*> tasks)
      : node_(node), context_(context), tasks_(std::move(tasks)) {}

  const StreamNode& node() const { return node_; }
  void start(const std::optional<std::string>& restored);
  void add_reader(int subtask);
  void handle_split_request(int subtask);
  void handle_event(int subtask, const std::string& event);
  std::string snapshot(int64_t checkpoint_id) { return enumerator_->snapshot(checkpoint_id); }
  void notify_checkpoint_complete(int64_t checkpoint_id);
  /// Nothing happens any more, whatever I/O still comes back; what is in progress is asked to give up.
  void close();

 private:
  /// Calls the enumerator; a failure ends the attempt.
  void guard(const std::function<void()>& call);
  Task& task(int subtask);

  // SplitEnumeratorContext:
  int parallelism() const override { return static_cast<int>(tasks_.size()); }
  std::vector<int> registered_readers() const override { return {readers_.begin(), readers_.end()}; }
  void assign_splits(int subtask, std::vector<SourceSplit> splits) override;
  void signal_no_more_splits(int subtask) override;
  void send_event_to_reader(int subtask, std::string event) override;
  void call_async(std::function<std::function<void()>()> io, int64_t period_ms) override;
  const Clock& clock() const override { return context_.clock(); }

  const StreamNode& node_;
  CoordinatorContext& context_;
  std::vector<Task*> tasks_;
  std::unique_ptr<SplitEnumerator> enumerator_;
  std::set<int> readers_;
  bool closed_ = false;
};

}  // namespace yeoul
