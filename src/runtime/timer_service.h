#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

/// Timers that are due, in order of time and then of key.
struct DueTimers {
  std::vector<int64_t> times_ms;
  CanonicalKeys keys;
  size_t size() const { return times_ms.size(); }
};

/// Timers of keys, kept as keyed state and fired in batches (D11). Event time or processing time: the caller says what
/// is due. One timer per key and time. Threads: the task's.
class TimerService {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  /// Registers the state `name`; in open().
  TimerService(KeyedStateBackend& backend, const std::string& name);

  /// Sets a timer for each key, within the batch in which `slots` were resolved from `keys`.
  void add(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms);
  void remove(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms);
  /// Removes timers at or before `until_ms`, the earliest first, at most `max`; between batches. Fewer than `max`: none
  /// is left. Timers of keys that were removed from the backend are gone.
  DueTimers take_due(int64_t until_ms, size_t max);
  /// A time at or before that of the earliest timer; kNever without timers.
  int64_t next_ms();

 private:
  /// Reads the timers that a checkpoint restored after open().
  void ensure_index();

  KeyedStateBackend& backend_;
  MapCells<bool> state_;
  bool indexed_ = false;
  std::set<std::pair<int64_t, std::string>> index_;  ///< (time, key); may hold timers that are gone
};

}  // namespace yeoul
