#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "yeoul/common/clock.h"
#include "yeoul/common/metric_group.h"
#include "yeoul/state/api/keyed_state.h"
#include "yeoul/state/api/operator_state.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// The watermark after the last record of a bounded stream.
inline constexpr int64_t kMaxWatermark = std::numeric_limits<int64_t>::max();
/// Before any watermark.
inline constexpr int64_t kMinWatermark = std::numeric_limits<int64_t>::min();

/// Takes what an operator emits: the next operator of the chain, or the task's exchange. Threads: the task's.
class OperatorOutput {
 public:
  virtual ~OperatorOutput() = default;
  /// To the main output.
  virtual void emit(BatchPtr batch) = 0;
  /// To a named side output (late rows, dead letters); dropped nowhere: an unconnected tag is an internal error.
  virtual void emit_side(std::string_view tag, BatchPtr batch) = 0;
  virtual void emit_watermark(int64_t watermark) = 0;
  /// False: stop emitting soon; keep a cursor and go on in resume() (D5).
  virtual bool has_room() const = 0;
};

/// What an operator gets from its task.
class OperatorContext {
 public:
  virtual ~OperatorContext() = default;
  virtual int subtask() const = 0;
  virtual int parallelism() const = 0;
  virtual int max_parallelism() const = 0;
  virtual const std::string& operator_name() const = 0;
  virtual const Clock& clock() const = 0;
  /// Keyed state; only behind a hash exchange. Register all states in open().
  virtual KeyedStateBackend& keyed_state() = 0;
  /// Operator state restored from a checkpoint; empty at a fresh start.
  virtual const OperatorState& restored_operator_state() const = 0;
  /// Calls `fire` on the task's thread once the wall clock has reached `at_ms`. Not stored in checkpoints.
  virtual void register_processing_timer(int64_t at_ms, std::function<void()> fire) = 0;
  /// Tells the tasks behind this one that no watermarks come for now (true), or that they come again; for operators
  /// that make watermarks. Within the chain it has no effect.
  virtual void set_idle(bool idle) = 0;
  /// The operator's own output, for timers that emit.
  virtual OperatorOutput& output() = 0;
  /// The session's and job's options, for operators that read some.
  virtual int64_t batch_records_max() const = 0;
  /// Metrics of the operator's own, reported beside those that every operator has. They outlive restarts.
  virtual MetricGroup& metric_group() = 0;
};

/// Run state of an operator in one subtask; its description is the factory. All calls on the task's thread (D5, D6).
class Operator {
 public:
  virtual ~Operator() = default;
  /// Registers state and timers. State of a checkpoint is filled in after this, before the first batch.
  virtual void open(OperatorContext& context) { (void)context; }
  virtual void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) = 0;
  /// The smallest watermark of all inputs grew. Emits what it completes, then forwards it.
  virtual void process_watermark(int64_t watermark, OperatorOutput& output) { output.emit_watermark(watermark); }
  /// Goes on with emission that was cut because there was no room. True: nothing is left. No new input and no barrier
  /// comes before that.
  virtual bool resume(OperatorOutput& output) {
    (void)output;
    return true;
  }
  /// Input `input` has ended; after the last one the operator flushes.
  virtual void end_input(int input, OperatorOutput& output) { (void)input, (void)output; }
  /// Right before a barrier leaves: flush bundles (Flink's prepareSnapshotPreBarrier).
  virtual void prepare_barrier(OperatorOutput& output) { (void)output; }
  /// Operator state for a checkpoint; keyed state is captured by the runtime.
  virtual OperatorState snapshot(int64_t checkpoint_id) {
    (void)checkpoint_id;
    return {};
  }
  virtual void notify_checkpoint_complete(int64_t checkpoint_id) { (void)checkpoint_id; }
};

/// Const description of an operator; makes its run states.
class OperatorFactory {
 public:
  virtual ~OperatorFactory() = default;
  virtual std::unique_ptr<Operator> create() const = 0;
  /// Needs keyed state: its inputs come through hash exchanges on the same key.
  virtual bool keyed() const { return false; }
};

}  // namespace yeoul
