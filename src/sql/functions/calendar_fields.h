#pragma once

#include <cstdint>
#include <string_view>

#include "yeoul/types/value.h"

namespace yeoul {

/// The day `months` later; a day that the month lacks is its last.
int64_t add_months(int64_t days, int64_t months);

enum class CalendarUnit : uint8_t {
  kMillennium,
  kCentury,
  kDecade,
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
  kDow,     ///< Sunday is 1
  kIsoDow,  ///< Monday is 1
  kDoy,
  kIsoYear,
  kEpoch,
};

/// The unit of that name (upper case); false when there is none.
bool parse_calendar_unit(std::string_view name, CalendarUnit& unit);
/// EXTRACT(unit FROM day).
int64_t extract_from_day(CalendarUnit unit, int64_t days);
/// FLOOR and CEIL of a wall clock in milliseconds; weeks start on Sunday.
int64_t floor_to_unit(CalendarUnit unit, int64_t local_ms);
int64_t ceil_to_unit(CalendarUnit unit, int64_t local_ms);

}  // namespace yeoul
