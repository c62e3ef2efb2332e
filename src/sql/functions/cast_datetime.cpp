#include <algorithm>

#include "yeoul/sql/functions/cast.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

/// The wall clock of a timestamp as milliseconds: TIMESTAMP_LTZ in the session's zone.
template <bool kLocal>
TimestampValue wall_clock(const KernelContext& context, TimestampValue value) {
  if constexpr (kLocal) value.millis = context.config().zone.instant_to_local_ms(value.millis);
  return value;
}

/// TIMESTAMP to TIMESTAMP and between its two kinds. The planner folds a constant towards the past, the runtime
/// towards 1970.
template <bool kFromLocal, bool kToLocal>
ColumnPtr timestamp_to_timestamp(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                                 size_t n) {
  const TimestampReader in(arguments[0]);
  const bool literal = call.arguments[0]->kind == Expression::Kind::kLiteral;
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    TimestampValue value = in[i];
    if constexpr (kFromLocal && !kToLocal) value.millis = context.config().zone.instant_to_local_ms(value.millis);
    if constexpr (!kFromLocal && kToLocal) value.millis = context.config().zone.local_to_instant_ms(value.millis);
    return truncate_timestamp(value, call.type.precision(), literal);
  });
}

/// DATE and TIME to the timestamps; a TIME is of 1970-01-01.
template <bool kTime, bool kToLocal>
ColumnPtr day_to_timestamp(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                           size_t n) {
  const CellReader<int32_t> in(arguments[0]);
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    int64_t millis = kTime ? in[i] : in[i] * kMillisPerDay;
    if constexpr (kToLocal) millis = context.config().zone.local_to_instant_ms(millis);
    return truncate_timestamp({millis, 0}, call.type.precision(), true);
  });
}

template <bool kLocal>
ColumnPtr timestamp_to_date(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                            size_t n) {
  const TimestampReader in(arguments[0]);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    const int64_t millis = wall_clock<kLocal>(context, in[i]).millis;
    // A TIMESTAMP before 1970 rounds towards it, as Flink's runtime does; a TIMESTAMP_LTZ does not.
    return static_cast<int32_t>(kLocal ? floor_div(millis, kMillisPerDay) : millis / kMillisPerDay);
  });
}

int32_t time_unit(const LogicalType& type) {
  static constexpr int32_t kUnits[] = {1000, 100, 10, 1};
  return kUnits[std::min(type.precision(), 3)];
}

template <bool kLocal>
ColumnPtr timestamp_to_time(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                            size_t n) {
  const TimestampReader in(arguments[0]);
  const int32_t unit = time_unit(call.type);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    const int64_t clock = wall_clock<kLocal>(context, in[i]).millis;
    const auto millis = static_cast<int32_t>(kLocal ? floor_mod(clock, kMillisPerDay) : clock % kMillisPerDay);
    return millis / unit * unit;
  });
}

ColumnPtr time_to_time(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int32_t> in(arguments[0]);
  const int32_t unit = time_unit(call.type);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t { return in[i] / unit * unit; });
}

CastRule from_timestamp(bool local, const LogicalType& to) {
  switch (to.root()) {
    case TypeRoot::kDate:
      return {local ? timestamp_to_date<true> : timestamp_to_date<false>, false};
    case TypeRoot::kTime:
      return {local ? timestamp_to_time<true> : timestamp_to_time<false>, false};
    case TypeRoot::kTimestamp:
      return {local ? timestamp_to_timestamp<true, false> : timestamp_to_timestamp<false, false>, false};
    case TypeRoot::kTimestampLtz:
      return {local ? timestamp_to_timestamp<true, true> : timestamp_to_timestamp<false, true>, false};
    default:
      return {};
  }
}

/// Reads a run of digits; -1 when there is none or it is too long.
int read_number(std::string_view text, size_t& at, size_t digits_max) {
  int value = 0;
  const size_t start = at;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at - start < digits_max) {
    value = value * 10 + (text[at++] - '0');
  }
  return at == start ? -1 : value;
}

std::optional<int> whole_number(std::string_view text) {
  text = trim_blanks(text);
  size_t at = 0;
  const int value = read_number(text, at, 9);
  if (value < 0 || at != text.size()) return std::nullopt;
  return value;
}

}  // namespace

CastRule datetime_cast(const LogicalType& from, const LogicalType& to) {
  switch (from.root()) {
    case TypeRoot::kDate:
      if (to.is(TypeRoot::kTimestamp)) return {day_to_timestamp<false, false>, false};
      if (to.is(TypeRoot::kTimestampLtz)) return {day_to_timestamp<false, true>, false};
      return {};
    case TypeRoot::kTime:
      if (to.is(TypeRoot::kTime)) return {time_to_time, false};
      if (to.is(TypeRoot::kTimestamp)) return {day_to_timestamp<true, false>, false};
      if (to.is(TypeRoot::kTimestampLtz)) return {day_to_timestamp<true, true>, false};
      return {};
    case TypeRoot::kTimestamp:
      return from_timestamp(false, to);
    case TypeRoot::kTimestampLtz:
      return from_timestamp(true, to);
    default:
      return {};
  }
}

std::optional<int32_t> parse_date_text(std::string_view text) {
  const size_t blank = text.find(' ');
  if (blank != std::string_view::npos && blank > 0) text = text.substr(0, blank);
  const size_t first = text.find('-');
  const size_t second = first == std::string_view::npos ? first : text.find('-', first + 1);
  const std::optional<int> year = whole_number(text.substr(0, first));
  std::optional<int> month = 1;
  std::optional<int> day = 1;
  if (first != std::string_view::npos) {
    month = whole_number(text.substr(first + 1, second == std::string_view::npos ? second : second - first - 1));
  }
  if (second != std::string_view::npos) day = whole_number(text.substr(second + 1));
  if (!year || !month || !day || *year > 9999 || *month < 1 || *month > 12 || *day < 1 ||
      *day > days_in_month(*year, *month)) {
    return std::nullopt;
  }
  return static_cast<int32_t>(days_from_civil(*year, *month, *day));
}

std::optional<int32_t> parse_time_text(std::string_view text) {
  int parts[3] = {0, 0, 0};
  int millis = 0;
  size_t at = 0;
  for (int i = 0; i < 3; ++i) {
    parts[i] = read_number(text, at, 2);
    if (parts[i] < 0) return std::nullopt;
    if (at == text.size()) break;
    if (i == 2) {
      if (text[at] != '.') return std::nullopt;
      int unit = 100;
      for (++at; at < text.size(); ++at, unit /= 10) {
        if (text[at] < '0' || text[at] > '9') return std::nullopt;
        millis += (text[at] - '0') * unit;
      }
    } else if (text[at++] != ':') {
      return std::nullopt;
    }
  }
  if (at != text.size() || parts[0] > 23 || parts[1] > 59 || parts[2] > 59) return std::nullopt;
  return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + millis;
}

std::optional<TimestampValue> parse_timestamp_text(std::string_view text, std::string& error) {
  size_t at = 0;
  const auto fail_at = [&](size_t index) -> std::optional<TimestampValue> {
    error = fmt::format("Text '{}' could not be parsed at index {}", text, index);
    return std::nullopt;
  };
  const int year = read_number(text, at, 4);
  if (year < 0 || at != 4 || at >= text.size() || text[at] != '-') return fail_at(year < 0 ? 0 : at);
  ++at;
  const int month = read_number(text, at, 2);
  if (month < 0 || at >= text.size() || text[at] != '-') return fail_at(at);
  ++at;
  const int day = read_number(text, at, 2);
  if (day < 0) return fail_at(at);
  int clock[3] = {0, 0, 0};
  int32_t nanos = 0;
  const size_t date_end = at;
  bool whole_clock = at < text.size() && text[at] == ' ';
  for (int i = 0; i < 3 && whole_clock; ++i) {
    ++at;
    clock[i] = read_number(text, at, 2);
    whole_clock = clock[i] >= 0 && (i == 2 || (at < text.size() && text[at] == ':'));
  }
  if (whole_clock && at < text.size() && text[at] == '.') {
    int32_t unit = 100000000;
    ++at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9' && unit > 0; ++at, unit /= 10) {
      nanos += (text[at] - '0') * unit;
    }
  }
  if (!whole_clock) at = date_end;
  if (at != text.size()) {
    error = fmt::format("Text '{}' could not be parsed, unparsed text found at index {}", text, at);
    return std::nullopt;
  }
  const auto out_of_range = [&](std::string_view field, int low, int high, int value) -> std::optional<TimestampValue> {
    error = fmt::format("Invalid value for {} (valid values {} - {}): {}", field, low, high, value);
    return std::nullopt;
  };
  if (month < 1 || month > 12) return out_of_range("MonthOfYear", 1, 12, month);
  if (day < 1 || day > 31) return out_of_range("DayOfMonth", 1, 31, day);
  const bool midnight = clock[0] == 24 && clock[1] == 0 && clock[2] == 0 && nanos == 0;
  if (whole_clock && clock[0] > 23 && !midnight) return out_of_range("HourOfDay", 0, 23, clock[0]);
  if (whole_clock && clock[1] > 59) return out_of_range("MinuteOfHour", 0, 59, clock[1]);
  if (whole_clock && clock[2] > 59) return out_of_range("SecondOfMinute", 0, 59, clock[2]);
  if (!whole_clock) std::fill(std::begin(clock), std::end(clock), 0);
  const int64_t days = days_from_civil(year, month, std::min(day, days_in_month(year, month)));
  const int64_t seconds = (int64_t{clock[0]} * 60 + clock[1]) * 60 + clock[2];
  return TimestampValue{days * kMillisPerDay + seconds * 1000 + nanos / 1000000, nanos % 1000000};
}

}  // namespace yeoul
