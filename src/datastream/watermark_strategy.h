#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "yeoul/datastream/duration.h"
#include "yeoul/datastream/record_type.h"
#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Takes the watermarks of a generator. Threads: the task's.
class WatermarkOutput {
 public:
  void emit_watermark(int64_t watermark) { watermark_ = std::max(watermark_, watermark); }
  /// The largest watermark since the last call; kMinWatermark for none.
  int64_t take() { return std::exchange(watermark_, kMinWatermark); }

 private:
  int64_t watermark_ = kMinWatermark;
};

/// Derive from it for a watermark generator of your own; one is made per split of a source.
template <class T>
class WatermarkGenerator {
 public:
  virtual ~WatermarkGenerator() = default;
  /// Each record; what is emitted here follows the record at once.
  virtual void on_event(const T& event, int64_t event_timestamp, WatermarkOutput& output) = 0;
  /// Every auto-watermark interval.
  virtual void on_periodic_emit(WatermarkOutput& output) = 0;
};

/// Watermarks that stay behind the largest timestamp by a fixed span.
class BoundedOutOfOrderness {
 public:
  /// True: watermarks follow from timestamps alone, so whole batches are judged at once.
  static constexpr bool kByTimestamp = true;

  explicit BoundedOutOfOrderness(int64_t delay_ms) : delay_ms_(delay_ms) {}
  /// What a record's timestamp justifies.
  int64_t watermark_of(int64_t timestamp) const {
    return timestamp == kNoTimestamp ? kMinWatermark : timestamp - delay_ms_ - 1;
  }

 private:
  int64_t delay_ms_;
};

/// No watermarks at all.
class NoWatermarks {
 public:
  static constexpr bool kByTimestamp = true;
  int64_t watermark_of(int64_t timestamp) const {
    (void)timestamp;
    return kMinWatermark;
  }
};

/// Watermarks of the user's generators; `make` makes one.
template <class Make>
class GeneratedWatermarks {
 public:
  static constexpr bool kByTimestamp = false;

  explicit GeneratedWatermarks(Make make) : make_(std::move(make)) {}
  auto make() const { return make_(); }

 private:
  Make make_;
};

/// The record's own timestamp, as its source gave it.
struct RecordTimestamp {};

/// True for `int64_t(const T&)`, `int64_t(const T&, int64_t record_timestamp)` and objects with extract_timestamp().
template <class F, class T>
concept TimestampAssignerFor =
    std::is_same_v<F, RecordTimestamp> || std::is_invocable_r_v<int64_t, const F&, const T&> ||
    std::is_invocable_r_v<int64_t, const F&, const T&, int64_t> || requires(const F& f, const T& value) {
      { f.extract_timestamp(value, int64_t{}) } -> std::convertible_to<int64_t>;
    };

template <class F, class T>
int64_t assign_timestamp(const F& assigner, const T& value, int64_t record_timestamp) {
  if constexpr (std::is_same_v<F, RecordTimestamp>) {
    return record_timestamp;
  } else if constexpr (std::is_invocable_v<const F&, const T&, int64_t>) {
    return assigner(value, record_timestamp);
  } else if constexpr (std::is_invocable_v<const F&, const T&>) {
    return assigner(value);
  } else {
    return assigner.extract_timestamp(value, record_timestamp);
  }
}

/// Where event time comes from: an assigner of timestamps and a way to make watermarks of them. Made by
/// WatermarkStrategy; each with_…() returns a new one.
template <class Watermarks, class Assigner = RecordTimestamp>
class WatermarkStrategyOf {
 public:
  static constexpr bool kByTimestamp = Watermarks::kByTimestamp;
  static constexpr bool kHasWatermarks = !std::is_same_v<Watermarks, NoWatermarks>;
  static constexpr bool kHasAssigner = !std::is_same_v<Assigner, RecordTimestamp>;

  explicit WatermarkStrategyOf(Watermarks watermarks, Assigner assigner = {})
      : watermarks_(std::move(watermarks)), assigner_(std::move(assigner)) {}

  /// Event time of a record: `int64_t(const T&)` or `int64_t(const T&, int64_t record_timestamp)`, in milliseconds.
  template <class F>
  WatermarkStrategyOf<Watermarks, F> with_timestamp_assigner(F assigner) const {
    WatermarkStrategyOf<Watermarks, F> result(watermarks_, std::move(assigner));
    result.idle_timeout_ms = idle_timeout_ms;
    result.alignment_group = alignment_group;
    result.alignment_max_drift_ms = alignment_max_drift_ms;
    result.alignment_update_interval_ms = alignment_update_interval_ms;
    return result;
  }
  /// A split without records for that long no longer holds back the watermark. @throws user error 7116 below 1 ms
  WatermarkStrategyOf with_idleness(Duration timeout) const {
    WatermarkStrategyOf result = *this;
    result.idle_timeout_ms = checked_millis("an idle timeout", timeout, 1);
    return result;
  }
  /// Sources of one group wait for each other when they run ahead by more than `max_drift`.
  /// @throws user error 7116 for a negative drift, or an interval below 1 ms
  WatermarkStrategyOf with_watermark_alignment(std::string group, Duration max_drift,
                                               Duration update_interval = Duration::of_seconds(1)) const {
    WatermarkStrategyOf result = *this;
    result.alignment_group = std::move(group);
    result.alignment_max_drift_ms = checked_millis("a drift of watermark alignment", max_drift, 0);
    result.alignment_update_interval_ms =
        checked_millis("an update interval of watermark alignment", update_interval, 1);
    return result;
  }

  const Watermarks& watermarks() const { return watermarks_; }
  const Assigner& assigner() const { return assigner_; }

  int64_t idle_timeout_ms = 0;  ///< 0: never idle
  std::string alignment_group;  ///< empty: none
  int64_t alignment_max_drift_ms = 0;
  int64_t alignment_update_interval_ms = 1000;

 private:
  Watermarks watermarks_;
  Assigner assigner_;
};

/// Flink's names for the ways to event time:
/// `WatermarkStrategy::for_bounded_out_of_orderness(Duration::of_seconds(5)).with_timestamp_assigner(…)`.
struct WatermarkStrategy {
  static WatermarkStrategyOf<NoWatermarks> no_watermarks() { return WatermarkStrategyOf<NoWatermarks>({}); }
  /// Timestamps never fall within a split.
  static WatermarkStrategyOf<BoundedOutOfOrderness> for_monotonous_timestamps() {
    return for_bounded_out_of_orderness(Duration::of_millis(0));
  }
  /// Records come at most that late. @throws user error 7116 where it is negative
  static WatermarkStrategyOf<BoundedOutOfOrderness> for_bounded_out_of_orderness(Duration max_out_of_orderness) {
    return WatermarkStrategyOf<BoundedOutOfOrderness>(
        BoundedOutOfOrderness(checked_millis("an out-of-orderness", max_out_of_orderness, 0)));
  }
  /// Watermarks of generators of the user's own; `make` makes one, called for each split.
  template <class Make>
  static WatermarkStrategyOf<GeneratedWatermarks<Make>> for_generator(Make make) {
    static_assert(std::is_invocable_v<const Make&>,
                  "Yeoul: for_generator() needs a function without arguments that makes a WatermarkGenerator, e.g. "
                  "[] { return MyGenerator(); }");
    return WatermarkStrategyOf<GeneratedWatermarks<Make>>(GeneratedWatermarks<Make>(std::move(make)));
  }
};

}  // namespace yeoul
