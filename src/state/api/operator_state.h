#pragma once

#include <map>
#include <string>
#include <vector>

namespace yeoul {

/// Operator (non-keyed) state of one subtask: named lists of byte strings. On a restore at another parallelism a split
/// list's elements are dealt out round robin, a union list goes whole to everyone (Flink's ListState and
/// UnionListState). Broadcast lists are the same in all subtasks and each writes its copy, since any of them may have
/// ended; a restored subtask gets one copy: its own, else another's (Flink's BroadcastState).
struct OperatorState {
  std::map<std::string, std::vector<std::string>> split_lists;
  std::map<std::string, std::vector<std::string>> union_lists;
  std::map<std::string, std::vector<std::string>> broadcast_lists;
  bool empty() const { return split_lists.empty() && union_lists.empty() && broadcast_lists.empty(); }
};

}  // namespace yeoul
