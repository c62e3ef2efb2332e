#include "yeoul/datastream/broadcast_state.h"

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// The stored entries of a broadcast map, its descriptor first; null where there are none.
const std::vector<std::string>* stored_list(const OperatorState& restored, const std::string& name) {
  if (const auto it = restored.broadcast_lists.find(name); it != restored.broadcast_lists.end()) return &it->second;
  // Checkpoints of format 2 hold them so, written by the first subtask.
  const auto it = restored.union_lists.find("broadcast/" + name);
  return it == restored.union_lists.end() ? nullptr : &it->second;
}

}  // namespace

OperatorState snapshot_broadcast(const std::vector<std::shared_ptr<BroadcastStateHandle>>& states) {
  OperatorState state;
  for (const auto& handle : states) {
    ByteWriter descriptor;
    handle->descriptor().write(descriptor);
    std::vector<std::string>& list = state.broadcast_lists[handle->descriptor().name];
    list.push_back(descriptor.take());
    handle->write(list);
  }
  return state;
}

void restore_broadcast(const std::vector<std::shared_ptr<BroadcastStateHandle>>& states,
                       const OperatorState& restored) {
  for (const auto& handle : states) {
    const std::vector<std::string>* list = stored_list(restored, handle->descriptor().name);
    if (list == nullptr || list->empty()) continue;
    ByteReader in(list->front());
    const StateDescriptor stored = StateDescriptor::read(in);
    if (!(stored == handle->descriptor())) {
      throw user_error(6010, "the checkpoint holds broadcast {}, but the program has {}; give the new one another name",
                       stored.to_string(), handle->descriptor().to_string());
    }
    handle->read({list->begin() + 1, list->end()});
  }
}

void throw_unknown_broadcast_state(const std::string& name) {
  throw user_error(7114,
                   "broadcast state '{}' is not known here, or has other types: pass the same MapStateDescriptor to "
                   "broadcast()",
                   name);
}

}  // namespace yeoul
