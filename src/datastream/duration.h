#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace yeoul {

/// A span of time in milliseconds, made of a std::chrono duration or by Flink's names: `std::chrono::seconds(5)`,
/// `Duration::of_seconds(5)`.
class Duration {
 public:
  template <class Count, class Period>
  constexpr Duration(std::chrono::duration<Count, Period> value)  // NOLINT: durations are meant to convert
      : millis_(std::chrono::duration_cast<std::chrono::milliseconds>(value).count()) {}

  static constexpr Duration of_millis(int64_t millis) { return Duration(std::chrono::milliseconds(millis)); }
  static constexpr Duration of_seconds(int64_t seconds) { return of_millis(seconds * 1000); }
  static constexpr Duration of_minutes(int64_t minutes) { return of_seconds(minutes * 60); }
  static constexpr Duration of_hours(int64_t hours) { return of_minutes(hours * 60); }
  static constexpr Duration of_days(int64_t days) { return of_hours(days * 24); }

  constexpr int64_t to_millis() const { return millis_; }

 private:
  int64_t millis_;
};

/// Milliseconds of a span that must not be less than `min_ms`; `what` names it in the error.
/// @throws user error 7116
int64_t checked_millis(std::string_view what, Duration span, int64_t min_ms);
/// The same for a number of records.
int64_t checked_count(std::string_view what, int64_t count, int64_t min);

/// PyFlink's other spelling: `Time::seconds(5)`.
struct Time {
  static constexpr Duration milliseconds(int64_t count) { return Duration::of_millis(count); }
  static constexpr Duration seconds(int64_t count) { return Duration::of_seconds(count); }
  static constexpr Duration minutes(int64_t count) { return Duration::of_minutes(count); }
  static constexpr Duration hours(int64_t count) { return Duration::of_hours(count); }
  static constexpr Duration days(int64_t count) { return Duration::of_days(count); }
};

}  // namespace yeoul
