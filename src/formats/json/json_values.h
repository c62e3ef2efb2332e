#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yeoul/types/logical_type.h"
#include "yeoul/types/value.h"

namespace yeoul {

/// Parses text as the Java classes do that Flink's formats use. All return false where Java would throw.

/// String.trim: drops characters up to U+0020 on both sides.
std::string_view java_trim(std::string_view text);
/// Long.parseLong.
bool parse_java_long(std::string_view text, int64_t& value);
/// Double.parseDouble: also "NaN", "Infinity", "1d", "1f", hexadecimal; blanks around are allowed; never overflows.
bool parse_java_double(std::string_view text, double& value);
bool parse_java_float(std::string_view text, float& value);
/// Whether new BigDecimal(text) succeeds.
bool is_java_decimal(std::string_view text);

/// How a text with a time was written: json.timestamp-format.standard.
enum class TimestampStandard : uint8_t { kSql, kIso8601 };

/// DateTimeFormatter.ISO_LOCAL_DATE: days since 1970-01-01.
bool parse_java_date(std::string_view text, int32_t& days);
/// 'HH:mm:ss' with an optional fraction of up to 9 digits: milliseconds of the day. 24:00:00 is 0.
bool parse_java_time(std::string_view text, int32_t& millis);
/// The date that was parsed last: texts that follow each other are mostly of one day.
struct LastDate {
  char text[10] = {};  ///< 'yyyy-MM-dd'
  int64_t days = 0;
};
/// A TIMESTAMP. SQL: 'yyyy-MM-dd HH:mm:ss[.f…]', where the day is cut to the month's last and 24:00:00 is the next
/// day's start, as java.time's smart resolver does; ISO-8601: 'T', seconds optional, nothing resolved.
bool parse_java_timestamp(std::string_view text, TimestampStandard standard, LastDate& last, TimestampValue& value);
/// A TIMESTAMP_LTZ: likewise with a literal 'Z' behind it; smart in both standards.
bool parse_java_timestamp_ltz(std::string_view text, TimestampStandard standard, LastDate& last, TimestampValue& value);

/// Base64 with padding; appended to `out`.
bool parse_base64(std::string_view text, std::string& out);

}  // namespace yeoul
