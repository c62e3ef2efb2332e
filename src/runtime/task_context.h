#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/runtime/checkpoint.h"
#include "yeoul/runtime/executor.h"
#include "yeoul/runtime/job.h"
#include "yeoul/runtime/mailbox.h"
#include "yeoul/runtime/timer_queue.h"

namespace yeoul {

class TaskListener;
struct NodeMetrics;

/// One part of the keyed state that a node restores.
struct RestoredKeyedPart {
  std::string path;  ///< of the file
  std::vector<StateDescriptor> descriptors;
  std::vector<KeyedStateFile::Group> groups;  ///< those of this subtask
};

/// What a node starts from in one subtask; empty at a fresh start.
struct RestoredNodeState {
  bool restored = false;
  OperatorState operator_state;
  std::vector<SourceSplit> splits;
  std::vector<std::string> writer_states;
  std::vector<RestoredKeyedPart> keyed;
};

/// What the parts of one task share. Threads: the task's, but for the mailbox and the executor.
struct TaskContext {
  int vertex = 0;
  int subtask = 0;
  int parallelism = 1;
  int max_parallelism = 128;
  const JobConfig* config = nullptr;
  const JobEnvironment* environment = nullptr;
  Executor* executor = nullptr;
  ThreadPool* io_pool = nullptr;
  TaskListener* listener = nullptr;
  std::shared_ptr<Mailbox> mailbox;
  TimerQueue wall_timers;              ///< milliseconds of Clock::wall_ms
  TimerQueue steady_timers;            ///< milliseconds of Clock::steady_ns
  std::function<void(bool)> set_idle;  ///< to all exchanges of the chain; empty: there are none
  /// Metrics of the node whose code runs, and since when; null: none does.
  NodeMetrics* running = nullptr;
  int64_t running_since_ns = 0;
  /// Name of the node that is being called, for the context of a failure.
  const std::string* current_node = nullptr;

  /// Counts the time since the last switch for the node that ran, and returns it. Not per row: it reads the clock.
  NodeMetrics* switch_to(NodeMetrics* next);
  const Clock& clock() const { return *environment->clock; }
  int64_t steady_ms() const { return clock().steady_ns() / 1'000'000; }
};

}  // namespace yeoul
