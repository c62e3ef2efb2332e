#include "yeoul/formats/json/json_text.h"

#include <charconv>
#include <cmath>

#include "yeoul/formats/json/json_values.h"
#include "yeoul/types/text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace yeoul {
namespace {

/// 0: as it is; 'u': by number; else the letter behind the backslash.
constexpr char escape_of(uint8_t c) {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return c < 0x20 ? 'u' : '\0';
  }
}

/// Length of the run from `at` that needs no escape.
size_t plain_run(const char* at, const char* end) {
  const char* const first = at;
#ifdef __SSE2__
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  while (end - at >= 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i bad = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                                     _mm_cmpeq_epi8(_mm_min_epu8(block, control), block));
    const int mask = _mm_movemask_epi8(bad);
    if (mask != 0)
      return static_cast<size_t>(at - first) + static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
    at += 16;
  }
#endif
  while (at < end && escape_of(static_cast<uint8_t>(*at)) == '\0') ++at;
  return static_cast<size_t>(at - first);
}

void append_two(int64_t value, std::string& out) {
  out += static_cast<char>('0' + value / 10);
  out += static_cast<char>('0' + value % 10);
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  out += '"';
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    const size_t run = plain_run(at, end);
    out.append(at, run);
    at += run;
    if (at == end) break;
    const auto c = static_cast<uint8_t>(*at++);
    const char escape = escape_of(c);
    out += '\\';
    out += escape;
    if (escape == 'u') {
      out += "00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    }
  }
  out += '"';
}

void append_json_integer(int64_t value, std::string& out) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, static_cast<size_t>(end - digits));
}

void append_java_decimal(bool negative, std::string_view digits, int64_t scale, std::string& out) {
  if (negative) out += '-';
  const auto count = static_cast<int64_t>(digits.size());
  const int64_t exponent = count - 1 - scale;
  if (scale >= 0 && exponent >= -6) {
    if (scale == 0) {
      out += digits;
    } else if (count > scale) {
      out += digits.substr(0, static_cast<size_t>(count - scale));
      out += '.';
      out += digits.substr(static_cast<size_t>(count - scale));
    } else {
      out += "0.";
      out.append(static_cast<size_t>(scale - count), '0');
      out += digits;
    }
    return;
  }
  out += digits[0];
  if (count > 1) {
    out += '.';
    out += digits.substr(1);
  }
  if (exponent != 0) {
    out += 'E';
    if (exponent > 0) out += '+';
    append_json_integer(exponent, out);
  }
}

void append_json_fraction(std::string_view number, bool exact, std::string& out) {
  if (!exact) {
    double value = 0;
    parse_java_double(number, value);
    // Jackson quotes what JSON has no number for.
    if (!std::isfinite(value)) out += '"';
    append_double_text(value, out);
    if (!std::isfinite(value)) out += '"';
    return;
  }
  const bool negative = number.front() == '-';
  if (negative) number.remove_prefix(1);
  std::string digits;
  int64_t scale = 0;
  const size_t e = number.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view exponent = number.substr(e + 1);
    if (exponent.front() == '+') exponent.remove_prefix(1);
    int64_t value = 0;
    std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
    scale = -value;
    number = number.substr(0, e);
  }
  if (const size_t point = number.find('.'); point != std::string_view::npos) {
    digits = number.substr(0, point);
    digits += number.substr(point + 1);
    scale += static_cast<int64_t>(number.size() - point - 1);
  } else {
    digits = number;
  }
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    --scale;
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (digits == "0") {
    out += '0';
  } else {
    append_java_decimal(negative, digits, scale, out);
  }
}

void append_base64(std::string_view bytes, std::string& out) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t left = bytes.size() - at;
    const auto byte = [&](size_t i) {
      return i < left ? static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) : 0;
    };
    const uint32_t group = (byte(0) << 16) | (byte(1) << 8) | byte(2);
    out += kDigits[group >> 18];
    out += kDigits[(group >> 12) & 63];
    out += left > 1 ? kDigits[(group >> 6) & 63] : '=';
    out += left > 2 ? kDigits[group & 63] : '=';
  }
}

void append_java_date(int64_t days, std::string& out) {
  const CivilDate date = civil_from_days(days);
  // ISO_LOCAL_DATE: at least four digits, a sign where there are more.
  if (date.year < 0) out += '-';
  if (date.year > 9999) out += '+';
  const int64_t year = date.year < 0 ? -date.year : date.year;
  for (int64_t limit = 1000; limit > year && limit > 1; limit /= 10) out += '0';
  append_json_integer(year, out);
  out += '-';
  append_two(date.month, out);
  out += '-';
  append_two(date.day, out);
}

void append_java_time(int64_t second_of_day, int32_t nanos_of_second, std::string& out) {
  append_two(second_of_day / 3600, out);
  out += ':';
  append_two(second_of_day / 60 % 60, out);
  out += ':';
  append_two(second_of_day % 60, out);
  if (nanos_of_second == 0) return;
  out += '.';
  for (int32_t unit = 100'000'000; nanos_of_second != 0; unit /= 10) {
    out += static_cast<char>('0' + nanos_of_second / unit);
    nanos_of_second %= unit;
  }
}

void append_java_timestamp(TimestampValue value, char separator, std::string& out) {
  constexpr int64_t kDayMillis = 86'400'000;
  int64_t days = value.millis / kDayMillis;
  int64_t millis = value.millis % kDayMillis;
  if (millis < 0) {
    millis += kDayMillis;
    --days;
  }
  append_java_date(days, out);
  out += separator;
  append_java_time(millis / 1000, static_cast<int32_t>(millis % 1000) * 1'000'000 + value.nanos, out);
}

}  // namespace yeoul
