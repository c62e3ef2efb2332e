#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "yeoul/runtime/chain_node.h"
#include "yeoul/runtime/exchange.h"
#include "yeoul/runtime/job_graph.h"
#include "yeoul/runtime/source_input.h"

namespace yeoul {

/// Metrics and restored state of the nodes of one subtask, by node id.
struct NodeSetup {
  NodeMetrics* metrics = nullptr;
  RestoredNodeState restored;
};

/// The nodes of a task, joined by direct calls, and the exchanges behind them. Threads: the task's.
class Chain {
 public:
  /// @param exchanges  by number of the edge; those of the vertex's out_edges
  Chain(const JobGraph& graph, const JobVertex& vertex, TaskContext& context, std::map<int, NodeSetup>& nodes,
        std::vector<std::pair<int, std::unique_ptr<Exchange>>> exchanges);

  /// Opens the nodes, the last one first, so that each may emit once it is open.
  void open(std::map<int, NodeSetup>& nodes);

  SourceInput* source() { return source_ ? &*source_ : nullptr; }
  /// Operators and sinks, each after the one that feeds it.
  const std::vector<std::unique_ptr<ChainNode>>& nodes() const { return nodes_; }
  ChainNode& head() { return *nodes_.front(); }
  bool has_room() const { return source_ ? source_->has_room() : nodes_.front()->has_room(); }
  bool clear() const;
  /// Goes on with cursors and queues, the last node first. False: none could.
  bool continue_work();
  /// A control element, to all exchanges.
  void broadcast(const StreamElement& element);

 private:
  void join(const JobGraph& graph, const JobVertex& vertex);
  NodeOutput* output_of(int node);

  std::vector<std::pair<int, std::unique_ptr<Exchange>>> exchanges_;
  std::optional<SourceInput> source_;
  std::vector<std::unique_ptr<ChainNode>> nodes_;
};

}  // namespace yeoul
