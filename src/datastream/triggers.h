#pragma once

#include <limits>
#include <utility>

#include "yeoul/datastream/duration.h"
#include "yeoul/datastream/function_context.h"
#include "yeoul/datastream/windows.h"

namespace yeoul {

/// Sets timers of one window of one key. Threads: the task's.
class WindowTimers {
 public:
  explicit WindowTimers(FunctionTimerService& timers) : timers_(timers) {}

  int64_t current_watermark() const { return timers_.current_watermark(); }
  int64_t current_processing_time() const { return timers_.current_processing_time(); }
  /// `window`: its bytes, valid while it is the current one.
  void set_window(std::string_view window) { window_ = window; }
  void add(TimeDomain domain, int64_t time) { timers_.note(domain, true, time, window_); }
  void remove(TimeDomain domain, int64_t time) { timers_.note(domain, false, time, window_); }

 private:
  FunctionTimerService& timers_;
  std::string_view window_;
};

/// What a trigger sees: its own state of the window, the clocks, the window's timers. Valid during the call.
template <class State>
class TriggerContext {
 public:
  TriggerContext(WindowTimers& timers, State& state, int64_t& noted_event_timer)
      : timers_(timers), state_(state), noted_event_timer_(noted_event_timer) {}

  State& state() { return state_; }
  int64_t get_current_watermark() const { return timers_.current_watermark(); }
  int64_t get_current_processing_time() const { return timers_.current_processing_time(); }
  void register_event_time_timer(int64_t time) {
    // Most triggers set the same timer at every record.
    if (std::exchange(noted_event_timer_, time) != time) timers_.add(TimeDomain::kEventTime, time);
  }
  void register_processing_time_timer(int64_t time) { timers_.add(TimeDomain::kProcessingTime, time); }
  void delete_event_time_timer(int64_t time) {
    noted_event_timer_ = kNoTimestamp;
    timers_.remove(TimeDomain::kEventTime, time);
  }
  void delete_processing_time_timer(int64_t time) { timers_.remove(TimeDomain::kProcessingTime, time); }

 private:
  WindowTimers& timers_;
  State& state_;
  int64_t& noted_event_timer_;
};

/// The state of triggers that have none.
struct NoTriggerState {
  bool operator==(const NoTriggerState&) const = default;
  static constexpr auto fields() { return describe("NoTriggerState", 1); }
};

/// Base of triggers: what a trigger does not say. A trigger of your own derives from Trigger<State> and has
/// `TriggerResult on_element(const T& element, int64_t timestamp, const W& window, TriggerContext<State>&)`, and, as
/// needed, the others here by the same names. State is a struct with fields() that compares by ==; a checkpoint keeps
/// it.
template <class S = NoTriggerState>
struct Trigger {
  using State = S;
  using Context = TriggerContext<S>;
  /// False: firing a timer sets no other timers, so that timers of many times can be fired at once.
  static constexpr bool kSetsTimersWhenFired = true;
  static constexpr bool kCanMerge = false;

  template <class W>
  TriggerResult on_event_time(int64_t, const W&, Context&) {
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_processing_time(int64_t, const W&, Context&) {
    return TriggerResult::kContinue;
  }
  /// The window was made of others, whose states were `merged` one after the other.
  template <class W>
  void on_merge(const W&, Context&) {}
  void merge_state(S& into, const S& merged) { (void)into, (void)merged; }
  /// The window is dropped: delete its timers.
  template <class W>
  void clear(const W&, Context&) {}
};

/// Fires when the watermark passes the end of the window, then at every late record.
struct EventTimeTrigger : Trigger<> {
  static constexpr bool kSetsTimersWhenFired = false;
  static constexpr bool kCanMerge = true;
  static EventTimeTrigger create() { return {}; }

  template <class T, class W>
  TriggerResult on_element(const T&, int64_t, const W& window, Context& context) {
    if (window.max_timestamp() <= context.get_current_watermark()) return TriggerResult::kFire;
    context.register_event_time_timer(window.max_timestamp());
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_event_time(int64_t time, const W& window, Context&) {
    return time == window.max_timestamp() ? TriggerResult::kFire : TriggerResult::kContinue;
  }
  template <class W>
  void on_merge(const W& window, Context& context) {
    if (window.max_timestamp() > context.get_current_watermark()) {
      context.register_event_time_timer(window.max_timestamp());
    }
  }
  template <class W>
  void clear(const W& window, Context& context) {
    context.delete_event_time_timer(window.max_timestamp());
  }
};

/// Fires when the wall clock passes the end of the window.
struct ProcessingTimeTrigger : Trigger<> {
  static constexpr bool kSetsTimersWhenFired = false;
  static constexpr bool kCanMerge = true;
  static ProcessingTimeTrigger create() { return {}; }

  template <class T, class W>
  TriggerResult on_element(const T&, int64_t, const W& window, Context& context) {
    context.register_processing_time_timer(window.max_timestamp());
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_processing_time(int64_t, const W&, Context&) {
    return TriggerResult::kFire;
  }
  template <class W>
  void on_merge(const W& window, Context& context) {
    if (window.max_timestamp() > context.get_current_processing_time()) {
      context.register_processing_time_timer(window.max_timestamp());
    }
  }
  template <class W>
  void clear(const W& window, Context& context) {
    context.delete_processing_time_timer(window.max_timestamp());
  }
};

/// Never fires; the default of global windows.
struct NeverTrigger : Trigger<> {
  static constexpr bool kSetsTimersWhenFired = false;
  static constexpr bool kCanMerge = true;

  template <class T, class W>
  TriggerResult on_element(const T&, int64_t, const W&, Context&) {
    return TriggerResult::kContinue;
  }
};

struct CountTriggerState {
  int64_t count = 0;
  bool operator==(const CountTriggerState&) const = default;
  static constexpr auto fields() { return describe("CountTriggerState", 1, field("count", &CountTriggerState::count)); }
};

/// Fires when the window has got so many records since it last fired. @throws user error 7116 for less than 1
struct CountTrigger : Trigger<CountTriggerState> {
  static constexpr bool kSetsTimersWhenFired = false;
  static constexpr bool kCanMerge = true;
  static CountTrigger of(int64_t count) { return CountTrigger(count); }
  explicit CountTrigger(int64_t count) : max_count(checked_count("a count trigger", count, 1)) {}

  template <class T, class W>
  TriggerResult on_element(const T&, int64_t, const W&, Context& context) {
    if (++context.state().count < max_count) return TriggerResult::kContinue;
    context.state().count = 0;
    return TriggerResult::kFire;
  }
  void merge_state(State& into, const State& merged) { into.count += merged.count; }

  int64_t max_count;
};

struct ContinuousTriggerState {
  int64_t next_fire = kNoTimestamp;
  bool operator==(const ContinuousTriggerState&) const = default;
  static constexpr auto fields() {
    return describe("ContinuousTriggerState", 1, field("next_fire", &ContinuousTriggerState::next_fire));
  }
};

/// Fires each time the watermark has moved on by an interval, and at the end of the window.
/// @throws user error 7116 for an interval below 1 ms
struct ContinuousEventTimeTrigger : Trigger<ContinuousTriggerState> {
  static constexpr bool kCanMerge = true;
  static ContinuousEventTimeTrigger of(Duration interval) { return ContinuousEventTimeTrigger(interval); }
  explicit ContinuousEventTimeTrigger(Duration interval)
      : interval_ms(checked_millis("a continuous trigger with an interval", interval, 1)) {}

  template <class T, class W>
  TriggerResult on_element(const T&, int64_t timestamp, const W& window, Context& context) {
    if (window.max_timestamp() <= context.get_current_watermark()) return TriggerResult::kFire;
    context.register_event_time_timer(window.max_timestamp());
    if (context.state().next_fire == kNoTimestamp) fire_next(timestamp - timestamp % interval_ms, window, context);
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_event_time(int64_t time, const W& window, Context& context) {
    if (time == window.max_timestamp()) return TriggerResult::kFire;
    if (time != context.state().next_fire) return TriggerResult::kContinue;
    fire_next(time, window, context);
    return TriggerResult::kFire;
  }
  void merge_state(State& into, const State& merged) {
    if (into.next_fire == kNoTimestamp || (merged.next_fire != kNoTimestamp && merged.next_fire < into.next_fire)) {
      into = merged;
    }
  }
  template <class W>
  void on_merge(const W& window, Context& context) {
    context.register_event_time_timer(window.max_timestamp());
    if (context.state().next_fire != kNoTimestamp) context.register_event_time_timer(context.state().next_fire);
  }
  template <class W>
  void clear(const W& window, Context& context) {
    if (context.state().next_fire != kNoTimestamp) context.delete_event_time_timer(context.state().next_fire);
    context.delete_event_time_timer(window.max_timestamp());
  }

  int64_t interval_ms;

 private:
  template <class W>
  void fire_next(int64_t time, const W& window, Context& context) {
    context.state().next_fire = std::min(time + interval_ms, window.max_timestamp());
    context.register_event_time_timer(context.state().next_fire);
  }
};

/// Fires each time the wall clock has moved on by an interval. @throws user error 7116 for an interval below 1 ms
struct ContinuousProcessingTimeTrigger : Trigger<ContinuousTriggerState> {
  static constexpr bool kCanMerge = true;
  static ContinuousProcessingTimeTrigger of(Duration interval) { return ContinuousProcessingTimeTrigger(interval); }
  explicit ContinuousProcessingTimeTrigger(Duration interval)
      : interval_ms(checked_millis("a continuous trigger with an interval", interval, 1)) {}

  template <class T, class W>
  TriggerResult on_element(const T&, int64_t, const W& window, Context& context) {
    const int64_t now = context.get_current_processing_time();
    if (context.state().next_fire == kNoTimestamp) fire_next(now - now % interval_ms, window, context);
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_processing_time(int64_t time, const W& window, Context& context) {
    if (time != context.state().next_fire) return TriggerResult::kContinue;
    fire_next(time, window, context);
    return TriggerResult::kFire;
  }
  void merge_state(State& into, const State& merged) {
    if (into.next_fire == kNoTimestamp || (merged.next_fire != kNoTimestamp && merged.next_fire < into.next_fire)) {
      into = merged;
    }
  }
  template <class W>
  void on_merge(const W&, Context& context) {
    if (context.state().next_fire != kNoTimestamp) context.register_processing_time_timer(context.state().next_fire);
  }
  template <class W>
  void clear(const W&, Context& context) {
    if (context.state().next_fire != kNoTimestamp) context.delete_processing_time_timer(context.state().next_fire);
  }

  int64_t interval_ms;

 private:
  template <class W>
  void fire_next(int64_t time, const W& window, Context& context) {
    context.state().next_fire = std::min(time + interval_ms, window.max_timestamp());
    context.register_processing_time_timer(context.state().next_fire);
  }
};

/// Another trigger that drops the contents whenever it fires; made by PurgingTrigger::of().
template <class Inner>
struct PurgingTriggerOf : Trigger<typename Inner::State> {
  using Context = TriggerContext<typename Inner::State>;
  static constexpr bool kSetsTimersWhenFired = Inner::kSetsTimersWhenFired;
  static constexpr bool kCanMerge = Inner::kCanMerge;
  explicit PurgingTriggerOf(Inner trigger) : inner(std::move(trigger)) {}

  template <class T, class W>
  TriggerResult on_element(const T& element, int64_t timestamp, const W& window, Context& context) {
    return purging(inner.on_element(element, timestamp, window, context));
  }
  template <class W>
  TriggerResult on_event_time(int64_t time, const W& window, Context& context) {
    return purging(inner.on_event_time(time, window, context));
  }
  template <class W>
  TriggerResult on_processing_time(int64_t time, const W& window, Context& context) {
    return purging(inner.on_processing_time(time, window, context));
  }
  void merge_state(typename Inner::State& into, const typename Inner::State& merged) {
    inner.merge_state(into, merged);
  }
  template <class W>
  void on_merge(const W& window, Context& context) {
    inner.on_merge(window, context);
  }
  template <class W>
  void clear(const W& window, Context& context) {
    inner.clear(window, context);
  }

  Inner inner;

 private:
  static TriggerResult purging(TriggerResult result) { return is_fire(result) ? TriggerResult::kFireAndPurge : result; }
};

struct PurgingTrigger {
  template <class Inner>
  static PurgingTriggerOf<Inner> of(Inner inner) {
    return PurgingTriggerOf<Inner>(std::move(inner));
  }
};

}  // namespace yeoul
