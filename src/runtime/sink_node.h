#pragma once

#include <memory>
#include <utility>

#include "yeoul/runtime/chain_node.h"

namespace yeoul {

/// A sink's writer in a task. Committables are kept until a checkpoint that holds them is complete, so that those of a
/// failed checkpoint are part of the next. Threads: the task's.
class SinkNode final : public ChainNode {
 public:
  SinkNode(const StreamNode& node, TaskContext& context, NodeMetrics& metrics) : ChainNode(node, context, metrics) {}

  bool has_room() const override { return clear() && writer_->has_room(); }
  void open(RestoredNodeState& restored) override;
  void end_input(int input) override { (void)input; }
  bool continue_work() override;
  bool clear() const override { return ChainNode::clear() && !writer_->has_pending(); }
  void begin_prepare(int64_t checkpoint_id, bool end_of_input) override;
  bool prepared() const override { return prepared_; }
  NodeCapture capture(int64_t checkpoint_id) override;
  void notify_checkpoint_complete(int64_t checkpoint_id) override;

 private:
  bool ready() const override { return !writer_->has_pending() && writer_->has_room(); }
  void do_batch(int input, const BatchPtr& batch) override;
  void do_watermark(int64_t watermark) override { metrics_.watermark.set(watermark); }

  std::unique_ptr<SinkWriter> writer_;
  bool prepared_ = true;
  std::vector<std::pair<int64_t, std::vector<std::string>>> uncommitted_;  ///< by checkpoint
};

}  // namespace yeoul
