#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/datastream/collector.h"
#include "yeoul/datastream/keyed_scope.h"
#include "yeoul/runtime/timer_service.h"

namespace yeoul {

/// Which clock a timer belongs to.
enum class TimeDomain : uint8_t { kEventTime, kProcessingTime };

/// The timers of the current key, as functions set them (Flink's TimerService); gathered while a batch is processed and
/// set all at once behind it. Threads: the task's.
class FunctionTimerService {
 public:
  int64_t current_watermark() const { return watermark_; }
  int64_t current_processing_time() const { return clock_->wall_ms(); }
  // One timer per key and time: setting it twice is setting it once. @throws user error 7113 without keys
  void register_event_time_timer(int64_t time) { note(TimeDomain::kEventTime, true, time, {}); }
  void register_processing_time_timer(int64_t time) { note(TimeDomain::kProcessingTime, true, time, {}); }
  void delete_event_time_timer(int64_t time) { note(TimeDomain::kEventTime, false, time, {}); }
  void delete_processing_time_timer(int64_t time) { note(TimeDomain::kProcessingTime, false, time, {}); }

 private:
  friend class FunctionOperator;
  friend class WindowTimers;

  struct Change {
    TimeDomain domain;
    bool add;
    uint32_t record;
    int64_t time;
    uint32_t first;  ///< of the namespace's bytes
    uint32_t size;
  };
  /// Timers that are being fired: one that a function deletes before its turn does not fire.
  struct Firing {
    TimeDomain domain = TimeDomain::kEventTime;
    DueTimers timers;
    std::vector<bool> deleted;
    size_t next = 0;
  };

  void note(TimeDomain domain, bool add, int64_t time, std::string_view name_space);
  void delete_from_firing(TimeDomain domain, int64_t time, std::string_view name_space);
  /// Sets and deletes what was noted, in order.
  void apply(TimerService& event_timers, TimerService& processing_timers);

  KeyedScope* scope_ = nullptr;  ///< null: no keys
  const Clock* clock_ = nullptr;
  int64_t watermark_ = kMinWatermark;
  std::vector<Change> changes_;
  std::string namespaces_;
  Firing* firing_ = nullptr;
};

/// What every function may ask about the record at hand. Valid during the call. Threads: the task's.
class FunctionContext {
 public:
  FunctionContext(FunctionTimerService& timers, SideOutputs& sides) : timers_(timers), sides_(sides) {}

  /// Event time of the record, or the time of the timer; kNoTimestamp without.
  int64_t timestamp() const { return timestamp_; }
  FunctionTimerService& timer_service() { return timers_; }
  int64_t current_watermark() const { return timers_.current_watermark(); }
  int64_t current_processing_time() const { return timers_.current_processing_time(); }
  /// To a side output; dropped where nobody reads it.
  template <class X>
  void output(const OutputTag<X>& tag, std::type_identity_t<X> value) {
    sides_.collect(tag, std::move(value), timestamp_);
  }

  void set_timestamp(int64_t timestamp) { timestamp_ = timestamp; }

 private:
  FunctionTimerService& timers_;
  SideOutputs& sides_;
  int64_t timestamp_ = kNoTimestamp;
};

/// The same on a keyed stream.
template <class K>
class KeyedContext : public FunctionContext {
 public:
  KeyedContext(FunctionTimerService& timers, SideOutputs& sides, KeyedScope& scope)
      : FunctionContext(timers, sides), scope_(scope) {}

  K get_current_key() const {
    ByteReader in(scope_.current_key());
    return TypeInfo<K>::decode(in);
  }

 private:
  KeyedScope& scope_;
};

/// The same when a timer fires.
template <class Base>
class WithTimeDomain : public Base {
 public:
  using Base::Base;

  TimeDomain time_domain() const { return domain_; }
  void set_time_domain(TimeDomain domain) { domain_ = domain; }

 private:
  TimeDomain domain_ = TimeDomain::kEventTime;
};
template <class K>
using TimerContext = WithTimeDomain<KeyedContext<K>>;

}  // namespace yeoul
