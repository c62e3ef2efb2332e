#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace yeoul {

/// Bugs that a simulation can be told to have, to show that it would find them. Where each is planted: sabotage.h
/// (between steps), sabotaged_backend.h (keyed state), FakeFileSystem, the simulated Kafka's reader and writer.
enum class PlantedBug : uint8_t {
  kNone,
  kBarrierOvertakes,    ///< a barrier passes a batch in a channel
  kDataOvertakes,       ///< a batch passes a barrier
  kWatermarkOvertakes,  ///< a watermark passes a batch
  kEndOvertakes,        ///< the end of input passes a batch
  kPositionTooEarly,    ///< the position saved is that of what was fetched, not of what was emitted
  kLostTimer,           ///< a restore forgets a timer
  kGroupLost,           ///< a restore leaves out a key group
  kGroupTwice,          ///< a restore takes in a key group twice
  kSnapshotNotFrozen,   ///< keyed state is read when it is written, not as of the barrier
  kInputIgnored,        ///< a task's watermark leaves out one of its channels
  kCursorDropped,       ///< emission that was cut by a full channel is not resumed
  kWakeUpLost,          ///< a full channel has room again, and its producer is not told
  kAckNotAwaited,       ///< a checkpoint completes without one of its tasks
  kAckBeforeSync,       ///< files and folders are said to be durable one sync before they are
  kSinkNotFlushed,      ///< a sink is prepared before its records are acknowledged
  kCommitForgotten,     ///< a completed checkpoint's transactions are not committed
  kAssignedForgotten,   ///< an enumerator's state leaves out partitions that were found late and assigned
  kWaitingForgotten,    ///< an enumerator's state leaves out partitions that wait for their reader
  kCaughtUpForgotten,   ///< a reader's state leaves out partitions of which everything so far was read
  kStopCommits,         ///< a job that is stopped commits transactions of a checkpoint that is not complete
};

struct PlantedBugName {
  PlantedBug bug;
  std::string_view name;  ///< "barrier-overtakes"
};
/// All but kNone.
std::span<const PlantedBugName> planted_bugs();

}  // namespace yeoul
