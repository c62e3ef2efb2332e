#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "yeoul/types/type_info.h"

namespace yeoul {

/// Event or processing time [start, end), in milliseconds.
struct TimeWindow {
  int64_t start = 0;
  int64_t end = 0;

  /// The last millisecond that belongs to it.
  int64_t max_timestamp() const { return end - 1; }
  /// Overlaps, or touches at an end.
  bool intersects(const TimeWindow& other) const { return start <= other.end && end >= other.start; }
  TimeWindow cover(const TimeWindow& other) const { return {std::min(start, other.start), std::max(end, other.end)}; }
  auto operator<=>(const TimeWindow&) const = default;

  static constexpr auto fields() {
    return describe("TimeWindow", 1, field("start", &TimeWindow::start), field("end", &TimeWindow::end));
  }
};

/// The one window that holds all.
struct GlobalWindow {
  int64_t max_timestamp() const { return std::numeric_limits<int64_t>::max(); }
  auto operator<=>(const GlobalWindow&) const = default;

  static constexpr auto fields() { return describe("GlobalWindow", 1); }
};

/// What a trigger decides: hand the window's contents to the function, drop them, both, or neither.
enum class TriggerResult : uint8_t { kContinue, kFire, kPurge, kFireAndPurge };

inline bool is_fire(TriggerResult result) {
  return result == TriggerResult::kFire || result == TriggerResult::kFireAndPurge;
}
inline bool is_purge(TriggerResult result) {
  return result == TriggerResult::kPurge || result == TriggerResult::kFireAndPurge;
}

}  // namespace yeoul
