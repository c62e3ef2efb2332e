#include "yeoul/runtime/chain.h"

#include <algorithm>

#include "yeoul/runtime/operator_node.h"
#include "yeoul/runtime/sink_node.h"

namespace yeoul {

Chain::Chain(const JobGraph& graph, const JobVertex& vertex, TaskContext& context, std::map<int, NodeSetup>& nodes,
             std::vector<std::pair<int, std::unique_ptr<Exchange>>> exchanges)
    : exchanges_(std::move(exchanges)) {
  context.set_idle = [this](bool idle) { broadcast(StreamStatus{idle}); };
  for (const int id : vertex.nodes) {
    const StreamNode& node = graph.node(id);
    NodeMetrics& metrics = *nodes.at(id).metrics;
    if (node.source) {
      source_.emplace(node, context, metrics, [this](bool idle) { broadcast(StreamStatus{idle}); });
    } else if (node.sink) {
      nodes_.push_back(std::make_unique<SinkNode>(node, context, metrics));
    } else {
      nodes_.push_back(std::make_unique<OperatorNode>(node, context, metrics));
    }
  }
  join(graph, vertex);
}

NodeOutput* Chain::output_of(int node) {
  for (const auto& candidate : nodes_) {
    if (candidate->node().id == node) return candidate->node_output();
  }
  return &source_->node_output();
}

void Chain::join(const JobGraph& graph, const JobVertex& vertex) {
  for (const auto& target : nodes_) {
    for (size_t e = 0; e < graph.stream_graph().edges().size(); ++e) {
      const StreamEdge& edge = graph.edge(static_cast<int>(e));
      if (edge.target != target->node().id || !graph.chained(static_cast<int>(e))) continue;
      output_of(edge.source)->add_target(edge.output_tag, target.get());
    }
  }
  for (const auto& [e, exchange] : exchanges_) {
    const StreamEdge& edge = graph.edge(e);
    YEOUL_CHECK(graph.vertex_of_node(edge.source) == vertex.id);
    output_of(edge.source)->add_target(edge.output_tag, exchange.get());
  }
}

void Chain::open(std::map<int, NodeSetup>& nodes) {
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) (*it)->open(nodes.at((*it)->node().id).restored);
  if (source_) source_->open(nodes.at(source_->node().id).restored);
}

bool Chain::clear() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const auto& node) { return node->clear(); });
}

bool Chain::continue_work() {
  bool progress = false;
  for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) progress = (*it)->continue_work() || progress;
  return progress;
}

void Chain::broadcast(const StreamElement& element) {
  for (const auto& [edge, exchange] : exchanges_) exchange->broadcast(element);
}

}  // namespace yeoul
