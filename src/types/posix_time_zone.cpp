#include "yeoul/types/posix_time_zone.h"

#include "yeoul/types/calendar.h"

namespace yeoul {

namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<PosixTimeZone> parse() {
    PosixTimeZone zone;
    if (!skip_name() || !read_time(zone.standard_offset)) return std::nullopt;
    // POSIX counts west of Greenwich.
    zone.standard_offset = -zone.standard_offset;
    if (text_.empty()) return zone;
    zone.has_daylight = true;
    zone.daylight_offset = zone.standard_offset + 3600;
    if (!skip_name()) return std::nullopt;
    if (!text_.empty() && text_[0] != ',') {
      if (!read_time(zone.daylight_offset)) return std::nullopt;
      zone.daylight_offset = -zone.daylight_offset;
    }
    if (!read_change(zone.daylight_start) || !read_change(zone.daylight_end) || !text_.empty()) return std::nullopt;
    return zone;
  }

 private:
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool read_number(int& number) {
    size_t digits = 0;
    number = 0;
    for (; digits < text_.size() && digits < 4 && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      number = number * 10 + (text_[digits] - '0');
    }
    text_.remove_prefix(digits);
    return digits != 0;
  }
  bool skip_name() {
    size_t end = 0;
    if (take('<')) {
      end = text_.find('>');
      if (end == std::string_view::npos) return false;
      text_.remove_prefix(end + 1);
      return true;
    }
    while (end < text_.size() && ((text_[end] | 0x20) >= 'a' && (text_[end] | 0x20) <= 'z')) ++end;
    text_.remove_prefix(end);
    return end >= 3;
  }
  /// [+-]hh[:mm[:ss]] in seconds.
  bool read_time(int32_t& seconds) {
    const bool negative = take('-');
    if (!negative) take('+');
    int part = 0;
    if (!read_number(part)) return false;
    seconds = part * 3600;
    for (int unit = 60; unit >= 1 && take(':'); unit /= 60) {
      if (!read_number(part)) return false;
      seconds += part * unit;
    }
    if (negative) seconds = -seconds;
    return true;
  }
  bool read_change(PosixTimeZone::Change& change) {
    using Kind = PosixTimeZone::Change::Kind;
    if (!take(',')) return false;
    if (take('M')) {
      change.kind = Kind::kMonthWeekDay;
      if (!read_number(change.month) || !take('.') || !read_number(change.week) || !take('.') ||
          !read_number(change.day) || change.month < 1 || change.month > 12 || change.week < 1 || change.week > 5 ||
          change.day > 6) {
        return false;
      }
    } else {
      change.kind = take('J') ? Kind::kJulianWithoutLeapDay : Kind::kDayOfYear;
      if (!read_number(change.day)) return false;
    }
    return !take('/') || read_time(change.seconds);
  }

  std::string_view text_;
};

/// Days since 1970-01-01 of the week'th (5: last) weekday (0: Sunday) of a month.
int64_t day_of_month_rule(const PosixTimeZone::Change& change, int64_t year) {
  const int64_t first = days_from_civil(year, change.month, 1);
  // 1970-01-01 was a Thursday.
  const int64_t weekday = ((first + 4) % 7 + 7) % 7;
  int64_t day = (change.day - weekday + 7) % 7 + (change.week - 1) * 7;
  if (day >= days_in_month(year, change.month)) day -= 7;
  return first + day;
}

}  // namespace

std::optional<PosixTimeZone> parse_posix_time_zone(std::string_view text) {
  return Parser(text).parse();
}

int64_t local_seconds_of(const PosixTimeZone::Change& change, int64_t year) {
  using Kind = PosixTimeZone::Change::Kind;
  int64_t day = 0;
  if (change.kind == Kind::kMonthWeekDay) {
    day = day_of_month_rule(change, year);
  } else {
    day = days_from_civil(year, 1, 1) + change.day;
    if (change.kind == Kind::kJulianWithoutLeapDay) {
      // J60 is 1 March in every year.
      const bool skips_leap_day = change.day >= 60 && days_in_month(year, 2) == 29;
      day += skips_leap_day ? 0 : -1;
    }
  }
  return day * kSecondsPerDay + change.seconds;
}

}  // namespace yeoul
