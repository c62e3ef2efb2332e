#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/state/api/keyed_state.h"
#include "yeoul/state/api/operator_state.h"

namespace yeoul {

/// Keyed state of one subtask, in a file of its checkpoint's folder.
struct KeyedStateFile {
  struct Group {
    int group = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint32_t checksum = 0;
  };
  std::string file;  ///< name within the folder
  std::vector<StateDescriptor> descriptors;
  std::vector<Group> groups;  ///< those that hold anything
};

/// State of one node in one subtask.
struct SubtaskState {
  bool finished = false;  ///< its input had ended and it had flushed: nothing is left to restore
  OperatorState operator_state;
  std::vector<SourceSplit> splits;
  std::optional<std::string> writer_state;
  std::optional<KeyedStateFile> keyed;
  bool empty() const { return operator_state.empty() && splits.empty() && !writer_state && !keyed; }
};

/// State of one node.
struct NodeCheckpoint {
  std::string uid;
  std::string name;
  std::optional<std::string> enumerator;
  std::vector<SubtaskState> subtasks;
  std::vector<std::string> committables;  ///< of this and of earlier checkpoints whose commit was not confirmed
  bool finished() const;
  bool holds_state() const;
};

/// All that a completed checkpoint says; keyed state by reference to its files.
struct Checkpoint {
  int64_t id = 0;
  std::string path;  ///< its folder; not stored
  std::string job_id;
  std::string job_name;
  std::string fingerprint;  ///< JobConfig's
  int max_parallelism = 0;
  int64_t completed_at_ms = 0;
  std::vector<NodeCheckpoint> nodes;
  const NodeCheckpoint* find(std::string_view uid) const;
};

}  // namespace yeoul
