#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <typeindex>
#include <vector>

#include "yeoul/runtime/stream_graph.h"

namespace yeoul {

/// Side outputs of an operator that somebody reads, with the type of their records; an operator drops what goes to the
/// others, as Flink does. Filled while the job is described, read when it runs.
using ConnectedTags = std::map<std::string, std::type_index>;

/// One edge's end that a stream offers to the next operator.
struct StreamInput {
  int node = -1;
  std::string tag;  ///< of a side output; empty: the main output
  Partitioning partitioning = Partitioning::kForward;
  /// False: forward where both sides have the same parallelism, else round robin (Flink's default).
  bool partitioning_chosen = false;
  std::shared_ptr<const KeySelector> key_selector;
  std::shared_ptr<const RecordPartitioner> partitioner;
  std::shared_ptr<const BatchSplitter> splitter;
};

/// What a program has described so far: shared by an environment and its streams. Threads: one.
class StreamPlan {
 public:
  static constexpr int kDefaultParallelism = 0;

  int add_source(std::string name, std::shared_ptr<const Source> source,
                 std::shared_ptr<const SourceWatermarkStrategy> watermarks);
  /// @param inputs  for each input of the operator the edges that lead to it
  int add_operator(std::string name, std::shared_ptr<const OperatorFactory> factory,
                   const std::vector<std::vector<StreamInput>>& inputs);
  int add_sink(std::string name, std::shared_ptr<const Sink> sink, const std::vector<StreamInput>& inputs);

  StreamNode& node(int id) { return graph_.nodes()[static_cast<size_t>(id)]; }
  const StreamNode& node(int id) const { return graph_.nodes()[static_cast<size_t>(id)]; }
  /// At most 1, whatever is asked for: a collection as source, the sink that collects.
  void set_not_parallel(int id) { not_parallel_.insert(id); }
  /// @throws user error 7102 for less than 1, 7103 for more than 1 where it is not parallel
  void set_parallelism(int id, int parallelism);
  /// The operator is in a chain of its own, whatever comes before and behind it.
  void set_unchained(int id) { unchained_.insert(id); }
  /// So is every operator.
  void disable_chaining() { chaining_ = false; }
  void set_default_parallelism(int parallelism) { default_parallelism_ = parallelism; }
  int default_parallelism() const { return default_parallelism_; }

  /// Lets a translator add nodes whose parallelism is settled, which no job runs unless they are asked for: returns
  /// them for graph_of() and want().
  std::vector<int> add_nodes(const std::function<void(StreamGraph&)>& add);
  /// The next job runs these too.
  void want(const std::vector<int>& nodes) { added_.insert(added_.end(), nodes.begin(), nodes.end()); }
  int parallelism_of(int id) const { return parallelism_of(node(id)); }
  /// True when all sources that these edges lead from are bounded.
  bool bounded(const std::vector<StreamInput>& inputs) const;

  /// The graph of what was added since the last call, and of all it depends on; sources that nothing reads are left
  /// out. Partitionings and uids are settled: an operator without uid gets one of its kind and what it reads, which
  /// stays as long as that does not change. Names are no part of it, as in Flink.
  /// @throws user error 7101 when nothing was added, 7104 for a uid that is used twice
  StreamGraph take_graph(bool forget = true);
  /// The graph of these nodes and all they depend on, settled in the same way.
  StreamGraph graph_of(const std::vector<int>& nodes) const;
  /// Names of the sources and keyed operators of the next job that were given no uid.
  std::vector<std::string> stateful_without_uid() const;

 private:
  void connect(const std::vector<StreamInput>& inputs, int target, int target_input);
  std::vector<int> with_inputs(const std::vector<int>& nodes) const;
  int parallelism_of(const StreamNode& node) const;
  StreamEdge settled(StreamEdge edge, bool chosen) const;
  std::string uid_of_structure(int id, const std::map<int, std::string>& uids) const;

  StreamGraph graph_;
  std::vector<std::string> kinds_;  ///< by node: what it was called before name(); empty: has a uid
  std::vector<bool> chosen_;        ///< by edge: the partitioning was chosen
  std::set<int> not_parallel_;
  std::set<int> unchained_;
  bool chaining_ = true;
  std::vector<int> added_;  ///< since the last take_graph()
  int default_parallelism_ = 1;
};

}  // namespace yeoul
