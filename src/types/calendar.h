#pragma once

#include <cstdint>

namespace yeoul {

inline constexpr int64_t kSecondsPerDay = 86'400;
inline constexpr int64_t kMillisPerDay = kSecondsPerDay * 1000;

/// Quotient rounded down, for times before 1970. `by` is positive.
constexpr int64_t floor_div(int64_t value, int64_t by) {
  return value / by - (value % by < 0);
}

/// Proleptic Gregorian days since 1970-01-01, and back.
int64_t days_from_civil(int64_t year, int month, int day);
struct CivilDate {
  int64_t year;
  int month;
  int day;
};
CivilDate civil_from_days(int64_t days);
int days_in_month(int64_t year, int month);

}  // namespace yeoul
