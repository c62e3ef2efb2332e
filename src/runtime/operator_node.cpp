#include "yeoul/runtime/operator_node.h"

#include "yeoul/common/hash.h"
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
    const std::string bytes = context_.environment->files->read_file(part.path);
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
  if (unmatched.empty() || context_.config->allow_non_restored_state) return;
  std::sort(unmatched.begin(), unmatched.end());
  unmatched.erase(std::unique(unmatched.begin(), unmatched.end()), unmatched.end());
  throw user_error(6011,
                   "the checkpoint holds states that this operator does not have: {}; to drop them set "
                   "'execution.state-recovery.ignore-unclaimed-state' = 'true'",
                   fmt::join(unmatched, ", "));
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
