#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

/// Timers that are due, in order of time, then of key, then of namespace.
struct DueTimers {
  std::vector<int64_t> times_ms;
  CanonicalKeys keys;
  std::vector<std::string> namespaces;  ///< empty texts where the service has none
  size_t size() const { return times_ms.size(); }
};

/// Timers of keys, kept as keyed state and fired in batches (D11). Event time or processing time: the caller says what
/// is due. One timer per key and time, or per key, namespace (a window) and time. Threads: the task's.
class TimerService {
 public:
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

  /// Registers the state `name`; in open(). `namespaced`: timers have namespaces.
  TimerService(KeyedStateBackend& backend, const std::string& name, bool namespaced = false);

  /// Sets a timer for each key, within the batch in which `slots` were resolved from `keys`.
  void add(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms);
  void remove(const CanonicalKeys& keys, std::span<const Slot> slots, std::span<const int64_t> times_ms);
  /// The same with a namespace each; none given: empty ones.
  void add(std::span<const std::string_view> keys, std::span<const Slot> slots, std::span<const int64_t> times_ms,
           std::span<const std::string_view> namespaces);
  void remove(std::span<const std::string_view> keys, std::span<const Slot> slots, std::span<const int64_t> times_ms,
              std::span<const std::string_view> namespaces);
  /// Whether the key has no timer.
  bool empty(Slot slot) { return state_.store().empty(slot); }
  /// Removes timers at or before `until_ms`, the earliest first, at most `max`; between batches. Fewer than `max`: none
  /// is left. Timers of keys that were removed from the backend are gone.
  DueTimers take_due(int64_t until_ms, size_t max);
  /// No key has a timer.
  bool empty() {
    ensure_index();
    return index_.empty();
  }
  /// A time at or before that of the earliest timer; kNever without timers.
  int64_t next_ms();

 private:
  /// Reads the timers that a checkpoint restored after open().
  void ensure_index();

  KeyedStateBackend& backend_;
  MapCells<bool> state_;
  bool indexed_ = false;
  std::set<std::tuple<int64_t, std::string, std::string>> index_;  ///< time, key, namespace; may hold timers long gone
};

}  // namespace yeoul
