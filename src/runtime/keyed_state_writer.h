#pragma once

#include <cstdint>
#include <string>

#include "yeoul/runtime/chain_node.h"
#include "yeoul/runtime/checkpoint_storage.h"

namespace yeoul {

/// Writes a node's captured keyed state to a file of the checkpoint and notes it in `capture.ack`; nothing without
/// keyed state. Returns the bytes written. Threads: the I/O pool.
int64_t write_keyed_state(CheckpointStorage& storage, int64_t checkpoint_id, int subtask, NodeCapture& capture);

/// The bytes of such a file, key groups at their offsets. @throws external error 6002 when it does not begin as one
/// does, user error 6004 when another version wrote it.
std::string read_keyed_state(FileSystem& files, const std::string& path);

}  // namespace yeoul
