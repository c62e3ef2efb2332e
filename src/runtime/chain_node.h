#pragma once

#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "yeoul/runtime/node_metrics.h"
#include "yeoul/runtime/node_output.h"
#include "yeoul/runtime/task_context.h"
#include "yeoul/runtime/task_listener.h"

namespace yeoul {

/// A node's state as captured on the task's thread, before it is written.
struct NodeCapture {
  NodeAck ack;
  std::unique_ptr<KeyedSnapshot> keyed;
  KeyGroupRange range;
};

/// Run state of one operator or sink in a task. The node before it calls it directly; what comes while it cannot take
/// more waits in a queue, so that "no new input while a cursor is open" holds whatever the node before does.
/// Threads: the task's.
class ChainNode : public OutputTarget {
 public:
  ChainNode(const StreamNode& node, TaskContext& context, NodeMetrics& metrics)
      : node_(node), context_(context), metrics_(metrics) {}

  const StreamNode& node() const { return node_; }
  virtual NodeOutput* node_output() { return nullptr; }

  // From the node before:
  void batch(const BatchPtr& batch) final;
  void watermark(int64_t watermark) final;

  // From the task; the node is clear then:
  virtual void open(RestoredNodeState& restored) = 0;
  void process_batch(int input, const BatchPtr& batch);
  void process_watermark(int64_t watermark);
  virtual void end_input(int input) = 0;
  virtual void prepare_barrier() {}
  /// Goes on with a cursor or with what is queued, if there is room. False: it could not.
  virtual bool continue_work() = 0;
  /// No cursor is open and nothing is queued.
  virtual bool clear() const { return pending_.empty(); }
  /// Sinks: begins the first phase of a checkpoint (0: none, the end of input without checkpoints).
  virtual void begin_prepare(int64_t checkpoint_id, bool end_of_input) { (void)checkpoint_id, (void)end_of_input; }
  /// Sinks: the first phase is over.
  virtual bool prepared() const { return true; }
  virtual NodeCapture capture(int64_t checkpoint_id) = 0;
  virtual void notify_checkpoint_complete(int64_t checkpoint_id) = 0;

 protected:
  /// May take a batch now.
  virtual bool ready() const = 0;
  virtual void do_batch(int input, const BatchPtr& batch) = 0;
  virtual void do_watermark(int64_t watermark) = 0;
  /// Hands on what is queued while the node is ready.
  void drain();
  /// Runs a call into the node's own code, so that a failure in it is named after it.
  template <class Call>
  void enter(Call&& call) {
    const std::string* outer = context_.current_node;
    context_.current_node = &node_.name;
    NodeMetrics* const running = context_.switch_to(&metrics_);
    call();
    context_.switch_to(running);
    context_.current_node = outer;  // not on an exception: whoever catches it reads the name
  }

  const StreamNode& node_;
  TaskContext& context_;
  NodeMetrics& metrics_;

 private:
  std::deque<std::variant<BatchPtr, int64_t>> pending_;
};

}  // namespace yeoul
