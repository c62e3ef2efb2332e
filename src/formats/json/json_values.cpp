#include "yeoul/formats/json/json_values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "yeoul/types/text.h"

namespace yeoul {
namespace {

bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Takes `count` digits off the front.
bool take_digits(std::string_view& text, size_t count, int& value) {
  if (text.size() < count) return false;
  value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!is_decimal_digit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool take_char(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

struct LocalDate {
  int64_t year = 0;
  int month = 0;
  int day = 0;
};

/// ISO_LOCAL_DATE's text: a year of 4 to 9 digits, with a sign exactly when it is negative or has more than 4.
bool take_date(std::string_view& text, LocalDate& date) {
  const bool negative = take_char(text, '-');
  const bool positive = !negative && take_char(text, '+');
  size_t digits = 0;
  while (digits < text.size() && digits < 9 && is_decimal_digit(text[digits])) ++digits;
  if (digits < 4 || (digits > 4 && !negative && !positive) || (digits == 4 && positive)) return false;
  int year = 0;
  if (!take_digits(text, digits, year) || (negative && year == 0)) return false;
  date.year = negative ? -year : year;
  return take_char(text, '-') && take_digits(text, 2, date.month) && take_char(text, '-') &&
         take_digits(text, 2, date.day);
}

struct LocalTime {
  int hour = 0;
  int minute = 0;
  int second = 0;
  int32_t nanos = 0;
};

bool take_fraction(std::string_view& text, int32_t& nanos) {
  if (!take_char(text, '.')) return true;
  int32_t unit = 100'000'000;
  for (int i = 0; i < 9 && !text.empty() && is_decimal_digit(text.front()); ++i) {
    nanos += (text.front() - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return true;
}

bool take_time(std::string_view& text, bool seconds_optional, LocalTime& time) {
  if (!take_digits(text, 2, time.hour) || !take_char(text, ':') || !take_digits(text, 2, time.minute)) return false;
  if (seconds_optional && (text.empty() || text.front() != ':')) return true;
  return take_char(text, ':') && take_digits(text, 2, time.second) && take_fraction(text, time.nanos);
}

/// java.time's resolvers: strict takes what exists, smart cuts the day to the month's last and takes 24:00.
bool resolve_date(const LocalDate& date, bool smart, int64_t& days) {
  if (date.month < 1 || date.month > 12 || date.day < 1 || date.day > 31) return false;
  const int last = days_in_month(date.year, date.month);
  if (date.day > last && !smart) return false;
  days = days_from_civil(date.year, date.month, std::min(date.day, last));
  return true;
}

bool resolve_time(const LocalTime& time, bool smart, int64_t& millis, int32_t& nanos) {
  if (time.minute > 59 || time.second > 59) return false;
  if (time.hour > 23 && !(smart && time.hour == 24 && time.minute == 0 && time.second == 0 && time.nanos == 0)) {
    return false;
  }
  millis = ((time.hour * 60 + time.minute) * 60 + time.second) * int64_t{1000} + time.nanos / 1'000'000;
  nanos = time.nanos % 1'000'000;
  return true;
}

bool parse_timestamp(std::string_view text, TimestampStandard standard, bool utc, TimestampValue& value) {
  LocalDate date;
  LocalTime time;
  const bool iso = standard == TimestampStandard::kIso8601;
  if (!take_date(text, date)) return false;
  // ISO_LOCAL_DATE_TIME ignores the case of its 'T'.
  if (!take_char(text, iso ? 'T' : ' ') && !(iso && !utc && take_char(text, 't'))) return false;
  if (!take_time(text, iso, time)) return false;
  if (utc && !take_char(text, 'Z')) return false;
  const bool smart = !iso || utc;
  int64_t days = 0;
  if (!text.empty() || !resolve_date(date, smart, days) || !resolve_time(time, smart, value.millis, value.nanos)) {
    return false;
  }
  value.millis += days * 86'400'000;
  return true;
}

/// 'HH:mm:ss' that exists, from eight bytes at once.
bool parse_clock(const char* text, int64_t& second_of_day) {
  static_assert(std::endian::native == std::endian::little);
  uint64_t bytes;
  std::memcpy(&bytes, text, sizeof bytes);
  bytes ^= 0x30303a30303a3030;  // digits become 0 to 9, colons 0
  if (((bytes | (bytes + 0x76767f76767f7676)) & 0x8080808080808080) != 0) return false;
  bytes = bytes * 10 + (bytes >> 8);  // in bytes 0, 3 and 6 the two digits of a number
  const auto hour = static_cast<int64_t>(bytes & 0xff);
  const auto minute = static_cast<int64_t>((bytes >> 24) & 0xff);
  const auto second = static_cast<int64_t>((bytes >> 48) & 0xff);
  second_of_day = (hour * 60 + minute) * 60 + second;
  return hour < 24 && minute < 60 && second < 60;
}

/// The usual form, 'yyyy-MM-dd', `separator`, 'HH:mm:ss' and up to 9 digits of a fraction, of a date that exists.
/// False: it is not that, which need not be wrong.
bool parse_usual_timestamp(std::string_view text, char separator, LastDate& last, TimestampValue& value) {
  constexpr size_t kDate = sizeof last.text;
  constexpr size_t kSeconds = kDate + 1 + 8;
  if (text.size() < kSeconds || text[kDate] != separator) return false;
  int64_t second_of_day = 0;
  if (!parse_clock(text.data() + kDate + 1, second_of_day)) return false;
  int32_t nanos = 0;
  std::string_view fraction = text.substr(kSeconds);
  if (fraction.size() == 4 && fraction[0] == '.' && is_decimal_digit(fraction[1]) && is_decimal_digit(fraction[2]) &&
      is_decimal_digit(fraction[3])) {
    nanos = ((fraction[1] - '0') * 100 + (fraction[2] - '0') * 10 + (fraction[3] - '0')) * 1'000'000;
  } else if (!fraction.empty() && (!take_fraction(fraction, nanos) || !fraction.empty())) {
    return false;
  }
  if (std::memcmp(text.data(), last.text, kDate) != 0) {
    std::string_view rest = text.substr(0, kDate);
    LocalDate date;
    int64_t days = 0;
    if (!take_date(rest, date) || !rest.empty() || !resolve_date(date, false, days)) return false;
    std::memcpy(last.text, text.data(), kDate);
    last.days = days;
  }
  value.millis = last.days * 86'400'000 + second_of_day * 1000 + nanos / 1'000'000;
  value.nanos = nanos % 1'000'000;
  return true;
}

/// The form of Double.parseDouble's decimal text without sign and suffix.
bool is_decimal_form(std::string_view text) {
  size_t at = 0;
  size_t digits = 0;
  const auto take = [&] {
    while (at < text.size() && is_decimal_digit(text[at])) ++at, ++digits;
  };
  take();
  if (at < text.size() && text[at] == '.') {
    ++at;
    take();
  }
  if (digits == 0) return false;
  if (at == text.size()) return true;
  if (text[at] != 'e' && text[at] != 'E') return false;
  ++at;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
  digits = 0;
  take();
  return digits > 0 && at == text.size();
}

template <class T>
bool parse_java_real(std::string_view text, T& value) {
  text = java_trim(text);
  const bool negative = !text.empty() && text.front() == '-';
  if (negative || (!text.empty() && text.front() == '+')) text.remove_prefix(1);
  if (text == "NaN" || text == "Infinity") {
    value = text == "NaN" ? std::numeric_limits<T>::quiet_NaN() : std::numeric_limits<T>::infinity();
  } else {
    const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!text.empty() && std::string_view("dDfF").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    if (hex) {
      text.remove_prefix(2);
      if (text.find_first_of("pP") == std::string_view::npos) return false;
    } else if (!is_decimal_form(text)) {
      return false;
    }
    const auto format = hex ? std::chars_format::hex : std::chars_format::general;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, format);
    if (code == std::errc::result_out_of_range) {
      // from_chars does not say which way; strtod goes to zero or infinity as Java does.
      const double wide = std::strtod((hex ? "0x" + std::string(text) : std::string(text)).c_str(), nullptr);
      value = wide > 1 ? std::numeric_limits<T>::infinity() : static_cast<T>(wide);
    } else if (code != std::errc() || end != text.data() + text.size()) {
      return false;
    }
  }
  if (negative) value = -value;
  return true;
}

}  // namespace

std::string_view java_trim(std::string_view text) {
  while (!text.empty() && static_cast<uint8_t>(text.front()) <= ' ') text.remove_prefix(1);
  while (!text.empty() && static_cast<uint8_t>(text.back()) <= ' ') text.remove_suffix(1);
  return text;
}

bool parse_java_long(std::string_view text, int64_t& value) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return false;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  return code == std::errc() && stop == end;
}

bool parse_java_double(std::string_view text, double& value) {
  return parse_java_real(text, value);
}
bool parse_java_float(std::string_view text, float& value) {
  return parse_java_real(text, value);
}

bool is_java_decimal(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  if (!is_decimal_form(text)) return false;
  const size_t e = text.find_first_of("eE");
  // BigDecimal's exponent has at most ten digits.
  return e == std::string_view::npos || text.size() - e <= 12;
}

bool parse_java_date(std::string_view text, int32_t& days) {
  LocalDate date;
  int64_t wide = 0;
  if (!take_date(text, date) || !text.empty() || !resolve_date(date, false, wide)) return false;
  days = static_cast<int32_t>(wide);
  return true;
}

bool parse_java_time(std::string_view text, int32_t& millis) {
  LocalTime time;
  int64_t wide = 0;
  int32_t nanos = 0;
  if (!take_time(text, false, time) || !text.empty() || !resolve_time(time, true, wide, nanos)) return false;
  millis = static_cast<int32_t>(wide % 86'400'000);
  return true;
}

bool parse_java_timestamp(std::string_view text, TimestampStandard standard, LastDate& last, TimestampValue& value) {
  const char separator = standard == TimestampStandard::kIso8601 ? 'T' : ' ';
  return parse_usual_timestamp(text, separator, last, value) || parse_timestamp(text, standard, false, value);
}
bool parse_java_timestamp_ltz(std::string_view text, TimestampStandard standard, LastDate& last,
                              TimestampValue& value) {
  const char separator = standard == TimestampStandard::kIso8601 ? 'T' : ' ';
  const bool zoned = !text.empty() && text.back() == 'Z';
  return (zoned && parse_usual_timestamp(text.substr(0, text.size() - 1), separator, last, value)) ||
         parse_timestamp(text, standard, true, value);
}

bool parse_base64(std::string_view text, std::string& out) {
  uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (static_cast<uint8_t>(c) <= ' ' && digits == 0 && padding == 0) continue;  // between groups only, as Jackson
    uint32_t digit = 0;
    if (c >= 'A' && c <= 'Z') {
      digit = static_cast<uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      digit = static_cast<uint32_t>(c - 'a' + 26);
    } else if (is_decimal_digit(c)) {
      digit = static_cast<uint32_t>(c - '0' + 52);
    } else if (c == '+' || c == '/') {
      digit = c == '+' ? 62 : 63;
    } else if (c == '=' && digits >= 2) {
      ++padding;
    } else {
      return false;
    }
    if (padding != 0 && c != '=') return false;
    group = group << 6 | digit;
    if (++digits < 4) continue;
    out += static_cast<char>(group >> 16);
    if (padding < 2) out += static_cast<char>(group >> 8);
    if (padding < 1) out += static_cast<char>(group);
    group = 0;
    digits = 0;
  }
  return digits == 0;
}

}  // namespace yeoul
