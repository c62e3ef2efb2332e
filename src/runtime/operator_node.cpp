#include "yeoul/runtime/operator_node.h"

#include <algorithm>

#include "yeoul/common/hash.h"
#include "yeoul/common/log.h"
#include "yeoul/runtime/keyed_state_writer.h"
#include "yeoul/state/api/key_groups.h"

namespace yeoul {

OperatorNode::OperatorNode(const StreamNode& node, TaskContext& context, NodeMetrics& metrics)
    : ChainNode(node, context, metrics),
      output_(node.name, metrics),
      range_(key_groups_of_subtask(context.subtask, context.max_parallelism, context.parallelism)),
      operator_(node.operator_factory->create()) {}

template <class Call>
void OperatorNode::call(Call&& function) {
  enter([&] {
    output_.take_cut();
    function();
    open_ = output_.take_cut() || !operator_->resume(output_);
  });
}

void OperatorNode::open(RestoredNodeState& restored) {
  restored_state_ = std::move(restored.operator_state);
  enter([&] {
    operator_->open(*this);
    restore_keyed(restored);
  });
  restored_state_ = {};
}

void OperatorNode::restore_keyed(RestoredNodeState& restored) {
  std::vector<std::string> unmatched;
  for (const RestoredKeyedPart& part : restored.keyed) {
    if (!node_.operator_factory->keyed()) {
      for (const StateDescriptor& descriptor : part.descriptors) unmatched.push_back(descriptor.name);
      continue;
    }
    const std::string bytes = read_keyed_state(*context_.environment->files, part.path);
    for (const KeyedStateFile::Group& group : part.groups) {
      if (group.offset > bytes.size() || group.size > bytes.size() - group.offset ||
          crc32_of(std::string_view(bytes).substr(group.offset, group.size)) != group.checksum) {
        throw external_error(6002,
                             "'{}' is damaged: key group {} does not match its checksum; restore from an older "
                             "checkpoint",
                             part.path, group.group);
      }
      keyed_state().restore_group(group.group, std::string_view(bytes).substr(group.offset, group.size),
                                  part.descriptors, unmatched);
    }
  }
  if (context_.subtask == 0) tell_of_new_states(restored);
  if (unmatched.empty() || context_.config->allow_non_restored_state) return;
  std::sort(unmatched.begin(), unmatched.end());
  unmatched.erase(std::unique(unmatched.begin(), unmatched.end()), unmatched.end());
  throw user_error(6011,
                   "the checkpoint holds states that this operator does not have: {}; to drop them set "
                   "'execution.state-recovery.ignore-unclaimed-state' = 'true'",
                   fmt::join(unmatched, ", "));
}

/// An operator may hold more than the checkpoint does (an aggregate was added): that is allowed, but not in silence.
void OperatorNode::tell_of_new_states(const RestoredNodeState& restored) {
  if (restored.keyed.empty() || !node_.operator_factory->keyed()) return;
  std::vector<std::string> added;
  for (const StateDescriptor& own : keyed_state().descriptors()) {
    const auto same = [&](const StateDescriptor& stored) { return stored.name == own.name; };
    const bool held = std::any_of(restored.keyed.begin(), restored.keyed.end(), [&](const RestoredKeyedPart& part) {
      return std::any_of(part.descriptors.begin(), part.descriptors.end(), same);
    });
    if (!held) added.push_back(own.name);
  }
  if (added.empty()) return;
  log(LogLevel::kWarn, "checkpoint",
      "the checkpoint holds no {} of operator '{}': for keys that it knows they count from now on only",
      fmt::join(added, ", "), node_.name);
}

void OperatorNode::do_batch(int input, const BatchPtr& batch) {
  call([&] { operator_->process_batch(input, batch, output_); });
}

void OperatorNode::do_watermark(int64_t watermark) {
  call([&] { operator_->process_watermark(watermark, output_); });
}

void OperatorNode::end_input(int input) {
  call([&] { operator_->end_input(input, output_); });
}

void OperatorNode::prepare_barrier() {
  call([&] { operator_->prepare_barrier(output_); });
}

bool OperatorNode::continue_work() {
  if (clear() || !output_.targets_have_room()) return false;
  if (open_) call([] {});
  drain();
  return true;
}

NodeCapture OperatorNode::capture(int64_t checkpoint_id) {
  NodeCapture capture{.ack = {.node = node_.id}, .range = range_};
  enter([&] {
    capture.ack.state.operator_state = operator_->snapshot(checkpoint_id);
    if (keyed_) capture.keyed = keyed_->snapshot();
  });
  return capture;
}

void OperatorNode::notify_checkpoint_complete(int64_t checkpoint_id) {
  enter([&] { operator_->notify_checkpoint_complete(checkpoint_id); });
}

KeyedStateBackend& OperatorNode::keyed_state() {
  if (!keyed_) {
    YEOUL_CHECK(node_.operator_factory->keyed(), "'{}' is not keyed", node_.name);
    const StateBackendFactory* factory = context_.environment->state_backend;
    YEOUL_CHECK(factory != nullptr, "no state backend for '{}'", node_.name);
    keyed_ = factory->create(range_, context_.max_parallelism);
  }
  return *keyed_;
}

void OperatorNode::register_processing_timer(int64_t at_ms, std::function<void()> fire) {
  context_.wall_timers.add(at_ms, [this, fire = std::move(fire)] { call(fire); });
}

}  // namespace yeoul
