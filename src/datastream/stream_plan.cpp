#include "yeoul/datastream/stream_plan.h"

#include <algorithm>
#include <map>

#include "yeoul/common/error.h"
#include "yeoul/common/hash.h"

namespace yeoul {

int StreamPlan::add_source(std::string name, std::shared_ptr<const Source> source,
                           std::shared_ptr<const SourceWatermarkStrategy> watermarks) {
  kinds_.push_back("Source");
  return graph_.add_source("Source: " + name, "", kDefaultParallelism, std::move(source), std::move(watermarks));
}

int StreamPlan::add_operator(std::string name, std::shared_ptr<const OperatorFactory> factory,
                             const std::vector<std::vector<StreamInput>>& inputs) {
  kinds_.push_back(name);
  const int id = graph_.add_operator(std::move(name), "", kDefaultParallelism, static_cast<int>(inputs.size()),
                                     std::move(factory));
  for (size_t input = 0; input < inputs.size(); ++input) connect(inputs[input], id, static_cast<int>(input));
  added_.push_back(id);
  return id;
}

int StreamPlan::add_sink(std::string name, std::shared_ptr<const Sink> sink, const std::vector<StreamInput>& inputs) {
  kinds_.push_back(name);
  const int id = graph_.add_sink(std::move(name), "", kDefaultParallelism, std::move(sink));
  connect(inputs, id, 0);
  added_.push_back(id);
  return id;
}

void StreamPlan::connect(const std::vector<StreamInput>& inputs, int target, int target_input) {
  for (const StreamInput& from : inputs) {
    graph_.connect({.source = from.node,
                    .target = target,
                    .target_input = target_input,
                    .output_tag = from.tag,
                    .partitioning = from.partitioning,
                    .key_selector = from.key_selector,
                    .partitioner = from.partitioner,
                    .splitter = from.splitter});
    chosen_.push_back(from.partitioning_chosen);
  }
}

void StreamPlan::set_parallelism(int id, int parallelism) {
  if (parallelism < 1) {
    throw user_error(7102, "'{}' is given parallelism {}; it must be 1 or more", node(id).name, parallelism);
  }
  if (parallelism > 1 && not_parallel_.contains(id)) {
    throw user_error(7103, "'{}' is given parallelism {}, but it cannot run in parallel: leave it at 1", node(id).name,
                     parallelism);
  }
  node(id).parallelism = parallelism;
}

int StreamPlan::parallelism_of(const StreamNode& node) const {
  if (not_parallel_.contains(node.id)) return 1;
  return node.parallelism == kDefaultParallelism ? default_parallelism_ : node.parallelism;
}

std::vector<int> StreamPlan::add_nodes(const std::function<void(StreamGraph&)>& add) {
  const size_t first = graph_.nodes().size();
  add(graph_);
  chosen_.resize(graph_.edges().size(), false);
  kinds_.resize(graph_.nodes().size());
  std::vector<int> added;
  for (size_t id = first; id < graph_.nodes().size(); ++id) added.push_back(static_cast<int>(id));
  return added;
}

/// The nodes and all that feeds them, ascending.
std::vector<int> StreamPlan::with_inputs(const std::vector<int>& nodes) const {
  std::set<int> wanted(nodes.begin(), nodes.end());
  std::vector<int> todo = nodes;
  while (!todo.empty()) {
    const int id = todo.back();
    todo.pop_back();
    for (const StreamEdge& edge : graph_.edges()) {
      if (edge.target == id && wanted.insert(edge.source).second) todo.push_back(edge.source);
    }
  }
  return {wanted.begin(), wanted.end()};
}

bool StreamPlan::bounded(const std::vector<StreamInput>& inputs) const {
  std::vector<int> nodes;
  for (const StreamInput& input : inputs) nodes.push_back(input.node);
  const std::vector<int> all = with_inputs(nodes);
  return std::all_of(all.begin(), all.end(), [&](int id) { return !node(id).source || node(id).source->bounded(); });
}

StreamEdge StreamPlan::settled(StreamEdge edge, bool chosen) const {
  const int from = parallelism_of(node(edge.source));
  const int to = parallelism_of(node(edge.target));
  if (from == 1 && to == 1) {
    // One subtask on both sides: every way of dealing out is the same, and the operators can be chained.
    edge.partitioning = Partitioning::kForward;
  } else if (edge.partitioning == Partitioning::kForward && from != to) {
    if (chosen) {
      throw user_error(7105, "forward() leads from '{}' with parallelism {} to '{}' with {}: they must be equal",
                       node(edge.source).name, from, node(edge.target).name, to);
    }
    edge.partitioning = Partitioning::kRebalance;
  }
  return edge;
}

/// Of inputs that were given uids these count, so that what lies before them may change.
std::string StreamPlan::uid_of_structure(int id, const std::map<int, std::string>& uids) const {
  std::string inputs;
  for (const StreamEdge& edge : graph_.edges()) {
    if (edge.target != id) continue;
    inputs += fmt::format("{}\n{}\n{}\n", edge.target_input, edge.output_tag, uids.at(edge.source));
  }
  return fmt::format("{}#{:08x}", kinds_[static_cast<size_t>(id)], murmur3_32(inputs));
}

std::vector<std::string> StreamPlan::stateful_without_uid() const {
  std::vector<std::string> names;
  for (const int id : with_inputs(added_)) {
    const StreamNode& known = node(id);
    const bool stateful = known.source || (known.operator_factory && known.operator_factory->keyed());
    if (stateful && known.uid.empty()) names.push_back(known.name);
  }
  return names;
}

StreamGraph StreamPlan::take_graph(bool forget) {
  if (added_.empty()) {
    throw user_error(7101,
                     "there is nothing to execute: no operator and no sink was added to a stream since the last "
                     "execute()");
  }
  StreamGraph result = graph_of(added_);
  if (forget) added_.clear();
  return result;
}

StreamGraph StreamPlan::graph_of(const std::vector<int>& nodes) const {
  StreamGraph result;
  std::map<int, int> new_id;
  std::map<std::string, int> count_of_structure;
  std::map<int, std::string> uid_of;
  std::set<std::string> uids;
  for (const int id : with_inputs(nodes)) {
    StreamNode copy = node(id);
    copy.id = static_cast<int>(result.nodes().size());
    copy.parallelism = parallelism_of(node(id));
    if (copy.uid.empty()) {
      copy.uid = uid_of_structure(id, uid_of);
      if (const int count = ++count_of_structure[copy.uid]; count > 1) copy.uid += fmt::format("-{}", count);
    }
    uid_of[id] = copy.uid;
    if (!uids.insert(copy.uid).second) {
      throw user_error(7104, "uid '{}' is given to '{}' and to another operator: uids must differ", copy.uid,
                       copy.name);
    }
    new_id[id] = copy.id;
    result.nodes().push_back(std::move(copy));
  }
  for (size_t e = 0; e < graph_.edges().size(); ++e) {
    if (!new_id.contains(graph_.edges()[e].target)) continue;
    StreamEdge edge = settled(graph_.edges()[e], chosen_[e]);
    const bool unchained = !chaining_ || unchained_.contains(edge.source) || unchained_.contains(edge.target);
    edge.source = new_id.at(edge.source);
    edge.target = new_id.at(edge.target);
    if (unchained) result.nodes()[static_cast<size_t>(edge.target)].chain_with_input = false;
    result.connect(std::move(edge));
  }
  return result;
}

}  // namespace yeoul
