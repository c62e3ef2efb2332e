#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/common/metric_group.h"
#include "yeoul/common/metrics.h"
#include "yeoul/common/threads.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// Counters of a sink that the runtime reports and the connector adds to.
struct SinkMetrics {
  Counter records_out;     ///< numRecordsSend: records handed to the external system
  Counter bytes_out;       ///< numBytesSend
  Counter errors;          ///< numRecordsSendErrors
  Gauge send_time_ms{-1};  ///< currentSendTime: until what was sent last was acknowledged; -1: not known
  MetricGroup group;       ///< the connector's own
};

/// What a writer gets from its task.
struct SinkWriterContext {
  int subtask = 0;
  int parallelism = 1;
  std::string job_id;
  std::function<void()> wake_up;                 ///< any thread: there is room again
  std::function<void(std::exception_ptr)> fail;  ///< any thread: fails the task
  const Clock* clock = nullptr;
  ThreadPool* io_pool = nullptr;
  SinkMetrics* metrics = nullptr;
  /// States of writers of the checkpoint restored from, spread over the subtasks; empty at a fresh start.
  std::vector<std::string> restored_states;
};

/// Writes records; the first half of a two-phase sink (FLIP-143, FLIP-191). Threads: its task's only; it never blocks.
class SinkWriter {
 public:
  virtual ~SinkWriter() = default;
  /// Takes a batch (rows: compacted). May exceed its buffers by that one batch.
  virtual void write(const BatchPtr& batch) = 0;
  /// False: the task waits for wake_up before it writes more.
  virtual bool has_room() const = 0;
  /// Completion of begin_prepare; call once, from any thread. Committables are versioned bytes.
  using Prepared = std::function<void(std::vector<std::string> committables)>;
  /// Something of what was written must be looked up first, such as the partitions of a topic that a record names: no
  /// more is written and no barrier comes until resume() has gone on with it.
  virtual bool has_pending() const { return false; }
  /// Goes on with what is pending. Called once there is room.
  virtual void resume() {}
  /// At a barrier: makes all that was written durable (at least once) or ready to commit (exactly once), then calls
  /// `done`. Nothing is written in between. `end_of_input`: no more will come after this.
  virtual void begin_prepare(int64_t checkpoint_id, bool end_of_input, Prepared done) = 0;
  /// Its state after preparing; one string per writer.
  virtual std::string snapshot(int64_t checkpoint_id) {
    (void)checkpoint_id;
    return {};
  }
};

/// Commits what a completed checkpoint holds, the second half. Called on the I/O pool; may block; may be called again
/// with the same committables after a restore, which must do no harm. Throws where data would be lost.
class Committer {
 public:
  virtual ~Committer() = default;
  virtual void commit(const std::vector<std::string>& committables) = 0;
};

/// A sink for records of one type. Const description.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const = 0;
  /// Whether the user asked for what it can only do at checkpoints: a streaming job without them says so (KD-O23).
  virtual bool relies_on_checkpoints() const { return false; }
  /// Null: nothing to commit.
  virtual std::unique_ptr<Committer> create_committer() const { return nullptr; }
};

}  // namespace yeoul
