#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "yeoul/types/value.h"

namespace yeoul {

/// Text as Jackson and java.time write it, appended to `out`.

/// The string in quotes with JSON's escapes; other characters stay UTF-8.
void append_json_string(std::string_view text, std::string& out);
void append_json_integer(int64_t value, std::string& out);
/// java.math.BigDecimal.toString: scientific where the exponent of the first digit is below -6 or the scale negative.
/// @param digits  of the unscaled value, without sign or leading zeros ("0" for zero)
void append_java_decimal(bool negative, std::string_view digits, int64_t scale, std::string& out);
/// A JSON fraction as Jackson's tree writes it back: a double, or with `exact` a BigDecimal without trailing zeros.
void append_json_fraction(std::string_view number, bool exact, std::string& out);
/// Base64 with padding.
void append_base64(std::string_view bytes, std::string& out);
/// 'yyyy-MM-dd'.
void append_java_date(int64_t days, std::string& out);
/// 'HH:mm:ss' and a fraction of `nanos_of_second` without trailing zeros.
void append_java_time(int64_t second_of_day, int32_t nanos_of_second, std::string& out);
/// Date, `separator` (' ' or 'T'), time.
void append_java_timestamp(TimestampValue value, char separator, std::string& out);

}  // namespace yeoul
