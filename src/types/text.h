#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "yeoul/types/calendar.h"
#include "yeoul/types/column.h"

namespace yeoul {

class TimeZone;

/// Appends the cell as Flink's CAST(… AS STRING) writes it: TRUE/FALSE, DECIMAL with its scale, Java's shortest
/// FLOAT/DOUBLE text ("1.0E10"), '2024-01-02 03:04:05.678' with the type's digits, [a, b], {k=v}, (f1, f2), binaries
/// read as UTF-8 with U+FFFD for what is not. TIMESTAMP_LTZ in `zone`. NULL inside collections is "NULL"; a NULL cell
/// itself must be asked for with is_null.
void append_text(const Column& column, size_t row, const TimeZone& zone, std::string& out);
std::string value_text(const LogicalType& type, const Value& value, const TimeZone& zone);

/// java.lang.Double.toString / Float.toString of Java 17, Flink's own, whose text may have a digit more than Java 19's.
void append_double_text(double value, std::string& out);
void append_float_text(float value, std::string& out);
/// Unscaled 128-bit value with `scale` digits after the point, plain notation.
void append_decimal_text(int128 unscaled, int scale, std::string& out);
/// 'yyyy-MM-dd' of days since 1970-01-01. Flink's four digits of the year: 10000 is written 0000.
void append_date_text(int32_t days, std::string& out);
/// 'HH:mm:ss[.fff]' with at most `precision` digits, and no zeros at the end but one, as Flink writes TIME.
void append_time_text(int32_t millis_of_day, int precision, std::string& out);
/// 'yyyy-MM-dd HH:mm:ss[.f…]' with exactly `precision` digits.
void append_timestamp_text(TimestampValue value, int precision, std::string& out);

/// Parses a plain or exponent decimal ("-12.50", "1e3") and rounds half up to `scale`; nothing when it is no number or
/// does not fit `precision` digits.
std::optional<int128> parse_decimal(std::string_view text, int precision, int scale);

/// 10^n for 0 <= n <= 38.
int128 power_of_ten(int n);

}  // namespace yeoul
