#pragma once

#include <cstdint>
#include <variant>

#include "yeoul/types/batch.h"

namespace yeoul {

/// No record with an earlier event time follows.
struct Watermark {
  int64_t timestamp;
};
/// The sender became idle (its watermark no longer counts) or active again.
struct StreamStatus {
  bool idle;
};
/// Separates what belongs to a checkpoint from what comes after.
struct Barrier {
  int64_t checkpoint_id;
};
/// No more records; barriers may still follow until the last checkpoint is complete (D10).
struct EndOfInput {};
/// Nothing at all follows.
struct EndOfChannel {};

/// What travels through a channel, in order.
using StreamElement = std::variant<BatchPtr, Watermark, StreamStatus, Barrier, EndOfInput, EndOfChannel>;

/// What a call of step() did.
enum class Step { kProgress, kIdle, kDone };

}  // namespace yeoul
