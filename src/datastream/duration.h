#pragma once

#include <chrono>
#include <cstdint>
#include <ratio>
#include <string_view>
#include <type_traits>

namespace yeoul {

/// @param unit_s  the unit, in seconds. @throws user error 7116
[[noreturn]] void throw_too_long(double count, double unit_s);

/// A span of time in milliseconds, made of a std::chrono duration or by Flink's names: `std::chrono::seconds(5)`,
/// `Duration::of_seconds(5)`. @throws user error 7116 for more milliseconds than 64 bits hold
class Duration {
 public:
  template <class Count, class Period>
  constexpr Duration(std::chrono::duration<Count, Period> value)  // NOLINT: durations are meant to convert
      : millis_(in_millis(value)) {}

  static constexpr Duration of_millis(int64_t millis) { return Duration(std::chrono::milliseconds(millis)); }
  static constexpr Duration of_seconds(int64_t seconds) { return Duration(std::chrono::seconds(seconds)); }
  static constexpr Duration of_minutes(int64_t minutes) { return Duration(Minutes(minutes)); }
  static constexpr Duration of_hours(int64_t hours) { return Duration(Hours(hours)); }
  static constexpr Duration of_days(int64_t days) { return Duration(Days(days)); }

  constexpr int64_t to_millis() const { return millis_; }

 private:
  // Those of std::chrono may count with fewer bits.
  using Minutes = std::chrono::duration<int64_t, std::ratio<60>>;
  using Hours = std::chrono::duration<int64_t, std::ratio<3600>>;
  using Days = std::chrono::duration<int64_t, std::ratio<86400>>;

  template <class Count, class Period>
  static constexpr int64_t in_millis(std::chrono::duration<Count, Period> value) {
    using PerMilli = std::ratio_divide<Period, std::milli>;
    if constexpr (std::is_floating_point_v<Count>) {
      const auto millis = static_cast<double>(value.count()) * PerMilli::num / PerMilli::den;
      constexpr double kLimit = 9223372036854775808.0;  // 2^63
      if (!(millis >= -kLimit && millis < kLimit))
        throw_too_long(static_cast<double>(value.count()), seconds_of<Period>());
      return static_cast<int64_t>(millis);
    } else {
      int64_t millis = 0;
      if (__builtin_mul_overflow(value.count(), PerMilli::num, &millis)) {
        throw_too_long(static_cast<double>(value.count()), seconds_of<Period>());
      }
      return millis / PerMilli::den;
    }
  }
  template <class Period>
  static constexpr double seconds_of() {
    return static_cast<double>(Period::num) / static_cast<double>(Period::den);
  }

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
