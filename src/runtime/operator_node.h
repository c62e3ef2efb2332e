#pragma once

#include <memory>

#include "yeoul/runtime/chain_node.h"

namespace yeoul {

/// An operator in a task: its context, its keyed state, its cursor. Threads: the task's.
class OperatorNode final : public ChainNode, private OperatorContext {
 public:
  OperatorNode(const StreamNode& node, TaskContext& context, NodeMetrics& metrics);

  NodeOutput* node_output() override { return &output_; }
  bool has_room() const override { return clear() && output_.targets_have_room(); }
  void open(RestoredNodeState& restored) override;
  void end_input(int input) override;
  void prepare_barrier() override;
  bool continue_work() override;
  bool clear() const override { return !open_ && ChainNode::clear(); }
  NodeCapture capture(int64_t checkpoint_id) override;
  void notify_checkpoint_complete(int64_t checkpoint_id) override;

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  bool ready() const override { return !open_; }
  void do_batch(int input, const BatchPtr& batch) override;
  void do_watermark(int64_t watermark) override;
  /// Calls the operator and finds out whether it kept a cursor.
  template <class Call>
  void call(Call&& function);
  void restore_keyed(RestoredNodeState& restored);
  void tell_of_new_states(const RestoredNodeState& restored);

  // OperatorContext:
  int subtask() const override { return context_.subtask; }
  int parallelism() const override { return context_.parallelism; }
  int max_parallelism() const override { return context_.max_parallelism; }
  const std::string& operator_name() const override { return node_.name; }
  const Clock& clock() const override { return context_.clock(); }
  KeyedStateBackend& keyed_state() override;
  const OperatorState& restored_operator_state() const override { return restored_state_; }
  void register_processing_timer(int64_t at_ms, std::function<void()> fire) override;
  void set_idle(bool idle) override {
    if (context_.set_idle) context_.set_idle(idle);
  }
  OperatorOutput& output() override { return output_; }
  int64_t batch_records_max() const override { return context_.config->batch_records_max; }
  MetricGroup& metric_group() override { return metrics_.own; }

  NodeOutput output_;
  KeyGroupRange range_;
  std::unique_ptr<KeyedStateBackend> keyed_;
  std::unique_ptr<Operator> operator_;  ///< after the state it points into
  OperatorState restored_state_;
  bool open_ = false;  ///< a cursor may be open
};

}  // namespace yeoul
