#include "yeoul/sql/functions/calendar_fields.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/sql/functions/rounding.h"
#include "yeoul/types/calendar.h"

namespace yeoul {

namespace {

struct NamedUnit {
  std::string_view name;
  CalendarUnit unit;
};
constexpr NamedUnit kUnits[] = {
    {"MILLENNIUM", CalendarUnit::kMillennium},
    {"CENTURY", CalendarUnit::kCentury},
    {"DECADE", CalendarUnit::kDecade},
    {"YEAR", CalendarUnit::kYear},
    {"QUARTER", CalendarUnit::kQuarter},
    {"MONTH", CalendarUnit::kMonth},
    {"WEEK", CalendarUnit::kWeek},
    {"DAY", CalendarUnit::kDay},
    {"HOUR", CalendarUnit::kHour},
    {"MINUTE", CalendarUnit::kMinute},
    {"SECOND", CalendarUnit::kSecond},
    {"MILLISECOND", CalendarUnit::kMillisecond},
    {"MICROSECOND", CalendarUnit::kMicrosecond},
    {"NANOSECOND", CalendarUnit::kNanosecond},
    {"DOW", CalendarUnit::kDow},
    {"ISODOW", CalendarUnit::kIsoDow},
    {"DOY", CalendarUnit::kDoy},
    {"ISOYEAR", CalendarUnit::kIsoYear},
    {"EPOCH", CalendarUnit::kEpoch},
};

/// 1 (Monday) to 7.
int iso_day_of_week(int64_t days) {
  return static_cast<int>(floor_mod(days + 3, 7)) + 1;
}

/// The day that decides to which ISO year and week a day belongs: its week's Thursday.
int64_t thursday_of(int64_t days) {
  return days - iso_day_of_week(days) + 4;
}

int64_t day_of_year(int64_t days) {
  return days - days_from_civil(civil_from_days(days).year, 1, 1) + 1;
}

bool is_day_unit(CalendarUnit unit) {
  return unit <= CalendarUnit::kDay || (unit >= CalendarUnit::kDow && unit != CalendarUnit::kEpoch);
}

/// Of a wall clock. Times before 1970 round towards it, as Flink's runtime does, so hours may be negative.
int64_t extract_from_clock(CalendarUnit unit, TimestampValue value) {
  const int64_t millis = value.millis;
  switch (unit) {
    case CalendarUnit::kEpoch:
      return millis / 1000;
    case CalendarUnit::kHour:
      return millis % kMillisPerDay / 3600000;
    case CalendarUnit::kMinute:
      return millis % 3600000 / 60000;
    case CalendarUnit::kSecond:
      return millis % 60000 / 1000;
    case CalendarUnit::kMillisecond:
      return millis % 1000;
    case CalendarUnit::kMicrosecond:
      return millis % 1000 * 1000 + value.nanos / 1000;
    case CalendarUnit::kNanosecond:
      return millis % 1000 * 1000000 + value.nanos;
    default:
      return extract_from_day(unit, millis / kMillisPerDay);
  }
}

int64_t extract_from_interval(CalendarUnit unit, int64_t amount, bool months) {
  if (months) {
    switch (unit) {
      case CalendarUnit::kMillennium:
        return amount / 12000;
      case CalendarUnit::kCentury:
        return amount / 1200;
      case CalendarUnit::kDecade:
        return amount / 120;
      case CalendarUnit::kYear:
        return amount / 12;
      case CalendarUnit::kQuarter:
        return amount % 12 / 3 + 1;
      case CalendarUnit::kMonth:
        return amount % 12;
      default:
        return 0;
    }
  }
  return unit == CalendarUnit::kDay ? amount / kMillisPerDay : extract_from_clock(unit, {amount, 0});
}

CalendarUnit unit_of_argument(const Expression& call, size_t index) {
  CalendarUnit unit = CalendarUnit::kDay;
  parse_calendar_unit(literal_keyword(*call.arguments[index]), unit);
  return unit;
}

/// unit, value
ColumnPtr extract(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CalendarUnit unit = unit_of_argument(call, 0);
  const LogicalType& type = arguments[1].column->type();
  const TypeRoot root = call.arguments[1]->type.root();
  if (root == TypeRoot::kIntervalYearMonth || root == TypeRoot::kIntervalDayTime || root == TypeRoot::kTime) {
    const IntegerReader in(arguments[1]);
    const bool months = root == TypeRoot::kIntervalYearMonth;
    return write_cells<int64_t>(call, arguments, n, [&](size_t i) -> int64_t {
      if (root == TypeRoot::kTime) return is_day_unit(unit) ? 0 : extract_from_clock(unit, {in[i], 0});
      return extract_from_interval(unit, in[i], months);
    });
  }
  if (root == TypeRoot::kDate) {
    const CellReader<int32_t> in(arguments[1]);
    return write_cells<int64_t>(call, arguments, n, [&](size_t i) -> int64_t {
      if (unit == CalendarUnit::kEpoch) return int64_t{in[i]} * kSecondsPerDay;
      return is_day_unit(unit) ? extract_from_day(unit, in[i]) : 0;
    });
  }
  const TimestampReader in(arguments[1]);
  const bool local = type.is(TypeRoot::kTimestampLtz);
  return write_cells<int64_t>(call, arguments, n, [&](size_t i) -> int64_t {
    TimestampValue value = in[i];
    if (local) value.millis = context.config().zone.instant_to_local_ms(value.millis);
    return extract_from_clock(unit, value);
  });
}

bool has_parts(const LogicalType& type) {
  return type.is(TypeRoot::kDate) || type.is(TypeRoot::kTime) || type.is_timestamp() || type.is_interval();
}

ExpressionPtr resolve_extract(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  CalendarUnit unit;
  if (arguments.size() != 2 || !parse_calendar_unit(literal_keyword(*arguments[0]), unit) ||
      !has_parts(arguments[1]->type)) {
    fail_arguments(function.name, arguments, "'EXTRACT(<UNIT> FROM <DATETIME>)', 'EXTRACT(<UNIT> FROM <INTERVAL>)'");
  }
  const LogicalType type = LogicalType::bigint().as_nullable(arguments[1]->type.nullable());
  return make_kernel_call(function.name, type, extract, std::move(arguments));
}

/// YEAR(x), DAYOFWEEK(x) and their like.
ExpressionPtr resolve_part(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  std::string unit(function.name);
  if (unit == "DAYOFWEEK") unit = "DOW";
  if (unit == "DAYOFMONTH") unit = "DAY";
  if (unit == "DAYOFYEAR") unit = "DOY";
  if (arguments.size() != 1 || !has_parts(arguments[0]->type)) fail_arguments(function.name, arguments, "'<DATETIME>'");
  const LogicalType keyword = LogicalType::char_(static_cast<int>(unit.size())).not_null();
  return make_call("EXTRACT", {make_literal(keyword, Value(unit)), arguments[0]});
}

/// value, unit
template <bool kCeil>
ColumnPtr round_to_unit(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CalendarUnit unit = unit_of_argument(call, 1);
  const auto rounded = [unit](int64_t millis) {
    return kCeil ? ceil_to_unit(unit, millis) : floor_to_unit(unit, millis);
  };
  if (call.type.is(TypeRoot::kDate)) {
    const CellReader<int32_t> in(arguments[0]);
    return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
      return static_cast<int32_t>(floor_div(rounded(in[i] * kMillisPerDay), kMillisPerDay));
    });
  }
  if (call.type.is(TypeRoot::kTime)) {
    const CellReader<int32_t> in(arguments[0]);
    return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
      return static_cast<int32_t>(floor_mod(rounded(in[i]), kMillisPerDay));
    });
  }
  const TimestampReader in(arguments[0]);
  const bool local = call.type.is(TypeRoot::kTimestampLtz);
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    TimestampValue value = in[i];
    // As Flink: the offset is that of the instant itself, also where the rounded one has another.
    const int64_t offset = local ? context.config().zone.offset_at_instant_ms(value.millis) : 0;
    if (kCeil && value.nanos > 0) ++value.millis;
    return TimestampValue{rounded(value.millis + offset) - offset, 0};
  });
}

template <bool kCeil>
ExpressionPtr resolve_round_to_unit(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.size() == 1 && arguments[0]->type.is_numeric()) {
    return make_whole_number(function.name, arguments[0], kCeil);
  }
  CalendarUnit unit;
  if (arguments.size() != 2 || !has_parts(arguments[0]->type) || arguments[0]->type.is_interval() ||
      !parse_calendar_unit(literal_keyword(*arguments[1]), unit)) {
    fail_arguments(function.name, arguments, "'<NUMERIC>', '<DATETIME> TO <UNIT>'");
  }
  const LogicalType type = arguments[0]->type;
  return make_kernel_call(function.name, type, round_to_unit<kCeil>, std::move(arguments));
}

constexpr Function kDatetimePartFunctions[] = {
    {.name = "EXTRACT", .resolver = resolve_extract},
    {.name = "YEAR", .resolver = resolve_part},
    {.name = "QUARTER", .resolver = resolve_part},
    {.name = "MONTH", .resolver = resolve_part},
    {.name = "WEEK", .resolver = resolve_part},
    {.name = "DAYOFYEAR", .resolver = resolve_part},
    {.name = "DAYOFMONTH", .resolver = resolve_part},
    {.name = "DAYOFWEEK", .resolver = resolve_part},
    {.name = "HOUR", .resolver = resolve_part},
    {.name = "MINUTE", .resolver = resolve_part},
    {.name = "SECOND", .resolver = resolve_part},
    {.name = "FLOOR", .resolver = resolve_round_to_unit<false>},
    {.name = "CEIL", .resolver = resolve_round_to_unit<true>},
    {.name = "CEILING", .resolver = resolve_round_to_unit<true>},
};

}  // namespace

bool parse_calendar_unit(std::string_view name, CalendarUnit& unit) {
  for (const NamedUnit& known : kUnits) {
    if (known.name != name) continue;
    unit = known.unit;
    return true;
  }
  return false;
}

int64_t extract_from_day(CalendarUnit unit, int64_t days) {
  const CivilDate date = civil_from_days(days);
  switch (unit) {
    case CalendarUnit::kMillennium:
      return date.year > 0 ? (date.year + 999) / 1000 : (date.year - 999) / 1000;
    case CalendarUnit::kCentury:
      return date.year > 0 ? (date.year + 99) / 100 : (date.year - 99) / 100;
    case CalendarUnit::kDecade:
      return date.year / 10;
    case CalendarUnit::kYear:
      return date.year;
    case CalendarUnit::kQuarter:
      return (date.month + 2) / 3;
    case CalendarUnit::kMonth:
      return date.month;
    case CalendarUnit::kWeek:
      return (day_of_year(thursday_of(days)) + 6) / 7;
    case CalendarUnit::kDay:
      return date.day;
    case CalendarUnit::kDow:
      return iso_day_of_week(days) % 7 + 1;
    case CalendarUnit::kIsoDow:
      return iso_day_of_week(days);
    case CalendarUnit::kDoy:
      return day_of_year(days);
    case CalendarUnit::kIsoYear:
      return civil_from_days(thursday_of(days)).year;
    default:
      return 0;
  }
}

int64_t floor_to_unit(CalendarUnit unit, int64_t local_ms) {
  const int64_t days = floor_div(local_ms, kMillisPerDay);
  const CivilDate date = civil_from_days(days);
  const auto first_of = [](int64_t year, int month) { return days_from_civil(year, month, 1) * kMillisPerDay; };
  switch (unit) {
    case CalendarUnit::kMillennium:
      return first_of(floor_div(date.year - 1, 1000) * 1000 + 1, 1);
    case CalendarUnit::kCentury:
      return first_of(floor_div(date.year - 1, 100) * 100 + 1, 1);
    case CalendarUnit::kDecade:
      return first_of(floor_div(date.year, 10) * 10, 1);
    case CalendarUnit::kYear:
      return first_of(date.year, 1);
    case CalendarUnit::kQuarter:
      return first_of(date.year, (date.month - 1) / 3 * 3 + 1);
    case CalendarUnit::kMonth:
      return first_of(date.year, date.month);
    case CalendarUnit::kWeek:
      return (days - iso_day_of_week(days) % 7) * kMillisPerDay;
    case CalendarUnit::kHour:
      return floor_div(local_ms, 3600000) * 3600000;
    case CalendarUnit::kMinute:
      return floor_div(local_ms, 60000) * 60000;
    case CalendarUnit::kSecond:
      return floor_div(local_ms, 1000) * 1000;
    case CalendarUnit::kMillisecond:
    case CalendarUnit::kMicrosecond:
    case CalendarUnit::kNanosecond:
      return local_ms;
    default:
      return days * kMillisPerDay;
  }
}

int64_t ceil_to_unit(CalendarUnit unit, int64_t local_ms) {
  const int64_t floor = floor_to_unit(unit, local_ms);
  if (floor == local_ms) return floor;
  const auto months_later = [floor](int64_t months) {
    return add_months(floor_div(floor, kMillisPerDay), months) * kMillisPerDay;
  };
  switch (unit) {
    case CalendarUnit::kMillennium:
      return months_later(12000);
    case CalendarUnit::kCentury:
      return months_later(1200);
    case CalendarUnit::kDecade:
      return months_later(120);
    case CalendarUnit::kYear:
      return months_later(12);
    case CalendarUnit::kQuarter:
      return months_later(3);
    case CalendarUnit::kMonth:
      return months_later(1);
    case CalendarUnit::kWeek:
      return floor + 7 * kMillisPerDay;
    case CalendarUnit::kHour:
      return floor + 3600000;
    case CalendarUnit::kMinute:
      return floor + 60000;
    case CalendarUnit::kSecond:
      return floor + 1000;
    default:
      return floor + kMillisPerDay;
  }
}

std::span<const Function> datetime_part_functions() {
  return kDatetimePartFunctions;
}

}  // namespace yeoul
