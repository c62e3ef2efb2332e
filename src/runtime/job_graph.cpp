#include "yeoul/runtime/job_graph.h"

#include <algorithm>
#include <set>

#include "yeoul/state/api/key_groups.h"

namespace yeoul {
namespace {

template <class... Args>
Error graph_error(fmt::format_string<Args...> format, Args&&... args) {
  return internal_error(9010, "the stream graph is wrong: {}", fmt::format(format, std::forward<Args>(args)...));
}

void check_edge(const StreamGraph& graph, const StreamEdge& edge) {
  const int num_nodes = static_cast<int>(graph.nodes().size());
  if (edge.source < 0 || edge.source >= num_nodes || edge.target < 0 || edge.target >= num_nodes) {
    throw graph_error("an edge joins nodes {} and {} of {}", edge.source, edge.target, num_nodes);
  }
  const StreamNode& source = graph.nodes()[static_cast<size_t>(edge.source)];
  const StreamNode& target = graph.nodes()[static_cast<size_t>(edge.target)];
  if (source.sink || target.source) throw graph_error("an edge leads from '{}' to '{}'", source.name, target.name);
  if (edge.target_input < 0 || edge.target_input >= target.num_inputs) {
    throw graph_error("'{}' has no input {}", target.name, edge.target_input);
  }
  if (edge.partitioning == Partitioning::kForward && source.parallelism != target.parallelism) {
    throw graph_error("a forward edge joins '{}' of parallelism {} and '{}' of {}", source.name, source.parallelism,
                      target.name, target.parallelism);
  }
  if (edge.partitioning == Partitioning::kHash && (!edge.key_selector || !edge.splitter)) {
    throw graph_error("the hash edge to '{}' has no key selector or no splitter", target.name);
  }
  if (edge.partitioning == Partitioning::kCustom && (!edge.partitioner || !edge.splitter)) {
    throw graph_error("the custom edge to '{}' has no partitioner or no splitter", target.name);
  }
}

/// Channels between tasks grow with the square of the parallelism, and each takes memory before a record has moved.
void check_channels(const StreamGraph& graph) {
  constexpr int64_t kChannelsMax = 1'000'000;
  int64_t channels = 0;
  for (const StreamEdge& edge : graph.edges()) {
    if (edge.partitioning == Partitioning::kForward) continue;
    const StreamNode& source = graph.nodes()[static_cast<size_t>(edge.source)];
    const StreamNode& target = graph.nodes()[static_cast<size_t>(edge.target)];
    channels += int64_t{source.parallelism} * target.parallelism;
    if (channels <= kChannelsMax) continue;
    throw user_error(7010,
                     "'{}' and '{}' have parallelism {} and {}: the job needs more than {} channels between its tasks, "
                     "all of them in this process; lower 'parallelism.default': more than the machine has cores seldom "
                     "gains anything",
                     source.name, target.name, source.parallelism, target.parallelism, kChannelsMax);
  }
}

void check_node(const StreamGraph& graph, const StreamNode& node, int max_parallelism, std::set<std::string>& uids) {
  if (node.parallelism < 1 || node.parallelism > max_parallelism) {
    throw user_error(7010,
                     "'{}' has parallelism {}, which must lie between 1 and the maximum parallelism {}; set "
                     "'parallelism.default' or 'pipeline.max-parallelism'",
                     node.name, node.parallelism, max_parallelism);
  }
  if (!uids.insert(node.uid).second) throw graph_error("uid '{}' is used twice", node.uid);
  for (int input = 0; input < node.num_inputs; ++input) {
    const bool fed = std::any_of(graph.edges().begin(), graph.edges().end(), [&](const StreamEdge& edge) {
      return edge.target == node.id && edge.target_input == input;
    });
    if (!fed) throw graph_error("input {} of '{}' is not connected", input, node.name);
  }
}

}  // namespace

JobGraph::JobGraph(const StreamGraph& graph, int max_parallelism) : graph_(graph), max_parallelism_(max_parallelism) {
  if (max_parallelism_ == 0) {
    int largest = 1;
    for (const StreamNode& node : graph_.nodes()) largest = std::max(largest, node.parallelism);
    max_parallelism_ = default_max_parallelism(largest);
  }
  check();
  chain_edges();
  build_vertices();
}

void JobGraph::check() const {
  if (graph_.nodes().empty()) throw graph_error("it has no nodes");
  std::set<std::string> uids;
  for (const StreamNode& node : graph_.nodes()) check_node(graph_, node, max_parallelism_, uids);
  for (const StreamEdge& edge : graph_.edges()) check_edge(graph_, edge);
  check_channels(graph_);
}

void JobGraph::chain_edges() {
  std::vector<int> num_in(graph_.nodes().size(), 0);
  for (const StreamEdge& edge : graph_.edges()) ++num_in[static_cast<size_t>(edge.target)];
  for (const StreamEdge& edge : graph_.edges()) {
    const StreamNode& target = node(edge.target);
    chained_.push_back(edge.partitioning == Partitioning::kForward && target.chain_with_input &&
                       num_in[static_cast<size_t>(edge.target)] == 1);
  }
}

std::vector<int> JobGraph::topological_order() const {
  std::vector<int> missing(graph_.nodes().size(), 0);
  for (const StreamEdge& edge : graph_.edges()) ++missing[static_cast<size_t>(edge.target)];
  std::vector<int> order;
  for (const StreamNode& node : graph_.nodes()) {
    if (missing[static_cast<size_t>(node.id)] == 0) order.push_back(node.id);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (const StreamEdge& edge : graph_.edges()) {
      if (edge.source == order[i] && --missing[static_cast<size_t>(edge.target)] == 0) order.push_back(edge.target);
    }
  }
  if (order.size() != graph_.nodes().size()) throw graph_error("it has a cycle");
  return order;
}

void JobGraph::build_vertices() {
  vertex_of_node_.assign(graph_.nodes().size(), -1);
  for (const int id : topological_order()) {
    int vertex = -1;
    for (size_t e = 0; e < graph_.edges().size(); ++e) {
      if (chained_[e] && graph_.edges()[e].target == id) vertex = vertex_of_node(graph_.edges()[e].source);
    }
    if (vertex < 0) {
      vertex = static_cast<int>(vertices_.size());
      vertices_.push_back({.id = vertex, .parallelism = node(id).parallelism});
    }
    JobVertex& chain = vertices_[static_cast<size_t>(vertex)];
    chain.name += (chain.nodes.empty() ? "" : " -> ") + node(id).name;
    chain.nodes.push_back(id);
    vertex_of_node_[static_cast<size_t>(id)] = vertex;
  }
  for (size_t e = 0; e < graph_.edges().size(); ++e) {
    if (chained_[e]) continue;
    const StreamEdge& edge = graph_.edges()[e];
    vertices_[static_cast<size_t>(vertex_of_node(edge.source))].out_edges.push_back(static_cast<int>(e));
    vertices_[static_cast<size_t>(vertex_of_node(edge.target))].in_edges.push_back(static_cast<int>(e));
  }
}

std::vector<int> JobGraph::upstream(int id) const {
  std::set<int> found;
  for (const int e : vertex(id).in_edges) found.insert(vertex_of_node(edge(e).source));
  return {found.begin(), found.end()};
}

}  // namespace yeoul
