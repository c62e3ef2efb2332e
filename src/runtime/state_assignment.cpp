#include "yeoul/runtime/state_assignment.h"

#include <algorithm>

#include "yeoul/state/api/key_groups.h"

namespace yeoul {
namespace {

/// Deals elements out round robin over subtasks.
template <class T>
std::vector<T> dealt(const std::vector<T>& all, int subtask, int parallelism) {
  std::vector<T> mine;
  for (size_t i = static_cast<size_t>(subtask); i < all.size(); i += static_cast<size_t>(parallelism)) {
    mine.push_back(all[i]);
  }
  return mine;
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The subtask's own copy of the broadcast lists where it has one, else one of those that there are.
std::map<std::string, std::vector<std::string>> broadcast_lists(const NodeCheckpoint& node, int subtask,
                                                                int parallelism) {
  std::vector<const OperatorState*> copies;
  for (size_t i = 0; i < node.subtasks.size(); ++i) {
    const OperatorState& state = node.subtasks[i].operator_state;
    if (state.broadcast_lists.empty()) continue;  // it had ended
    if (static_cast<int>(node.subtasks.size()) == parallelism && static_cast<int>(i) == subtask) {
      return state.broadcast_lists;
    }
    copies.push_back(&state);
  }
  if (copies.empty()) return {};
  return copies[static_cast<size_t>(subtask) % copies.size()]->broadcast_lists;
}

OperatorState operator_state(const NodeCheckpoint& node, int subtask, int parallelism) {
  OperatorState all;
  for (const SubtaskState& state : node.subtasks) {
    for (const auto& [name, elements] : state.operator_state.split_lists) append(all.split_lists[name], elements);
    for (const auto& [name, elements] : state.operator_state.union_lists) append(all.union_lists[name], elements);
  }
  const bool unchanged = static_cast<int>(node.subtasks.size()) == parallelism;
  OperatorState mine{.union_lists = std::move(all.union_lists),
                     .broadcast_lists = broadcast_lists(node, subtask, parallelism)};
  if (unchanged) {
    mine.split_lists = node.subtasks[static_cast<size_t>(subtask)].operator_state.split_lists;
    return mine;
  }
  for (const auto& [name, elements] : all.split_lists) {
    std::vector<std::string> part = dealt(elements, subtask, parallelism);
    if (!part.empty()) mine.split_lists.emplace(name, std::move(part));
  }
  return mine;
}

std::vector<SourceSplit> splits(const NodeCheckpoint& node, int subtask, int parallelism) {
  if (static_cast<int>(node.subtasks.size()) == parallelism) return node.subtasks[static_cast<size_t>(subtask)].splits;
  std::vector<SourceSplit> all;
  for (const SubtaskState& state : node.subtasks) all.insert(all.end(), state.splits.begin(), state.splits.end());
  std::sort(all.begin(), all.end(), [](const SourceSplit& a, const SourceSplit& b) { return a.id < b.id; });
  return dealt(all, subtask, parallelism);
}

std::vector<std::string> writer_states(const NodeCheckpoint& node, int subtask, int parallelism) {
  std::vector<std::string> all;
  for (size_t i = 0; i < node.subtasks.size(); ++i) {
    const auto& state = node.subtasks[i].writer_state;
    const bool unchanged = static_cast<int>(node.subtasks.size()) == parallelism;
    if (!state || (unchanged && static_cast<int>(i) != subtask)) continue;
    all.push_back(*state);
  }
  return static_cast<int>(node.subtasks.size()) == parallelism ? all : dealt(all, subtask, parallelism);
}

std::vector<RestoredKeyedPart> keyed_parts(const Checkpoint& restored, const NodeCheckpoint& node,
                                           KeyGroupRange range) {
  std::vector<RestoredKeyedPart> parts;
  for (const SubtaskState& state : node.subtasks) {
    if (!state.keyed) continue;
    RestoredKeyedPart part{.path = restored.path + "/" + state.keyed->file, .descriptors = state.keyed->descriptors};
    for (const KeyedStateFile::Group& group : state.keyed->groups) {
      if (range.contains(group.group)) part.groups.push_back(group);
    }
    if (!part.groups.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

int max_parallelism_after_restore(const Checkpoint* restored, const JobConfig& config) {
  if (restored == nullptr) return config.max_parallelism;
  if (config.max_parallelism != 0 && config.max_parallelism != restored->max_parallelism) {
    throw user_error(6012,
                     "checkpoint '{}' was made with maximum parallelism {}, but 'pipeline.max-parallelism' is {}; "
                     "it cannot change while state is kept: set it to {} or leave it out",
                     restored->path, restored->max_parallelism, config.max_parallelism, restored->max_parallelism);
  }
  return restored->max_parallelism;
}

void check_all_state_matches(const Checkpoint& restored, const JobGraph& graph, const JobConfig& config) {
  if (config.allow_non_restored_state) return;
  std::vector<std::string> unmatched;
  const auto& nodes = graph.stream_graph().nodes();
  for (const NodeCheckpoint& stored : restored.nodes) {
    const bool known =
        std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.uid == stored.uid; });
    if (!known && stored.holds_state()) unmatched.push_back(fmt::format("'{}' (uid {})", stored.name, stored.uid));
  }
  if (unmatched.empty()) return;
  throw user_error(6011,
                   "checkpoint '{}' holds state that matches no operator of this job: {}; to drop it set "
                   "'execution.state-recovery.ignore-unclaimed-state' = 'true'",
                   restored.path, fmt::join(unmatched, ", "));
}

std::vector<bool> finished_vertices(const Checkpoint& restored, const JobGraph& graph) {
  std::vector<bool> finished;
  for (const JobVertex& vertex : graph.vertices()) {
    const bool nodes = std::all_of(vertex.nodes.begin(), vertex.nodes.end(), [&](int node) {
      const NodeCheckpoint* stored = restored.find(graph.node(node).uid);
      return stored != nullptr && stored->finished();
    });
    const std::vector<int> upstream = graph.upstream(vertex.id);
    finished.push_back(nodes && std::all_of(upstream.begin(), upstream.end(),
                                            [&](int id) { return finished[static_cast<size_t>(id)]; }));
  }
  return finished;
}

RestoredNodeState restored_node_state(const Checkpoint& restored, const JobGraph& graph, int node, int subtask) {
  RestoredNodeState state;
  const NodeCheckpoint* stored = restored.find(graph.node(node).uid);
  if (stored == nullptr) return state;
  const int parallelism = graph.node(node).parallelism;
  state.restored = true;
  state.operator_state = operator_state(*stored, subtask, parallelism);
  state.splits = splits(*stored, subtask, parallelism);
  state.writer_states = writer_states(*stored, subtask, parallelism);
  state.keyed = keyed_parts(restored, *stored, key_groups_of_subtask(subtask, graph.max_parallelism(), parallelism));
  return state;
}

}  // namespace yeoul
