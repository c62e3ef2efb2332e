#include <limits>

#include "yeoul/sql/functions/cast.h"
#include "yeoul/sql/functions/datetime_pattern.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/calendar.h"

namespace yeoul {

namespace {

using Style = DateTimePattern::Style;
constexpr std::string_view kDefaultPattern = "yyyy-MM-dd HH:mm:ss";

/// The pattern of an optional argument, compiled once where it is constant.
class PatternArgument {
 public:
  PatternArgument(std::span<const Argument> arguments, size_t index, Style style) : style_(style) {
    if (index < arguments.size()) {
      reader_.emplace(arguments[index]);
      if (!arguments[index].constant || arguments[index].column->is_null(0)) return;
      current_.emplace((*reader_)[0], style);
      fixed_ = true;
    } else {
      current_.emplace(kDefaultPattern, style);
      fixed_ = true;
    }
  }
  const DateTimePattern& at(size_t i) {
    if (!fixed_) current_.emplace((*reader_)[i], style_);
    return *current_;
  }

 private:
  Style style_;
  std::optional<StringReader> reader_;
  std::optional<DateTimePattern> current_;
  bool fixed_ = false;
};

/// As java.util.GregorianCalendar: in an overlap the later instant.
int64_t later_instant(const TimeZone& zone, int64_t local_ms) {
  const int64_t instant = zone.local_to_instant_ms(local_ms);
  const int64_t later = local_ms - zone.offset_at_instant_ms(instant + kMillisPerDay);
  return later > instant && zone.instant_to_local_ms(later) == local_ms ? later : instant;
}

/// Milliseconds of text as SimpleDateFormat reads it in a zone; nothing where it does not match.
std::optional<int64_t> simple_instant(const DateTimePattern& pattern, std::string_view text, const TimeZone& zone) {
  const std::optional<DateTimePattern::Parsed> parsed = pattern.parse(text);
  if (!parsed) return std::nullopt;
  return parsed->instant ? parsed->value.millis : later_instant(zone, parsed->value.millis);
}

/// Appends the formatted clock; false with a row error for a pattern that does not fit.
bool append_formatted(KernelContext& context, size_t i, const DateTimePattern& pattern, TimestampValue local,
                      const TimeZone* zone, Buffer& out) {
  std::string text;
  std::string error = pattern.error();
  if (error.empty()) error = pattern.format(local, zone, text);
  if (!error.empty()) {
    context.row_error(static_cast<uint32_t>(i), std::move(error));
    return false;
  }
  append_bytes(out, text);
  return true;
}

ColumnPtr date_format(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const TimestampReader in(arguments[0]);
  const bool local = arguments[0].column->type().is(TypeRoot::kTimestampLtz);
  PatternArgument patterns(arguments, 1, Style::kFormatter);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    TimestampValue value = in[i];
    if (local) value.millis = context.config().zone.instant_to_local_ms(value.millis);
    return append_formatted(context, i, patterns.at(i), value, nullptr, out);
  });
}

/// DATE_FORMAT of text: read as 'yyyy-MM-dd HH:mm:ss' in the session's zone.
ColumnPtr text_format(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const DateTimePattern reading(kDefaultPattern, Style::kSimple);
  PatternArgument patterns(arguments, 1, Style::kSimple);
  const TimeZone& zone = context.config().zone;
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const std::optional<DateTimePattern::Parsed> parsed = reading.parse(in[i]);
    return parsed && append_formatted(context, i, patterns.at(i), parsed->value, &zone, out);
  });
}

ExpressionPtr resolve_date_format(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  const bool fits =
      arguments.size() == 2 && arguments[1]->type.is_string() &&
      (arguments[0]->type.is_string() || arguments[0]->type.is_timestamp() || arguments[0]->type.is(TypeRoot::kDate));
  if (!fits)
    fail_arguments(function.name, arguments, "'DATE_FORMAT(<TIMESTAMP>, <STRING>)', 'DATE_FORMAT(<STRING>, <STRING>)'");
  const Kernel kernel = arguments[0]->type.is_string() ? text_format : date_format;
  return make_kernel_call(function.name, LogicalType::string(), kernel, std::move(arguments), true);
}

/// TO_DATE(text): NULL where it is none. TO_DATE(text, pattern): as SimpleDateFormat; what does not match is the day
/// that Flink makes of its error value.
ColumnPtr to_date(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  if (arguments.size() == 1) {
    return write_cells<int32_t>(call, arguments, n, [&](size_t i) { return parse_date_text(in[i]); });
  }
  PatternArgument patterns(arguments, 1, Style::kSimple);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> std::optional<int32_t> {
    const DateTimePattern& pattern = patterns.at(i);
    if (!pattern.error().empty()) {
      context.row_error(static_cast<uint32_t>(i), pattern.error());
      return std::nullopt;
    }
    const std::optional<DateTimePattern::Parsed> parsed = pattern.parse(in[i]);
    const int64_t millis = parsed ? parsed->value.millis : std::numeric_limits<int64_t>::min();
    return static_cast<int32_t>(millis / kMillisPerDay);
  });
}

/// Text with or without a pattern as a timestamp; texts that a pattern does not fit are tried in the default form.
std::optional<TimestampValue> timestamp_of(std::string_view text, const DateTimePattern* pattern) {
  std::string error;
  if (pattern != nullptr) {
    if (!pattern->error().empty()) return std::nullopt;
    if (const auto parsed = pattern->parse(text)) return parsed->value;
  }
  return parse_timestamp_text(trim_blanks(text), error);
}

ColumnPtr to_timestamp(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  PatternArgument patterns(arguments, 1, Style::kFormatter);
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    const std::optional<TimestampValue> value = timestamp_of(in[i], arguments.size() > 1 ? &patterns.at(i) : nullptr);
    if (!value) return std::nullopt;
    return truncate_timestamp(*value, 3, true);
  });
}

LogicalType type_of_to_timestamp(std::span<const ExpressionPtr>) {
  return LogicalType::timestamp(3);
}

/// TO_TIMESTAMP_LTZ(text[, pattern[, zone]]); without a zone the text is UTC.
ColumnPtr to_instant(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  PatternArgument patterns(arguments, 1, Style::kFormatter);
  std::optional<StringReader> zones;
  if (arguments.size() > 2) zones.emplace(arguments[2]);
  TimeZone zone;
  std::string zone_name = zone.name();
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    std::optional<TimestampValue> value = timestamp_of(in[i], arguments.size() > 1 ? &patterns.at(i) : nullptr);
    if (!value) {
      context.row_error(static_cast<uint32_t>(i), fmt::format("Text '{}' could not be parsed at index 0", in[i]));
      return std::nullopt;
    }
    if (zones && (*zones)[i] != zone_name) {
      zone_name = (*zones)[i];
      zone = TimeZone::load(zone_name);
    }
    value->millis = zone.local_to_instant_ms(value->millis);
    return truncate_timestamp(*value, 3, true);
  });
}

ExpressionPtr resolve_to_instant(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.empty() || arguments.size() > 3) fail_arguments(function.name, arguments);
  if (arguments[0]->type.is_numeric() && arguments.size() <= 2) {
    return resolve_instant_from_number(function, std::move(arguments));
  }
  for (const ExpressionPtr& e : arguments) {
    if (!e->type.is_string()) {
      fail_arguments(
          function.name, arguments,
          "'TO_TIMESTAMP_LTZ(<NUMERIC>[, <INTEGER>])', 'TO_TIMESTAMP_LTZ(<STRING>[, <STRING>[, <STRING>]])'");
    }
  }
  return make_kernel_call(function.name, LogicalType::timestamp_ltz(3), to_instant, std::move(arguments), true);
}

ColumnPtr unix_now(KernelContext& context, const Expression& call, std::span<const Argument>, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  std::fill_n(out->allocate_values<int64_t>(), n, context.config().clock->wall_ms() / 1000);
  return out;
}

/// Text that does not match is Long.MIN_VALUE.
ColumnPtr unix_timestamp(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                         size_t n) {
  const StringReader in(arguments[0]);
  PatternArgument patterns(arguments, 1, Style::kSimple);
  return write_cells<int64_t>(call, arguments, n, [&](size_t i) -> std::optional<int64_t> {
    const DateTimePattern& pattern = patterns.at(i);
    if (!pattern.error().empty()) {
      context.row_error(static_cast<uint32_t>(i), pattern.error());
      return std::nullopt;
    }
    const std::optional<int64_t> millis = simple_instant(pattern, in[i], context.config().zone);
    return millis ? floor_div(*millis, 1000) : std::numeric_limits<int64_t>::min();
  });
}

ExpressionPtr resolve_unix_timestamp(const Function& function, Arguments arguments) {
  if (arguments.empty()) {
    return make_kernel_call(function.name, LogicalType::bigint().not_null(), unix_now, {}, false, false);
  }
  refuse_null_literals(function.name, arguments);
  for (const ExpressionPtr& e : arguments) {
    if (!e->type.is_string() || arguments.size() > 2) {
      fail_arguments(function.name, arguments, "'UNIX_TIMESTAMP()', 'UNIX_TIMESTAMP(<STRING>[, <STRING>])'");
    }
  }
  const LogicalType type = LogicalType::bigint().as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, unix_timestamp, std::move(arguments), true);
}

ColumnPtr from_unixtime(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int64_t> in(arguments[0]);
  PatternArgument patterns(arguments, 1, Style::kSimple);
  const TimeZone& zone = context.config().zone;
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const int64_t seconds = std::clamp<int64_t>(in[i], -100000000000000, 100000000000000);
    const TimestampValue local{zone.instant_to_local_ms(seconds * 1000), 0};
    return append_formatted(context, i, patterns.at(i), local, &zone, out);
  });
}

/// An unknown zone counts as GMT, as java.util.TimeZone has it.
TimeZone zone_or_gmt(std::string_view name) {
  try {
    return TimeZone::load(name);
  } catch (const Error&) {
    return TimeZone();
  }
}

ColumnPtr convert_tz(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const StringReader in(arguments[0]);
  const StringReader from(arguments[1]);
  const StringReader to(arguments[2]);
  const DateTimePattern pattern(kDefaultPattern, Style::kSimple);
  std::string from_name;
  std::string to_name;
  TimeZone from_zone;
  TimeZone to_zone;
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    if (from[i] != from_name) from_zone = zone_or_gmt(from_name = from[i]);
    if (to[i] != to_name) to_zone = zone_or_gmt(to_name = to[i]);
    const std::optional<int64_t> millis = simple_instant(pattern, in[i], from_zone);
    if (!millis) return false;
    std::string text;
    pattern.format({to_zone.instant_to_local_ms(*millis), 0}, &to_zone, text);
    append_bytes(out, text);
    return true;
  });
}

constexpr Function kDatetimeFormatFunctions[] = {
    {.name = "DATE_FORMAT", .resolver = resolve_date_format},
    {"TO_DATE", "s?s", type_of_root<TypeRoot::kDate>, to_date, NullRule::kNullable, true},
    {"TO_TIMESTAMP", "s?s", type_of_to_timestamp, to_timestamp, NullRule::kNullable},
    {.name = "TO_TIMESTAMP_LTZ", .resolver = resolve_to_instant},
    {.name = "UNIX_TIMESTAMP", .resolver = resolve_unix_timestamp},
    {"FROM_UNIXTIME", "l?s", type_string, from_unixtime, NullRule::kNullable, true},
    {"CONVERT_TZ", "sss", type_string, convert_tz, NullRule::kNullable},
};

}  // namespace

std::span<const Function> datetime_format_functions() {
  return kDatetimeFormatFunctions;
}

}  // namespace yeoul
