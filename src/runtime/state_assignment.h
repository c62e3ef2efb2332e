#pragma once

#include <vector>

#include "yeoul/runtime/checkpoint.h"
#include "yeoul/runtime/job.h"
#include "yeoul/runtime/job_graph.h"
#include "yeoul/runtime/task_context.h"

namespace yeoul {

/// The maximum parallelism to run with: the checkpoint's, which must not contradict the configured one.
/// @throws user error 6012 naming both.
int max_parallelism_after_restore(const Checkpoint* restored, const JobConfig& config);

/// @throws user error 6011 listing the state of a checkpoint that no node of the graph has the uid of.
void check_all_state_matches(const Checkpoint& restored, const JobGraph& graph, const JobConfig& config);

/// By vertex: it had ended in the checkpoint, with all that feeds it.
std::vector<bool> finished_vertices(const Checkpoint& restored, const JobGraph& graph);

/// What one subtask of a node restores. At unchanged parallelism everything returns to its subtask; else splits, split
/// lists and writers' states are dealt out, union lists go to everyone, keyed state by key group.
RestoredNodeState restored_node_state(const Checkpoint& restored, const JobGraph& graph, int node, int subtask);

}  // namespace yeoul
