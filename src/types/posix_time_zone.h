#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yeoul {

/// The rule of a TZif footer, such as "EST5EDT,M3.2.0,M11.1.0": what holds after the last recorded transition.
struct PosixTimeZone {
  /// A day of the year and a time of that day at which the clock is changed.
  struct Change {
    enum class Kind { kMonthWeekDay, kJulianWithoutLeapDay, kDayOfYear } kind = Kind::kMonthWeekDay;
    int month = 0;
    int week = 0;
    int day = 0;
    int32_t seconds = 7200;
  };
  int32_t standard_offset = 0;  ///< Seconds east of UTC.
  bool has_daylight = false;
  int32_t daylight_offset = 0;
  Change daylight_start;
  Change daylight_end;
};

/// Nothing when the text follows no rule of POSIX (TZ) with the extensions of RFC 8536.
std::optional<PosixTimeZone> parse_posix_time_zone(std::string_view text);

/// The change in a year, in seconds since the epoch as the wall clock shows before it.
int64_t local_seconds_of(const PosixTimeZone::Change& change, int64_t year);

}  // namespace yeoul
