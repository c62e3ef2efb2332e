#include "yeoul/sql/binder/literal.h"

#include <charconv>
#include <limits>

#include "yeoul/common/utf8.h"
#include "yeoul/sql/binder/binder.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

using ast::TimeUnit;

/// Reads digits and separators of dates, times and intervals from left to right.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool number(int64_t& value, size_t digits_max) {
    size_t count = 0;
    value = 0;
    while (count < text_.size() && count < digits_max && text_[count] >= '0' && text_[count] <= '9') {
      value = value * 10 + (text_[count] - '0');
      ++count;
    }
    text_.remove_prefix(count);
    return count > 0;
  }
  bool skip(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::string_view digits() {
    size_t count = 0;
    while (count < text_.size() && text_[count] >= '0' && text_[count] <= '9') ++count;
    const std::string_view out = text_.substr(0, count);
    text_.remove_prefix(count);
    return out;
  }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

bool scan_date(Scanner& scanner, int64_t& days) {
  int64_t year, month, day;
  if (!scanner.number(year, 4) || !scanner.skip('-') || !scanner.number(month, 2) || !scanner.skip('-') ||
      !scanner.number(day, 2)) {
    return false;
  }
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, static_cast<int>(month))) return false;
  days = days_from_civil(year, static_cast<int>(month), static_cast<int>(day));
  return true;
}

/// Nanoseconds of the day and the digits written behind the point.
bool scan_time(Scanner& scanner, int64_t& nanos, int& digits) {
  int64_t hour, minute, second;
  if (!scanner.number(hour, 2) || !scanner.skip(':') || !scanner.number(minute, 2) || !scanner.skip(':') ||
      !scanner.number(second, 2) || hour > 23 || minute > 59 || second > 59) {
    return false;
  }
  nanos = ((hour * 60 + minute) * 60 + second) * 1000000000;
  digits = 0;
  if (!scanner.skip('.')) return true;
  const std::string_view fraction = scanner.digits();
  if (fraction.empty()) return false;
  digits = static_cast<int>(std::min<size_t>(fraction.size(), 9));
  int64_t scale = 100000000;
  for (int i = 0; i < digits; ++i, scale /= 10) nanos += (fraction[static_cast<size_t>(i)] - '0') * scale;
  return true;
}

Error illegal(const ast::SourcePosition& position, std::string_view kind, const std::string& text,
              std::string_view form) {
  return bind_error(1121, position, "illegal {} literal '{}': not in format '{}'", kind, text, form);
}

ExpressionPtr bind_date(const std::string& text, const ast::SourcePosition& position) {
  Scanner scanner(text);
  int64_t days;
  if (!scan_date(scanner, days) || !scanner.at_end()) throw illegal(position, "DATE", text, "yyyy-MM-dd");
  return make_literal(LogicalType::date().not_null(), Value(days));
}

ExpressionPtr bind_time(const std::string& text, const ast::SourcePosition& position) {
  Scanner scanner(text);
  int64_t nanos;
  int digits;
  if (!scan_time(scanner, nanos, digits) || !scanner.at_end()) throw illegal(position, "TIME", text, "HH:mm:ss");
  return make_literal(LogicalType::time(std::min(digits, 3)).not_null(), Value(nanos / 1000000));
}

ExpressionPtr bind_timestamp(const std::string& text, const ast::SourcePosition& position) {
  Scanner scanner(text);
  int64_t days;
  int64_t nanos = 0;
  int digits = 0;
  if (!scan_date(scanner, days) ||
      (!scanner.at_end() && (!scanner.skip(' ') || !scan_time(scanner, nanos, digits) || !scanner.at_end()))) {
    throw illegal(position, "TIMESTAMP", text, "yyyy-MM-dd HH:mm:ss");
  }
  return make_literal(LogicalType::timestamp(digits).not_null(),
                      Value(TimestampValue{days * 86400000 + nanos / 1000000, static_cast<int32_t>(nanos % 1000000)}));
}

ExpressionPtr bind_integer(const std::string& text, const ast::SourcePosition& position, bool negative) {
  const std::string signed_text = negative ? "-" + text : text;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(signed_text.data(), signed_text.data() + signed_text.size(), value);
  if (error != std::errc() || end != signed_text.data() + signed_text.size()) {
    throw bind_error(1121, position, "numeric literal '{}' out of range; write CAST('{}' AS DECIMAL(38, 0))", text,
                     signed_text);
  }
  const bool fits_int = value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
  return make_literal((fits_int ? LogicalType::integer() : LogicalType::bigint()).not_null(), Value(value));
}

ExpressionPtr bind_decimal(const std::string& text, const ast::SourcePosition& position, bool negative) {
  std::string digits;
  int scale = 0;
  bool point = false;
  for (const char c : text) {
    if (c == '.') {
      point = true;
    } else {
      digits += c;
      scale += point ? 1 : 0;
    }
  }
  if (scale == 0) return bind_integer(digits, position, negative);
  const size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  const std::string unscaled = digits.substr(first);
  int64_t value = 0;
  // As Calcite: the digits without the point must fit a BIGINT.
  const auto [end, error] = std::from_chars(unscaled.data(), unscaled.data() + unscaled.size(), value);
  if (error != std::errc() || end != unscaled.data() + unscaled.size()) {
    throw bind_error(1121, position, "numeric literal '{}' out of range; write CAST('{}' AS DECIMAL(38, {}))", text,
                     text, scale);
  }
  const int num_digits = static_cast<int>(unscaled.size());
  const int precision = num_digits <= scale ? scale + 1 : num_digits;
  return make_literal(LogicalType::decimal(precision, scale).not_null(),
                      Value(static_cast<int128>(negative ? -value : value)));
}

/// The fields of an interval, most significant first, each with its separator in front.
struct IntervalField {
  TimeUnit unit;
  char separator;
};
constexpr IntervalField kDayTimeFields[] = {
    {TimeUnit::kDay, 0}, {TimeUnit::kHour, ' '}, {TimeUnit::kMinute, ':'}, {TimeUnit::kSecond, ':'}};

bool scan_year_month(Scanner& scanner, const ast::IntervalQualifier& qualifier, int64_t& months) {
  int64_t value;
  if (!scanner.number(value, 9)) return false;
  months = value * interval_unit_size(qualifier.start);
  if (!qualifier.end) return true;
  return scanner.skip('-') && scanner.number(value, 2) && value <= 11 && ((months += value), true);
}

bool scan_day_time(Scanner& scanner, const ast::IntervalQualifier& qualifier, int64_t& millis) {
  int64_t value;
  if (!scanner.number(value, 10)) return false;
  millis = value * interval_unit_size(qualifier.start);
  const TimeUnit last = qualifier.end.value_or(qualifier.start);
  bool inside = false;
  for (const IntervalField& field : kDayTimeFields) {
    if (inside) {
      const int64_t limit = field.unit == TimeUnit::kHour ? 23 : 59;
      if (!scanner.skip(field.separator) || !scanner.number(value, 2) || value > limit) return false;
      millis += value * interval_unit_size(field.unit);
    }
    if (field.unit == last) break;
    if (field.unit == qualifier.start) inside = true;
  }
  if (last == TimeUnit::kSecond && scanner.skip('.')) {
    const std::string_view fraction = scanner.digits();
    if (fraction.empty()) return false;
    int64_t scale = 100;
    for (size_t i = 0; i < fraction.size() && i < 3; ++i, scale /= 10) millis += (fraction[i] - '0') * scale;
  }
  return true;
}

ExpressionPtr bind_interval(const ast::Literal& literal, const ast::SourcePosition& position) {
  std::string_view text = literal.text;
  bool negative = literal.negative;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative ^= text.front() == '-';
    text.remove_prefix(1);
  }
  Scanner scanner(text);
  int64_t value = 0;
  const bool ok = is_year_month_unit(literal.interval.start) ? scan_year_month(scanner, literal.interval, value)
                                                             : scan_day_time(scanner, literal.interval, value);
  if (!ok || !scanner.at_end()) {
    throw bind_error(1121, position, "illegal interval literal format '{}' for INTERVAL {}", literal.text,
                     ast::to_sql(literal.interval));
  }
  return make_literal(interval_type(literal.interval).not_null(), Value(negative ? -value : value));
}

}  // namespace

bool is_year_month_unit(ast::TimeUnit unit) {
  return unit == TimeUnit::kYear || unit == TimeUnit::kQuarter || unit == TimeUnit::kMonth;
}

int64_t interval_unit_size(ast::TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kYear:
      return 12;
    case TimeUnit::kQuarter:
      return 3;
    case TimeUnit::kMonth:
      return 1;
    case TimeUnit::kWeek:
      return 7 * 86400000;
    case TimeUnit::kDay:
      return 86400000;
    case TimeUnit::kHour:
      return 3600000;
    case TimeUnit::kMinute:
      return 60000;
    case TimeUnit::kSecond:
      return 1000;
    default:
      return 1;
  }
}

LogicalType interval_type(const ast::IntervalQualifier& qualifier) {
  return is_year_month_unit(qualifier.start) ? LogicalType::interval_year_month() : LogicalType::interval_day_time();
}

ExpressionPtr bind_literal(const ast::Literal& literal, const ast::SourcePosition& position, bool negative) {
  const std::string& text = literal.text;
  switch (literal.kind) {
    case ast::LiteralKind::kNull:
      return make_literal(LogicalType::null(), Value());
    case ast::LiteralKind::kUnknown:
      return make_literal(LogicalType::boolean(), Value());
    case ast::LiteralKind::kBoolean:
      return make_literal(LogicalType::boolean().not_null(), Value(text == "TRUE"));
    case ast::LiteralKind::kInteger:
      return bind_integer(text, position, negative);
    case ast::LiteralKind::kDecimal:
      return bind_decimal(text, position, negative);
    case ast::LiteralKind::kApproximate:
      return make_literal(LogicalType::double_().not_null(),
                          Value(std::strtod((negative ? "-" + text : text).c_str(), nullptr)));
    case ast::LiteralKind::kString:
      return make_literal(LogicalType::char_(static_cast<int>(utf16_length(text))).not_null(), Value(text));
    case ast::LiteralKind::kBinary:
      return make_literal(LogicalType::binary(static_cast<int>(text.size())).not_null(), Value(text));
    case ast::LiteralKind::kDate:
      return bind_date(text, position);
    case ast::LiteralKind::kTime:
      return bind_time(text, position);
    case ast::LiteralKind::kTimestamp:
      return bind_timestamp(text, position);
    case ast::LiteralKind::kTimestampLtz:
      return make_cast(bind_timestamp(text, position), LogicalType::timestamp_ltz(3).not_null());
    case ast::LiteralKind::kInterval:
      return bind_interval(literal, position);
  }
  throw internal_error(9003, "unknown literal kind");
}

}  // namespace yeoul
