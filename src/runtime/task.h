#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/runtime/chain.h"
#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/runtime/input_gate.h"
#include "yeoul/runtime/stream_element.h"
#include "yeoul/runtime/task_context.h"
#include "yeoul/runtime/task_listener.h"
#include "yeoul/runtime/task_times.h"
#include "yeoul/runtime/watermark_combiner.h"

namespace yeoul {

/// What a task is made of. The channels outlive it.
struct TaskSetup {
  const JobGraph* graph = nullptr;
  int vertex = 0;
  int subtask = 0;
  const JobConfig* config = nullptr;
  const JobEnvironment* environment = nullptr;
  Executor* executor = nullptr;
  ThreadPool* io_pool = nullptr;
  TaskListener* listener = nullptr;
  std::shared_ptr<Mailbox> mailbox;
  TaskTimes* times = nullptr;                  ///< told what the task's thread does
  std::shared_ptr<CheckpointStorage> storage;  ///< null: no checkpoints
  std::vector<InputGate::Input> inputs;
  std::vector<std::pair<int, std::unique_ptr<Exchange>>> exchanges;  ///< by edge
  std::map<int, NodeSetup> nodes;
  bool finished = false;  ///< it had ended in the checkpoint restored from: it is not run again
};

/// One chain of nodes in one subtask, on one thread (D5). step() never blocks: it runs one mail or handles one element.
/// Threads: the task's, but for the calls that post mail.
class Task {
 public:
  explicit Task(TaskSetup setup);
  ~Task();

  Step step();
  /// step(), with a failure reported to the listener and the task over then.
  Step guarded_step();
  /// Drops the nodes and reports the end, on the task's thread. False: it has been called before.
  bool close();
  /// After a step that did nothing: milliseconds until a timer is due; -1: none is, or none fires before the task is
  /// woken (there is no room, or a sink prepares).
  int64_t wait_ms() const;
  /// Tells the metrics what the thread does from now on.
  void note_use(TaskTimes::Use use) { times_->switch_to(use, context_.clock().steady_ns()); }
  /// After an idle step: it had no room behind it.
  bool blocked() const { return blocked_; }
  Mailbox& mailbox() { return *context_.mailbox; }
  const std::string& name() const { return name_; }
  int vertex() const { return context_.vertex; }
  int subtask() const { return context_.subtask; }

  // Any thread:
  void trigger_checkpoint(int64_t checkpoint_id);
  void abort_checkpoint(int64_t checkpoint_id);
  void notify_checkpoint_complete(int64_t checkpoint_id);
  void add_splits(std::vector<SourceSplit> splits);
  void notify_no_more_splits();
  void handle_source_event(std::string event);
  void set_others_watermark(int64_t watermark);

 private:
  friend class Sabotage;  // plants bugs for the simulator; only in `testing`
  /// A checkpoint between its barrier and its snapshot.
  struct PendingBarrier {
    int64_t checkpoint_id = 0;
    std::vector<SourceSplit> splits;  ///< the reader's, as of the trigger
    size_t num_prepared = 0;          ///< nodes that have flushed before the barrier
    bool emitted = false;             ///< the barrier has left, sinks have begun to prepare
  };
  enum class Phase { kRunning, kFlushing, kEnding, kFlushed };

  Step idle(bool blocked) {
    blocked_ = blocked;
    return Step::kIdle;
  }
  void open();
  void open_finished();
  bool fire_timer();
  Step step_input();
  void handle(size_t channel, StreamElement element);
  void handle_status(size_t channel, bool idle);
  void begin_trigger(int64_t checkpoint_id);
  void begin_barrier(PendingBarrier barrier);
  Step step_barrier();
  bool sinks_prepared() const;
  void begin_sinks(int64_t checkpoint_id);
  void snapshot();
  void write_snapshot(TaskAck ack, std::vector<NodeCapture> captures);
  void begin_flush(size_t first);
  Step step_flush();
  void end_flush();
  Step step_ending();
  void complete(int64_t checkpoint_id);
  void finish();
  std::exception_ptr with_context(std::exception_ptr failure) const;

  const JobGraph& graph_;
  const JobVertex& vertex_;
  std::string name_;
  TaskContext context_;
  std::shared_ptr<CheckpointStorage> storage_;
  TaskTimes* times_;
  std::map<int, NodeSetup> nodes_;
  std::unique_ptr<Chain> chain_;
  InputGate gate_;
  WatermarkCombiner combiner_;

  bool restored_finished_;
  bool opened_ = false;
  bool heeds_timers_ = false;  ///< the last step looked at timers; else what is due waits for something else
  bool closed_ = false;
  bool done_ = false;
  bool failed_ = false;
  bool blocked_ = false;
  Phase phase_ = Phase::kRunning;
  size_t flushed_nodes_ = 0;
  std::deque<PendingBarrier> barriers_;  ///< the first is being handled
  int64_t self_trigger_ = 0;             ///< a trigger that waits for all channels to close
  int64_t finished_in_ = 0;              ///< first checkpoint acknowledged as finished
};

/// Runs a task until it is done or stopped: the only place that waits.
void run_on_thread(Task& task, std::stop_token stop);

}  // namespace yeoul
