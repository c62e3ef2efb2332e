#pragma once

#include <map>
#include <string>
#include <vector>

namespace yeoul {

/// Operator (non-keyed) state of one subtask: named lists of byte strings. On a restore at another parallelism a split
/// list's elements are dealt out round robin, a union list goes whole to everyone (Flink's ListState and
/// UnionListState).
struct OperatorState {
  std::map<std::string, std::vector<std::string>> split_lists;
  std::map<std::string, std::vector<std::string>> union_lists;
  bool empty() const { return split_lists.empty() && union_lists.empty(); }
};

}  // namespace yeoul
