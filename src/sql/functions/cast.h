#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "yeoul/sql/functions/expression.h"
#include "yeoul/types/time_zone.h"
#include "yeoul/types/value.h"

namespace yeoul {

/// How a pair of types is cast: a kernel, which may raise row errors.
struct CastRule {
  Kernel kernel = nullptr;
  bool can_fail = false;
};

// One a file; no kernel where the pair is none of its own.
CastRule numeric_cast(const LogicalType& from, const LogicalType& to);
CastRule text_cast(const LogicalType& from, const LogicalType& to);
CastRule datetime_cast(const LogicalType& from, const LogicalType& to);
CastRule nested_cast(const LogicalType& from, const LogicalType& to);
/// The rule of a pair, or nothing. Cells that need no change have the rule of retype_cells.
std::optional<CastRule> find_cast(const LogicalType& from, const LogicalType& to);
/// True when the cells of `from` are cells of `to` as they stand, and only the type's name differs.
bool same_cells(const LogicalType& from, const LogicalType& to);

// Text to values, as Flink's casts read it.
std::optional<int32_t> parse_date_text(std::string_view text);
std::optional<int32_t> parse_time_text(std::string_view text);
/// 'yyyy-M-d[ H:m:s[.f]]'; a day that the month lacks is its last. On failure `error` says why, in Java's words.
std::optional<TimestampValue> parse_timestamp_text(std::string_view text, std::string& error);
/// java.lang.Double.parseDouble.
std::optional<double> parse_double_text(std::string_view text);
/// The timestamp cut to `precision` digits towards the past, or towards 1970.
TimestampValue truncate_timestamp(TimestampValue value, int precision, bool towards_past);

std::string_view trim_blanks(std::string_view text);

}  // namespace yeoul
