#include "yeoul/types/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "yeoul/common/utf8.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

namespace {

/// Exactly `width` digits; more significant ones are lost, as in Flink.
void append_padded(uint64_t value, int width, std::string& out) {
  const size_t at = out.size();
  out.resize(at + static_cast<size_t>(width));
  for (size_t i = out.size(); i-- > at; value /= 10) out[i] = static_cast<char>('0' + value % 10);
}

template <class T>
void append_integer(T value, std::string& out) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

/// Significant digits without zeros at the end, and the power of ten of the first.
struct Significant {
  char digits[32];
  int count = 0;
  int exponent = 0;

  std::string_view from(int first) const { return {digits + first, static_cast<size_t>(count - first)}; }
  void drop_zeros() {
    while (count > 1 && digits[count - 1] == '0') --count;
  }
};

/// The shortest digits that read back as the value.
template <class T>
Significant shortest_digits(T value) {
  char text[40];
  const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  // Java always writes two digits, and chooses both by the value: Double.MIN_VALUE is 4.9E-324, not 5.0E-324.
  if (text[1] == 'e') end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 1).ptr;
  Significant out;
  const char* at = text;
  for (; *at != 'e'; ++at) {
    if (*at != '.') out.digits[out.count++] = *at;
  }
  at += at[1] == '+' ? 2 : 1;
  std::from_chars(at, end, out.exponent);
  out.drop_zeros();
  return out;
}

/// Up to Java 18, a whole number below 2^63 is written by its integer digits, less as many as its unit in the last
/// place surely hides; that may be one digit more than the shortest text has (2^31 as FLOAT is 2.14748365E9).
template <class T>
Significant whole_number_digits(T value) {
  auto whole = static_cast<uint64_t>(value);
  const int hidden_bits = std::ilogb(value) - std::numeric_limits<T>::digits - 1;
  Significant out;
  uint64_t unit = 1;
  for (; hidden_bits > 0 && unit * 10 <= uint64_t{1} << hidden_bits; ++out.exponent) unit *= 10;
  whole = (whole + unit / 2) / unit;
  out.count = static_cast<int>(std::to_chars(out.digits, out.digits + sizeof out.digits, whole).ptr - out.digits);
  out.exponent += out.count - 1;
  out.drop_zeros();
  return out;
}

/// Java's layout: plain from 1e-3 to below 1e7, else one digit, a point, digits and E.
template <class T>
void append_floating(T value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  if (std::signbit(value)) out.push_back('-');
  value = std::fabs(value);
  if (std::isinf(value)) {
    out += "Infinity";
    return;
  }
  if (value == 0) {
    out += "0.0";
    return;
  }
  const bool whole = value < static_cast<T>(uint64_t{1} << 63) && value == std::trunc(value);
  const Significant number = whole ? whole_number_digits(value) : shortest_digits(value);
  if (number.exponent < -3 || number.exponent >= 7) {
    out.push_back(number.digits[0]);
    out.push_back('.');
    out.append(number.count > 1 ? number.from(1) : "0");
    out.push_back('E');
    append_integer(number.exponent, out);
  } else if (number.exponent < 0) {
    out += "0.";
    out.append(static_cast<size_t>(-number.exponent - 1), '0');
    out += number.from(0);
  } else {
    const int before_point = number.exponent + 1;
    out.append(number.digits, static_cast<size_t>(std::min(before_point, number.count)));
    out.append(static_cast<size_t>(std::max(before_point - number.count, 0)), '0');
    out.push_back('.');
    out.append(number.count > before_point ? number.from(before_point) : "0");
  }
}

void append_day_time_interval(int64_t millis, std::string& out) {
  out.push_back(millis < 0 ? '-' : '+');
  uint64_t rest = millis < 0 ? -static_cast<uint64_t>(millis) : static_cast<uint64_t>(millis);
  append_integer(rest / kMillisPerDay, out);
  rest %= kMillisPerDay;
  out.push_back(' ');
  append_padded(rest / 3'600'000, 2, out);
  out.push_back(':');
  append_padded(rest / 60'000 % 60, 2, out);
  out.push_back(':');
  append_padded(rest / 1000 % 60, 2, out);
  out.push_back('.');
  append_padded(rest % 1000, 3, out);
}

void append_year_month_interval(int32_t months, std::string& out) {
  out.push_back(months < 0 ? '-' : '+');
  const uint32_t rest = months < 0 ? -static_cast<uint32_t>(months) : static_cast<uint32_t>(months);
  append_integer(rest / 12, out);
  out.push_back('-');
  append_padded(rest % 12, 2, out);
}

void append_element(const Column& column, size_t row, const TimeZone& zone, std::string& out) {
  if (column.is_null(row)) {
    out += "NULL";
  } else {
    append_text(column, row, zone, out);
  }
}

void append_collection(const Column& column, size_t row, const TimeZone& zone, std::string& out) {
  const bool is_map = column.type().physical() == PhysicalType::kMap;
  out.push_back(is_map ? '{' : '[');
  for (int32_t i = column.offsets()[row]; i < column.offsets()[row + 1]; ++i) {
    if (i != column.offsets()[row]) out += ", ";
    append_element(column.child(0), i, zone, out);
    if (!is_map) continue;
    out.push_back('=');
    append_element(column.child(1), i, zone, out);
  }
  out.push_back(is_map ? '}' : ']');
}

void append_row(const Column& column, size_t row, const TimeZone& zone, std::string& out) {
  out.push_back('(');
  for (size_t c = 0; c < column.children().size(); ++c) {
    if (c != 0) out += ", ";
    append_element(column.child(c), row, zone, out);
  }
  out.push_back(')');
}

}  // namespace

void append_double_text(double value, std::string& out) {
  append_floating(value, out);
}

void append_float_text(float value, std::string& out) {
  append_floating(value, out);
}

void append_date_text(int32_t days, std::string& out) {
  const CivilDate date = civil_from_days(days);
  if (date.year < 0) out.push_back('-');
  append_padded(static_cast<uint64_t>(date.year < 0 ? -date.year : date.year), 4, out);
  out.push_back('-');
  append_padded(static_cast<uint64_t>(date.month), 2, out);
  out.push_back('-');
  append_padded(static_cast<uint64_t>(date.day), 2, out);
}

void append_time_text(int32_t millis_of_day, int precision, std::string& out) {
  const auto millis = static_cast<uint64_t>(millis_of_day < 0 ? millis_of_day + kMillisPerDay : millis_of_day);
  append_padded(millis / 3'600'000, 2, out);
  out.push_back(':');
  append_padded(millis / 60'000 % 60, 2, out);
  out.push_back(':');
  append_padded(millis / 1000 % 60, 2, out);
  if (precision == 0) return;
  out.push_back('.');
  uint64_t fraction = millis % 1000;
  for (int digit = 0; digit < precision; ++digit) {
    out.push_back(static_cast<char>('0' + fraction / 100));
    fraction = fraction % 100 * 10;
    if (fraction == 0) break;
  }
}

void append_timestamp_text(TimestampValue value, int precision, std::string& out) {
  const int64_t days = floor_div(value.millis, kMillisPerDay);
  const auto millis = static_cast<int32_t>(value.millis - days * kMillisPerDay);
  append_date_text(static_cast<int32_t>(days), out);
  out.push_back(' ');
  append_time_text(millis, 0, out);
  if (precision == 0) return;
  out.push_back('.');
  auto fraction = static_cast<uint64_t>(millis % 1000) * 1'000'000 + static_cast<uint64_t>(value.nanos);
  for (int dropped = precision; dropped < 9; ++dropped) fraction /= 10;
  append_padded(fraction, precision, out);
}

void append_text(const Column& column, size_t row, const TimeZone& zone, std::string& out) {
  const LogicalType& type = column.type();
  switch (type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      out.append(column.string_at(row));
      return;
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return append_valid_utf8(column.string_at(row), out);
    case TypeRoot::kBoolean:
      out += column.values<uint8_t>()[row] != 0 ? "TRUE" : "FALSE";
      return;
    case TypeRoot::kTinyint:
      return append_integer(column.values<int8_t>()[row], out);
    case TypeRoot::kSmallint:
      return append_integer(column.values<int16_t>()[row], out);
    case TypeRoot::kInteger:
      return append_integer(column.values<int32_t>()[row], out);
    case TypeRoot::kBigint:
      return append_integer(column.values<int64_t>()[row], out);
    case TypeRoot::kFloat:
      return append_float_text(column.values<float>()[row], out);
    case TypeRoot::kDouble:
      return append_double_text(column.values<double>()[row], out);
    case TypeRoot::kDecimal:
      return append_decimal_text(column.values<int128>()[row], type.scale(), out);
    case TypeRoot::kDate:
      return append_date_text(column.values<int32_t>()[row], out);
    case TypeRoot::kTime:
      return append_time_text(column.values<int32_t>()[row], type.precision(), out);
    case TypeRoot::kTimestamp:
      return append_timestamp_text(column.timestamp_at(row), type.precision(), out);
    case TypeRoot::kTimestampLtz: {
      TimestampValue local = column.timestamp_at(row);
      local.millis = zone.instant_to_local_ms(local.millis);
      return append_timestamp_text(local, type.precision(), out);
    }
    case TypeRoot::kIntervalYearMonth:
      return append_year_month_interval(column.values<int32_t>()[row], out);
    case TypeRoot::kIntervalDayTime:
      return append_day_time_interval(column.values<int64_t>()[row], out);
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
      return append_collection(column, row, zone, out);
    case TypeRoot::kRow:
      return append_row(column, row, zone, out);
    default:
      out += "NULL";
  }
}

std::string value_text(const LogicalType& type, const Value& value, const TimeZone& zone) {
  ColumnBuilder builder(type);
  builder.append_value(value);
  std::string text;
  append_element(*builder.finish(), 0, zone, text);
  return text;
}

}  // namespace yeoul
