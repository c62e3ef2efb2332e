#pragma once

#include <utility>
#include <vector>

#include "yeoul/datastream/duration.h"
#include "yeoul/datastream/triggers.h"
#include "yeoul/datastream/windows.h"

namespace yeoul {

// An assigner has `Window`, kEventTime, kMerging, default_trigger() and assign_windows(), which appends the windows of
// a record of the given time.

/// Start of the window that holds a time.
inline int64_t window_start(int64_t time, int64_t offset, int64_t size) {
  const int64_t remainder = (time - offset) % size;
  return time - (remainder < 0 ? remainder + size : remainder);
}

/// @throws user error 7116 for a size or slide below 1 ms, or an offset as large as the slide
void check_window_spans(std::string_view assigner, Duration size, Duration slide, Duration offset);

/// Windows of one size side by side.
template <bool kByEventTime>
class TumblingWindows {
 public:
  using Window = TimeWindow;
  static constexpr bool kEventTime = kByEventTime;
  static constexpr bool kMerging = false;

  /// @param offset  moves all windows, for days that do not begin at midnight UTC
  static TumblingWindows of(Duration size, Duration offset = Duration::of_millis(0)) {
    check_window_spans("a tumbling window", size, size, offset);
    return TumblingWindows(size.to_millis(), offset.to_millis());
  }
  auto default_trigger() const {
    if constexpr (kEventTime) {
      return EventTimeTrigger();
    } else {
      return ProcessingTimeTrigger();
    }
  }
  template <class T>
  void assign_windows(const T&, int64_t time, std::vector<TimeWindow>& windows) const {
    const int64_t start = window_start(time, offset_, size_);
    windows.push_back({start, start + size_});
  }

 private:
  TumblingWindows(int64_t size, int64_t offset) : size_(size), offset_(offset) {}
  int64_t size_;
  int64_t offset_;
};
using TumblingEventTimeWindows = TumblingWindows<true>;
using TumblingProcessingTimeWindows = TumblingWindows<false>;

/// Windows of one size that begin at every multiple of the slide: a record may be in several, or in none.
template <bool kByEventTime>
class SlidingWindows {
 public:
  using Window = TimeWindow;
  static constexpr bool kEventTime = kByEventTime;
  static constexpr bool kMerging = false;

  static SlidingWindows of(Duration size, Duration slide, Duration offset = Duration::of_millis(0)) {
    check_window_spans("a sliding window", size, slide, offset);
    return SlidingWindows(size.to_millis(), slide.to_millis(), offset.to_millis());
  }
  auto default_trigger() const { return TumblingWindows<kByEventTime>::of(Duration::of_millis(1)).default_trigger(); }
  template <class T>
  void assign_windows(const T&, int64_t time, std::vector<TimeWindow>& windows) const {
    for (int64_t start = window_start(time, offset_, slide_); start > time - size_; start -= slide_) {
      windows.push_back({start, start + size_});
    }
  }

 private:
  SlidingWindows(int64_t size, int64_t slide, int64_t offset) : size_(size), slide_(slide), offset_(offset) {}
  int64_t size_;
  int64_t slide_;
  int64_t offset_;
};
using SlidingEventTimeWindows = SlidingWindows<true>;
using SlidingProcessingTimeWindows = SlidingWindows<false>;

/// A window as long as records follow each other within a gap; `Gap` gives each record's, in milliseconds.
template <bool kByEventTime, class Gap>
class SessionWindows {
 public:
  using Window = TimeWindow;
  static constexpr bool kEventTime = kByEventTime;
  static constexpr bool kMerging = true;

  explicit SessionWindows(Gap gap) : gap_(std::move(gap)) {}
  auto default_trigger() const { return TumblingWindows<kByEventTime>::of(Duration::of_millis(1)).default_trigger(); }
  template <class T>
  void assign_windows(const T& value, int64_t time, std::vector<TimeWindow>& windows) const {
    windows.push_back({time, time + gap_(value)});
  }

 private:
  Gap gap_;
};

/// The same gap for all records.
struct FixedGap {
  int64_t millis;
  template <class T>
  int64_t operator()(const T&) const {
    return millis;
  }
};

/// @throws user error 7116 for a gap below 1 ms
int64_t checked_gap(int64_t millis);

/// A gap of each record's own: `Duration(const T&)` or a number of milliseconds.
template <class F>
struct DynamicGap {
  F function;
  template <class T>
  int64_t operator()(const T& value) const {
    if constexpr (std::is_convertible_v<std::invoke_result_t<const F&, const T&>, Duration>) {
      return checked_gap(static_cast<Duration>(function(value)).to_millis());
    } else {
      return checked_gap(function(value));
    }
  }
};

struct EventTimeSessionWindows {
  static SessionWindows<true, FixedGap> with_gap(Duration gap) {
    return SessionWindows<true, FixedGap>({checked_gap(gap.to_millis())});
  }
  template <class F>
  static SessionWindows<true, DynamicGap<F>> with_dynamic_gap(F gap) {
    return SessionWindows<true, DynamicGap<F>>({std::move(gap)});
  }
};

struct ProcessingTimeSessionWindows {
  static SessionWindows<false, FixedGap> with_gap(Duration gap) {
    return SessionWindows<false, FixedGap>({checked_gap(gap.to_millis())});
  }
  template <class F>
  static SessionWindows<false, DynamicGap<F>> with_dynamic_gap(F gap) {
    return SessionWindows<false, DynamicGap<F>>({std::move(gap)});
  }
};

/// One window for all; fires only with a trigger of your own.
class GlobalWindows {
 public:
  using Window = GlobalWindow;
  static constexpr bool kEventTime = false;
  static constexpr bool kMerging = false;

  static GlobalWindows create() { return {}; }
  NeverTrigger default_trigger() const { return {}; }
  template <class T>
  void assign_windows(const T&, int64_t, std::vector<GlobalWindow>& windows) const {
    windows.push_back({});
  }
};

}  // namespace yeoul
