#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "yeoul/datastream/duration.h"
#include "yeoul/types/batch.h"
#include "yeoul/types/type_info.h"

namespace yeoul {

/// A record of a window with its event time (where it has none, the time it came).
template <class T>
struct TimestampedValue {
  T value;
  int64_t timestamp = kNoTimestamp;
};

template <class T>
struct TypeInfo<TimestampedValue<T>> : PlainTypeInfo<TimestampedValue<T>> {
  static std::string name() { return "TIMESTAMPED<" + TypeInfo<T>::name() + ">"; }
  static uint32_t version() { return TypeInfo<T>::version(); }
  static void encode(const TimestampedValue<T>& value, ByteWriter& out) {
    out.fixed(value.timestamp);
    TypeInfo<T>::encode(value.value, out);
  }
  static TimestampedValue<T> decode(ByteReader& in) {
    const auto timestamp = in.fixed<int64_t>();
    return {TypeInfo<T>::decode(in), timestamp};
  }
};

/// No evictor: a window keeps all its records.
struct NoEvictor {};

// An evictor removes records of a window before or after its function runs:
// `void evict_before(std::vector<TimestampedValue<T>>& elements, const W& window)` and evict_after() likewise.

/// Base of evictors that remove by one rule, either before the function or after it; `Rule` has
/// `void evict(std::vector<TimestampedValue<T>>&)`.
template <class Rule>
class RuleEvictor {
 public:
  RuleEvictor(Rule rule, bool after) : rule_(std::move(rule)), after_(after) {}

  template <class T, class W>
  void evict_before(std::vector<TimestampedValue<T>>& elements, const W&) {
    if (!after_) rule_.evict(elements);
  }
  template <class T, class W>
  void evict_after(std::vector<TimestampedValue<T>>& elements, const W&) {
    if (after_) rule_.evict(elements);
  }

 private:
  Rule rule_;
  bool after_;
};

struct KeepLast {
  int64_t count;
  template <class T>
  void evict(std::vector<TimestampedValue<T>>& elements) const {
    const int64_t surplus = static_cast<int64_t>(elements.size()) - count;
    if (surplus > 0) elements.erase(elements.begin(), elements.begin() + surplus);
  }
};

/// Keeps the last `count` records. @throws user error 7116 for less than 0
struct CountEvictor {
  static RuleEvictor<KeepLast> of(int64_t count, bool do_evict_after = false) {
    return {{checked_count("a count evictor", count, 0)}, do_evict_after};
  }
};

struct KeepRecent {
  int64_t span_ms;
  template <class T>
  void evict(std::vector<TimestampedValue<T>>& elements) const {
    int64_t newest = kNoTimestamp;
    for (const auto& element : elements) newest = std::max(newest, element.timestamp);
    if (newest == kNoTimestamp) return;
    std::erase_if(elements, [&](const auto& element) { return element.timestamp <= newest - span_ms; });
  }
};

/// Keeps the records that are less than a span older than the newest. @throws user error 7116 for a negative span
struct TimeEvictor {
  static RuleEvictor<KeepRecent> of(Duration span, bool do_evict_after = false) {
    return {{checked_millis("a time evictor with a span", span, 0)}, do_evict_after};
  }
};

template <class F>
struct KeepNear {
  double threshold;
  F delta;
  template <class T>
  void evict(std::vector<TimestampedValue<T>>& elements) const {
    if (elements.empty()) return;
    const T last = elements.back().value;
    std::erase_if(elements, [&](const auto& element) { return delta(element.value, last) >= threshold; });
  }
};

/// Keeps the records whose distance from the last one, `double(const T& a, const T& last)`, is below a threshold.
struct DeltaEvictor {
  template <class F>
  static RuleEvictor<KeepNear<F>> of(double threshold, F delta, bool do_evict_after = false) {
    return {{threshold, std::move(delta)}, do_evict_after};
  }
};

}  // namespace yeoul
