#include "yeoul/types/calendar.h"

namespace yeoul {

namespace {

// Years are counted from 1 March here, so that the leap day is a year's last day. An era is 400 years.
constexpr int64_t kDaysPerEra = 146097;
constexpr int64_t kDaysFromMarchYear0To1970 = 719468;

}  // namespace

int64_t days_from_civil(int64_t year, int month, int day) {
  if (month <= 2) --year;
  const int64_t era = floor_div(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t month_from_march = (month + 9) % 12;
  const int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * kDaysPerEra + day_of_era - kDaysFromMarchYear0To1970;
}

CivilDate civil_from_days(int64_t days) {
  days += kDaysFromMarchYear0To1970;
  const int64_t era = floor_div(days, kDaysPerEra);
  const int64_t day_of_era = days - era * kDaysPerEra;
  // Takes the leap days out, so that the rest is whole years of 365 days.
  const int64_t leap_days = day_of_era / 1460 - day_of_era / 36524 + day_of_era / 146096;
  const int64_t year_of_era = (day_of_era - leap_days) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int>(day_of_year - (153 * month_from_march + 2) / 5 + 1);
  const auto month = static_cast<int>(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
  return {era * 400 + year_of_era + (month <= 2), month, day};
}

int days_in_month(int64_t year, int month) {
  if (month == 2) return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

}  // namespace yeoul
