#include "yeoul/runtime/checkpoint.h"

#include <algorithm>

namespace yeoul {

bool NodeCheckpoint::finished() const {
  return !subtasks.empty() && std::all_of(subtasks.begin(), subtasks.end(), [](const auto& s) { return s.finished; });
}

bool NodeCheckpoint::holds_state() const {
  return enumerator || !committables.empty() ||
         std::any_of(subtasks.begin(), subtasks.end(), [](const auto& s) { return !s.empty(); });
}

const NodeCheckpoint* Checkpoint::find(std::string_view uid) const {
  const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const NodeCheckpoint& node) { return node.uid == uid; });
  return it == nodes.end() ? nullptr : &*it;
}

}  // namespace yeoul
