#pragma once

#include <cstdint>

#include "yeoul/runtime/chain_node.h"
#include "yeoul/runtime/checkpoint_storage.h"

namespace yeoul {

/// Writes a node's captured keyed state to a file of the checkpoint and notes it in `capture.ack`; nothing without
/// keyed state. Returns the bytes written. Threads: the I/O pool.
int64_t write_keyed_state(CheckpointStorage& storage, int64_t checkpoint_id, int subtask, NodeCapture& capture);

}  // namespace yeoul
