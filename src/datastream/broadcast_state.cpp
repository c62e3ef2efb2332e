#include "yeoul/datastream/broadcast_state.h"

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

std::string list_name(const StateDescriptor& descriptor) {
  return "broadcast/" + descriptor.name;
}

}  // namespace

OperatorState snapshot_broadcast(const std::vector<std::shared_ptr<BroadcastStateHandle>>& states, int subtask) {
  OperatorState state;
  if (subtask != 0) return state;
  for (const auto& handle : states) {
    ByteWriter descriptor;
    handle->descriptor().write(descriptor);
    std::vector<std::string>& list = state.union_lists[list_name(handle->descriptor())];
    list.push_back(descriptor.take());
    handle->write(list);
  }
  return state;
}

void restore_broadcast(const std::vector<std::shared_ptr<BroadcastStateHandle>>& states,
                       const OperatorState& restored) {
  for (const auto& handle : states) {
    const auto it = restored.union_lists.find(list_name(handle->descriptor()));
    if (it == restored.union_lists.end() || it->second.empty()) continue;
    ByteReader in(it->second.front());
    const StateDescriptor stored = StateDescriptor::read(in);
    if (!(stored == handle->descriptor())) {
      throw user_error(6010, "the checkpoint holds broadcast {}, but the program has {}; give the new one another name",
                       stored.to_string(), handle->descriptor().to_string());
    }
    handle->read({it->second.begin() + 1, it->second.end()});
  }
}

void throw_unknown_broadcast_state(const std::string& name) {
  throw user_error(7114,
                   "broadcast state '{}' is not known here, or has other types: pass the same MapStateDescriptor to "
                   "broadcast()",
                   name);
}

}  // namespace yeoul
