#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "yeoul/runtime/checkpoint.h"

namespace yeoul {

/// What one node of a task adds to a checkpoint.
struct NodeAck {
  int node = -1;
  SubtaskState state;
  std::vector<std::string> committables;
};

/// A task has written its part of a checkpoint.
struct TaskAck {
  int vertex = -1;
  int subtask = -1;
  int64_t checkpoint_id = 0;
  bool finished = false;  ///< it had flushed; it ends once this checkpoint is complete
  int64_t bytes = 0;
  int64_t synchronous_ms = 0;
  std::vector<NodeAck> nodes;
};

/// What tasks tell their coordinator. Threads: any; returns at once.
class TaskListener {
 public:
  virtual ~TaskListener() = default;
  virtual void on_reader_registered(int vertex, int subtask) = 0;
  virtual void on_split_request(int vertex, int subtask) = 0;
  virtual void on_source_event(int vertex, int subtask, std::string event) = 0;
  /// For watermark alignment: the smallest watermark of its splits, every update interval.
  virtual void on_source_watermark(int vertex, int subtask, int64_t watermark) = 0;
  /// Its input has ended, it has flushed and waits for the last checkpoint.
  virtual void on_flushed(int vertex, int subtask) = 0;
  virtual void on_acknowledged(TaskAck ack) = 0;
  virtual void on_declined(int vertex, int subtask, int64_t checkpoint_id, std::exception_ptr reason) = 0;
  virtual void on_failed(int vertex, int subtask, std::exception_ptr failure) = 0;
  /// It ended without checkpointing; what its sinks still have to commit.
  virtual void on_final_committables(std::vector<NodeAck> nodes) = 0;
  /// Its thread no longer touches anything. `done`: it came to its end by itself.
  virtual void on_stopped(int vertex, int subtask, bool done) = 0;
};

}  // namespace yeoul
