#pragma once

#include <string>
#include <vector>

#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// A chain of nodes that run in one task, by direct calls.
struct JobVertex {
  int id = -1;
  std::string name;  ///< "Source: a -> Filter -> Sink: b"
  int parallelism = 1;
  std::vector<int> nodes;      ///< node ids; each after the one that feeds it, the head first
  std::vector<int> in_edges;   ///< numbers of the edges that enter the head from other vertices
  std::vector<int> out_edges;  ///< numbers of the edges that leave
};

/// A stream graph cut into chains. Const after construction.
class JobGraph {
 public:
  /// Chains forward edges to nodes with one input edge at equal parallelism.
  /// @param max_parallelism  0: Flink's default for the largest parallelism
  /// @throws internal error 9010 for a graph that no translator should make, user error 7010 for a parallelism above
  ///         the maximum, or one that needs more channels than can be meant.
  JobGraph(const StreamGraph& graph, int max_parallelism);

  const StreamGraph& stream_graph() const { return graph_; }
  const StreamNode& node(int id) const { return graph_.nodes()[static_cast<size_t>(id)]; }
  const StreamEdge& edge(int id) const { return graph_.edges()[static_cast<size_t>(id)]; }
  /// Each after those that feed it.
  const std::vector<JobVertex>& vertices() const { return vertices_; }
  const JobVertex& vertex(int id) const { return vertices_[static_cast<size_t>(id)]; }
  int vertex_of_node(int node) const { return vertex_of_node_[static_cast<size_t>(node)]; }
  bool chained(int edge) const { return chained_[static_cast<size_t>(edge)]; }
  /// Vertices that feed this one; each once.
  std::vector<int> upstream(int vertex) const;
  int max_parallelism() const { return max_parallelism_; }

 private:
  void check() const;
  std::vector<int> topological_order() const;
  void chain_edges();
  void build_vertices();

  StreamGraph graph_;
  int max_parallelism_;
  std::vector<bool> chained_;
  std::vector<int> vertex_of_node_;
  std::vector<JobVertex> vertices_;
};

}  // namespace yeoul
