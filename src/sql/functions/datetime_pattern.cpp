#include "yeoul/sql/functions/datetime_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "yeoul/sql/functions/calendar_fields.h"
#include "yeoul/types/calendar.h"

namespace yeoul {

namespace {

constexpr std::string_view kMonths[] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

constexpr std::string_view kFormatterLetters = "GyuYQqMLwWdDFEeaHhKkmsSAnNVzOXxZ";
constexpr std::string_view kSimpleLetters = "GyYMLwWDdFEuaHkKhmsSzZX";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// The wall clock cut into what patterns name.
struct WallClock {
  explicit WallClock(TimestampValue local)
      : days(floor_div(local.millis, kMillisPerDay)),
        millis_of_day(local.millis - days * kMillisPerDay),
        date(civil_from_days(days)),
        nanos(static_cast<int64_t>(millis_of_day % 1000) * 1000000 + local.nanos) {}
  int hour() const { return static_cast<int>(millis_of_day / 3600000); }
  int minute() const { return static_cast<int>(millis_of_day / 60000 % 60); }
  int second() const { return static_cast<int>(millis_of_day / 1000 % 60); }
  int64_t days;
  int64_t millis_of_day;
  CivilDate date;
  int64_t nanos;
};

/// Year and week of the US calendar: weeks start on Sunday, the week of January 1 is the first.
void week_of_us_year(int64_t days, int64_t& year, int64_t& week) {
  const int64_t saturday = days + 7 - extract_from_day(CalendarUnit::kDow, days);
  year = civil_from_days(saturday).year;
  const int64_t first = days_from_civil(year, 1, 1);
  const int64_t first_sunday = first - (extract_from_day(CalendarUnit::kDow, first) - 1);
  week = (days - first_sunday) / 7 + 1;
}

void append_padded(int64_t value, int width, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:0{}}", value, width);
}

std::string offset_text(int64_t offset_ms, bool colon, bool zulu) {
  if (offset_ms == 0 && zulu) return "Z";
  const int64_t minutes = (offset_ms < 0 ? -offset_ms : offset_ms) / 60000;
  return fmt::format("{}{:02}{}{:02}", offset_ms < 0 ? '-' : '+', minutes / 60, colon ? ":" : "", minutes % 60);
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  if (text.size() < prefix.size()) return false;
  for (size_t i = 0; i < prefix.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != std::tolower(static_cast<unsigned char>(prefix[i]))) {
      return false;
    }
  }
  return true;
}

}  // namespace

struct DateTimePattern::Fields {
  int64_t year = 1970;
  int64_t month = 1;
  int64_t day = 1;
  int64_t day_of_year = 0;
  int64_t hour = 0;
  int64_t half_day_hour = -1;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t nanos = 0;
  bool afternoon = false;
  bool has_offset = false;
  int64_t offset_ms = 0;
};

DateTimePattern::DateTimePattern(std::string_view pattern, Style style) : style_(style) {
  const std::string_view letters = style == Style::kFormatter ? kFormatterLetters : kSimpleLetters;
  for (size_t at = 0; at < pattern.size();) {
    const char c = pattern[at];
    if (c == '\'') {
      std::string text;
      size_t end = at + 1;
      bool closed = false;
      while (end < pattern.size()) {
        if (pattern[end] == '\'') {
          if (end + 1 < pattern.size() && pattern[end + 1] == '\'') {
            ++end;
          } else {
            closed = true;
            break;
          }
        }
        text += pattern[end++];
      }
      if (!closed) error_ = fmt::format("Pattern ends with an incomplete string literal: {}", pattern);
      if (text.empty()) text = "'";
      tokens_.push_back({0, 0, text});
      at = end + 1;
    } else if (is_letter(c)) {
      size_t end = at;
      while (end < pattern.size() && pattern[end] == c) ++end;
      if (letters.find(c) == std::string_view::npos && error_.empty()) {
        error_ = style == Style::kFormatter ? fmt::format("Unknown pattern letter: {}", c)
                                            : fmt::format("Illegal pattern character '{}'", c);
      }
      tokens_.push_back({c, static_cast<int>(end - at), {}});
      at = end;
    } else if (style == Style::kFormatter && (c == '[' || c == ']')) {
      ++at;
    } else {
      if (tokens_.empty() || tokens_.back().letter != 0) tokens_.push_back({});
      tokens_.back().text += c;
      ++at;
    }
  }
}

std::string DateTimePattern::format(TimestampValue local, const TimeZone* zone, std::string& out) const {
  const WallClock clock(local);
  const bool simple = style_ == Style::kSimple;
  int64_t week_year = 0;
  int64_t week = 0;
  for (const Token& token : tokens_) {
    const int count = token.count;
    switch (token.letter) {
      case 0:
        out += token.text;
        break;
      case 'G':
        out += clock.date.year > 0 ? "AD" : "BC";
        break;
      case 'u':
        if (simple) {
          append_padded(extract_from_day(CalendarUnit::kIsoDow, clock.days), count, out);
          break;
        }
        [[fallthrough]];
      case 'y':
        if (count == 2) {
          append_padded(floor_div(clock.date.year, 1) % 100, 2, out);
        } else {
          append_padded(clock.date.year, count, out);
        }
        break;
      case 'Y':
        week_of_us_year(clock.days, week_year, week);
        append_padded(count == 2 ? week_year % 100 : week_year, count, out);
        break;
      case 'w':
        week_of_us_year(clock.days, week_year, week);
        append_padded(week, count, out);
        break;
      case 'Q':
      case 'q':
        append_padded((clock.date.month + 2) / 3, count, out);
        break;
      case 'M':
      case 'L': {
        const std::string_view name = kMonths[clock.date.month - 1];
        if (count <= 2) append_padded(clock.date.month, count, out);
        if (count >= 3) out += count == 3 ? name.substr(0, 3) : name;
        break;
      }
      case 'd':
        append_padded(clock.date.day, count, out);
        break;
      case 'D':
        append_padded(extract_from_day(CalendarUnit::kDoy, clock.days), count, out);
        break;
      case 'e':
        append_padded(extract_from_day(CalendarUnit::kDow, clock.days), count, out);
        break;
      case 'E': {
        const std::string_view name = kDays[extract_from_day(CalendarUnit::kIsoDow, clock.days) - 1];
        out += count <= 3 ? name.substr(0, 3) : name;
        break;
      }
      case 'a':
        out += clock.hour() < 12 ? "AM" : "PM";
        break;
      case 'H':
        append_padded(clock.hour(), count, out);
        break;
      case 'k':
        append_padded(clock.hour() == 0 ? 24 : clock.hour(), count, out);
        break;
      case 'K':
        append_padded(clock.hour() % 12, count, out);
        break;
      case 'h':
        append_padded(clock.hour() % 12 == 0 ? 12 : clock.hour() % 12, count, out);
        break;
      case 'm':
        append_padded(clock.minute(), count, out);
        break;
      case 's':
        append_padded(clock.second(), count, out);
        break;
      case 'S':
        if (simple) {
          append_padded(clock.millis_of_day % 1000, count, out);
        } else {
          out += fmt::format("{:09}", clock.nanos).substr(0, static_cast<size_t>(std::min(count, 9)));
        }
        break;
      case 'n':
        append_padded(clock.nanos, count, out);
        break;
      case 'A':
        append_padded(clock.millis_of_day, count, out);
        break;
      default: {
        if (zone == nullptr) {
          return token.letter == 'z' || token.letter == 'V'
                     ? std::string("Unable to extract ZoneId: the pattern asks for a zone, a timestamp has none")
                     : std::string("Unsupported field: OffsetSeconds");
        }
        const int64_t offset = zone->offset_at_instant_ms(zone->local_to_instant_ms(local.millis));
        if (token.letter == 'z') {
          out += zone->name();
        } else if (token.letter == 'X') {
          out += offset_text(offset, count >= 3, true);
        } else {
          out += offset_text(offset, false, false);
        }
        break;
      }
    }
  }
  return {};
}

bool DateTimePattern::is_numeric(size_t index) const {
  if (index >= tokens_.size()) return false;
  const Token& token = tokens_[index];
  if (token.letter == 'M' || token.letter == 'L') return token.count <= 2;
  return token.letter != 0 && std::string_view("yuYdDHhkKmsSnwWFQqA").find(token.letter) != std::string_view::npos;
}

bool DateTimePattern::parse_numeric(size_t index, std::string_view text, size_t& at, Fields& fields) const {
  const Token& token = tokens_[index];
  const bool simple = style_ == Style::kSimple;
  while (simple && at < text.size() && text[at] == ' ') ++at;
  const bool is_year = token.letter == 'y' || token.letter == 'u' || token.letter == 'Y';
  size_t low = 1;
  size_t high = 18;
  if (is_numeric(index + 1) || (!simple && token.letter == 'S')) {
    low = high = static_cast<size_t>(token.count);
  } else if (!simple && is_year) {
    low = static_cast<size_t>(token.count);
    high = token.count == 2 ? 2 : token.count == 4 ? 4 : 18;
  } else if (!simple && token.count >= 2) {
    low = high = static_cast<size_t>(token.count);
  }
  int64_t value = 0;
  size_t digits = 0;
  const bool negative = simple && at < text.size() && text[at] == '-' && !is_numeric(index + 1);
  if (negative) ++at;
  while (digits < high && at < text.size() && text[at] >= '0' && text[at] <= '9') {
    value = value * 10 + (text[at++] - '0');
    ++digits;
  }
  if (digits == 0 || (!simple && digits < low)) return false;
  if (negative) value = -value;
  switch (token.letter) {
    case 'y':
    case 'u':
    case 'Y':
      if (simple && token.letter == 'u') break;
      fields.year = token.count == 2 && digits == 2 ? (simple && value > 44 ? 1900 + value : 2000 + value) : value;
      break;
    case 'M':
    case 'L':
      fields.month = value;
      break;
    case 'd':
      fields.day = value;
      break;
    case 'D':
      fields.day_of_year = value;
      break;
    case 'H':
      fields.hour = value;
      break;
    case 'k':
      fields.hour = value % 24;
      break;
    case 'h':
    case 'K':
      fields.half_day_hour = value % 12;
      break;
    case 'm':
      fields.minute = value;
      break;
    case 's':
      fields.second = value;
      break;
    case 'S':
      fields.nanos = value;
      if (simple) {
        fields.nanos *= 1000000;
      } else {
        for (int i = token.count; i < 9; ++i) fields.nanos *= 10;
      }
      break;
    case 'n':
      fields.nanos = value;
      break;
    default:
      break;
  }
  return true;
}

bool DateTimePattern::parse_token(size_t index, std::string_view text, size_t& at, Fields& fields) const {
  const Token& token = tokens_[index];
  const std::string_view rest = text.substr(at);
  if (token.letter == 0) {
    if (!rest.starts_with(token.text)) return false;
    at += token.text.size();
    return true;
  }
  if (is_numeric(index)) return parse_numeric(index, text, at, fields);
  switch (token.letter) {
    case 'M':
    case 'L':
      for (int month = 0; month < 12; ++month) {
        for (const std::string_view name : {kMonths[month], kMonths[month].substr(0, 3)}) {
          if (!starts_with_ignoring_case(rest, name)) continue;
          fields.month = month + 1;
          at += name.size();
          return true;
        }
      }
      return false;
    case 'E':
      for (const std::string_view day : kDays) {
        for (const std::string_view name : {day, day.substr(0, 3)}) {
          if (!starts_with_ignoring_case(rest, name)) continue;
          at += name.size();
          return true;
        }
      }
      return false;
    case 'a':
      if (!starts_with_ignoring_case(rest, "AM") && !starts_with_ignoring_case(rest, "PM")) return false;
      fields.afternoon = std::tolower(static_cast<unsigned char>(rest[0])) == 'p';
      at += 2;
      return true;
    case 'Z':
    case 'X':
    case 'x': {
      fields.has_offset = true;
      if (!rest.empty() && rest[0] == 'Z' && token.letter != 'Z') {
        ++at;
        return true;
      }
      if (rest.size() < 3 || (rest[0] != '+' && rest[0] != '-')) return false;
      int digits[4] = {0, 0, 0, 0};
      int count = 0;
      size_t used = 1;
      for (; used < rest.size() && count < 4; ++used) {
        if (rest[used] == ':') continue;
        if (rest[used] < '0' || rest[used] > '9') break;
        digits[count++] = rest[used] - '0';
      }
      if (count < 2) return false;
      const int64_t minutes = (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3];
      fields.offset_ms = (rest[0] == '-' ? -1 : 1) * minutes * 60000;
      at += used;
      return true;
    }
    default:
      return false;
  }
}

std::optional<DateTimePattern::Parsed> DateTimePattern::resolve(const Fields& fields) const {
  int64_t hour = fields.hour;
  if (fields.half_day_hour >= 0) hour = fields.half_day_hour + (fields.afternoon ? 12 : 0);
  int64_t days = 0;
  if (style_ == Style::kFormatter) {
    const bool midnight = hour == 24 && fields.minute == 0 && fields.second == 0 && fields.nanos == 0;
    if (fields.month < 1 || fields.month > 12 || fields.day < 1 || fields.day > 31 || (hour > 23 && !midnight) ||
        fields.minute > 59 || fields.second > 59) {
      return std::nullopt;
    }
    const int month = static_cast<int>(fields.month);
    const int day = static_cast<int>(std::min<int64_t>(fields.day, days_in_month(fields.year, month)));
    days = days_from_civil(fields.year, month, day);
  } else {
    if (fields.year > 100000 || fields.year < -100000 || std::abs(fields.month) > 1000000) return std::nullopt;
    days = add_months(days_from_civil(fields.year, 1, 1), fields.month - 1) + fields.day - 1;
  }
  if (fields.day_of_year > 0) days = days_from_civil(fields.year, 1, 1) + fields.day_of_year - 1;
  const int64_t seconds = (hour * 60 + fields.minute) * 60 + fields.second;
  Parsed parsed;
  parsed.value.millis = days * kMillisPerDay + seconds * 1000 + fields.nanos / 1000000;
  parsed.value.nanos = static_cast<int32_t>(fields.nanos % 1000000);
  if (fields.has_offset) {
    parsed.value.millis -= fields.offset_ms;
    parsed.instant = true;
  }
  return parsed;
}

std::optional<DateTimePattern::Parsed> DateTimePattern::parse(std::string_view text) const {
  if (!error_.empty()) return std::nullopt;
  Fields fields;
  size_t at = 0;
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (!parse_token(i, text, at, fields)) return std::nullopt;
  }
  if (style_ == Style::kFormatter && at != text.size()) return std::nullopt;
  return resolve(fields);
}

}  // namespace yeoul
