#include <algorithm>

#include "yeoul/sql/functions/arithmetic.h"
#include "yeoul/sql/functions/calendar_fields.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

/// DATE, TIME or timestamp (argument 0) plus or minus an interval (argument 1). kSign is 1 or -1.
template <int kSign>
ColumnPtr shift_date(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int32_t> days(arguments[0]);
  const IntegerReader interval(arguments[1]);
  const bool months = arguments[1].column->type().is(TypeRoot::kIntervalYearMonth);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    const int64_t amount = kSign * interval[i];
    return static_cast<int32_t>(months ? add_months(days[i], amount) : days[i] + amount / kMillisPerDay);
  });
}

template <int kSign>
ColumnPtr shift_time(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int32_t> time(arguments[0]);
  const IntegerReader interval(arguments[1]);
  const bool months = arguments[1].column->type().is(TypeRoot::kIntervalYearMonth);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    return months ? time[i] : static_cast<int32_t>(floor_mod(time[i] + kSign * interval[i], kMillisPerDay));
  });
}

/// Months are of the session's calendar for TIMESTAMP_LTZ; days are 24 hours.
template <int kSign>
ColumnPtr shift_timestamp(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                          size_t n) {
  const TimestampReader timestamp(arguments[0]);
  const IntegerReader interval(arguments[1]);
  const bool months = arguments[1].column->type().is(TypeRoot::kIntervalYearMonth);
  (void)context;
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    TimestampValue value = timestamp[i];
    const int64_t amount = kSign * interval[i];
    if (!months) {
      value.millis += amount;
      return value;
    }
    const int64_t days = floor_div(value.millis, kMillisPerDay);
    value.millis = add_months(days, amount) * kMillisPerDay + (value.millis - days * kMillisPerDay);
    return value;
  });
}

Kernel shift_kernel(const LogicalType& type, bool minus) {
  if (type.is(TypeRoot::kDate)) return minus ? shift_date<-1> : shift_date<1>;
  if (type.is(TypeRoot::kTime)) return minus ? shift_time<-1> : shift_time<1>;
  return minus ? shift_timestamp<-1> : shift_timestamp<1>;
}

template <class T>
ColumnPtr scale_interval(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const IntegerReader interval(arguments[0]);
  const IntegerReader factor(arguments[1]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> T {
    return static_cast<T>(static_cast<uint64_t>(interval[i]) * static_cast<uint64_t>(factor[i]));
  });
}

bool is_point(const LogicalType& type) {
  return type.is(TypeRoot::kDate) || type.is(TypeRoot::kTime) || type.is_timestamp();
}

// ---- TIMESTAMPADD, TIMESTAMPDIFF

struct Unit {
  int64_t months = 0;
  int64_t millis = 0;
};

bool unit_of(std::string_view name, Unit& unit) {
  if (name.starts_with("SQL_TSI_")) name.remove_prefix(8);
  if (name == "YEAR" || name == "YEARS")
    unit = {12, 0};
  else if (name == "QUARTER" || name == "QUARTERS")
    unit = {3, 0};
  else if (name == "MONTH" || name == "MONTHS")
    unit = {1, 0};
  else if (name == "WEEK" || name == "WEEKS")
    unit = {0, 7 * kMillisPerDay};
  else if (name == "DAY" || name == "DAYS")
    unit = {0, kMillisPerDay};
  else if (name == "HOUR" || name == "HOURS")
    unit = {0, 3600000};
  else if (name == "MINUTE" || name == "MINUTES")
    unit = {0, 60000};
  else if (name == "SECOND" || name == "SECONDS")
    unit = {0, 1000};
  else if (name == "MILLISECOND" || name == "FRAC_SECOND")
    unit = {0, 1};
  else
    return false;
  return true;
}

Unit unit_of_call(const Expression& call) {
  Unit unit;
  unit_of(literal_keyword(*call.arguments[0]), unit);
  return unit;
}

/// unit, count, point
ColumnPtr timestamp_add(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Unit unit = unit_of_call(call);
  const IntegerReader count(arguments[1]);
  const TimestampReader point(arguments[2]);
  const auto moved = [&](size_t i) -> TimestampValue {
    TimestampValue value = point[i];
    if (unit.months == 0) {
      value.millis += count[i] * unit.millis;
      return value;
    }
    const int64_t days = floor_div(value.millis, kMillisPerDay);
    value.millis = add_months(days, count[i] * unit.months) * kMillisPerDay + (value.millis - days * kMillisPerDay);
    return value;
  };
  if (call.type.is(TypeRoot::kDate)) {
    return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
      return static_cast<int32_t>(floor_div(moved(i).millis, kMillisPerDay));
    });
  }
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> { return moved(i); });
}

ColumnPtr time_add(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Unit unit = unit_of_call(call);
  const IntegerReader count(arguments[1]);
  const CellReader<int32_t> time(arguments[2]);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    return static_cast<int32_t>(floor_mod(time[i] + count[i] * unit.millis, kMillisPerDay));
  });
}

ExpressionPtr resolve_timestamp_add(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  Unit unit;
  if (arguments.size() != 3 || !unit_of(literal_keyword(*arguments[0]), unit) || !arguments[1]->type.is_integer() ||
      !is_point(arguments[2]->type)) {
    fail_arguments(function.name, arguments, "'TIMESTAMPADD(<UNIT>, <INTEGER>, <DATETIME>)'");
  }
  LogicalType type = arguments[2]->type;
  Kernel kernel = timestamp_add;
  if (type.is(TypeRoot::kTime)) {
    kernel = time_add;
  } else if (type.is(TypeRoot::kDate) && unit.months == 0 && unit.millis < kMillisPerDay) {
    type = LogicalType::timestamp(6);
  } else if (type.is_timestamp() && unit.millis == 1) {
    const int precision = std::max(3, type.precision());
    type = type.is(TypeRoot::kTimestamp) ? LogicalType::timestamp(precision) : LogicalType::timestamp_ltz(precision);
  }
  type = type.as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, kernel, std::move(arguments));
}

/// Whole months between two points; the end of a shorter month counts as a whole one.
int64_t months_between(TimestampValue from, TimestampValue to) {
  if (to < from) return -months_between(to, from);
  const int64_t from_days = floor_div(from.millis, kMillisPerDay);
  const CivilDate a = civil_from_days(from_days);
  const CivilDate b = civil_from_days(floor_div(to.millis, kMillisPerDay));
  const auto moved = [&](int64_t count) {
    return TimestampValue{add_months(from_days, count) * kMillisPerDay + (from.millis - from_days * kMillisPerDay),
                          from.nanos};
  };
  int64_t months = (b.year - a.year) * 12 + (b.month - a.month);
  while (months > 0 && moved(months) > to) --months;
  return months;
}

/// unit, from, to
ColumnPtr timestamp_difference(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Unit unit = unit_of_call(call);
  const TimestampReader from(arguments[1]);
  const TimestampReader to(arguments[2]);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    if (unit.months != 0) return static_cast<int32_t>(months_between(from[i], to[i]) / unit.months);
    return static_cast<int32_t>((to[i].millis - from[i].millis) / unit.millis);
  });
}

ExpressionPtr resolve_timestamp_difference(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  Unit unit;
  const auto fits = [](const LogicalType& t) { return t.is(TypeRoot::kDate) || t.is_timestamp(); };
  if (arguments.size() != 3 || !unit_of(literal_keyword(*arguments[0]), unit) || !fits(arguments[1]->type) ||
      !fits(arguments[2]->type)) {
    fail_arguments(function.name, arguments, "'TIMESTAMPDIFF(<UNIT>, <DATETIME>, <DATETIME>)'");
  }
  // A TIMESTAMP_LTZ is compared by its wall clock, as the other side is.
  for (size_t i = 1; i <= 2; ++i) {
    const LogicalType& type = arguments[i]->type;
    if (type.is(TypeRoot::kTimestampLtz)) {
      arguments[i] = make_cast(arguments[i], LogicalType::timestamp(type.precision()).as_nullable(type.nullable()));
    }
  }
  const LogicalType type = LogicalType::integer().as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, timestamp_difference, std::move(arguments));
}

/// (from - to) as an interval: the interval's type comes third, as a literal.
ColumnPtr subtract_days(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const TimestampReader a(arguments[0]);
  const TimestampReader b(arguments[1]);
  return write_cells<int64_t>(call, arguments.first(2), n,
                              [&](size_t i) -> int64_t { return a[i].millis - b[i].millis; });
}

ColumnPtr subtract_months(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const TimestampReader a(arguments[0]);
  const TimestampReader b(arguments[1]);
  return write_cells<int32_t>(call, arguments.first(2), n,
                              [&](size_t i) -> int32_t { return static_cast<int32_t>(months_between(b[i], a[i])); });
}

ExpressionPtr resolve_minus_date(const Function& function, Arguments arguments) {
  if (arguments.size() != 3 || !is_point(arguments[0]->type) || !is_point(arguments[1]->type) ||
      !arguments[2]->type.is_interval()) {
    fail_arguments(function.name, arguments);
  }
  const LogicalType type =
      arguments[2]->type.as_nullable(arguments[0]->type.nullable() || arguments[1]->type.nullable());
  const Kernel kernel = type.is(TypeRoot::kIntervalDayTime) ? subtract_days : subtract_months;
  return make_kernel_call(function.name, type, kernel, std::move(arguments));
}

/// Two rows of (start, end or length).
ExpressionPtr resolve_overlaps(const Function& function, Arguments arguments) {
  if (arguments.size() == 2) {
    Arguments parts;
    for (const ExpressionPtr& row : arguments) {
      if (!row->type.is(TypeRoot::kRow) || row->type.fields().size() != 2) fail_arguments(function.name, arguments);
      for (int i = 0; i < 2; ++i) parts.push_back(make_field_access(row, i));
    }
    arguments = std::move(parts);
  }
  if (arguments.size() != 4) fail_arguments(function.name, arguments);
  const auto end_of = [&](size_t i) {
    return arguments[i]->type.is_interval() ? make_call("+", {arguments[i - 1], arguments[i]}) : arguments[i];
  };
  const auto ordered = [&](const ExpressionPtr& a, const ExpressionPtr& b, bool greatest) {
    return make_call("CASE", {make_call(greatest ? ">" : "<", {a, b}), a, b});
  };
  const ExpressionPtr end1 = end_of(1);
  const ExpressionPtr end2 = end_of(3);
  return make_call("AND", {make_call(">=", {ordered(arguments[0], end1, true), ordered(arguments[2], end2, false)}),
                           make_call(">=", {ordered(arguments[2], end2, true), ordered(arguments[0], end1, false)})});
}

constexpr Function kDatetimeArithmeticFunctions[] = {
    {.name = "TIMESTAMPADD", .resolver = resolve_timestamp_add},
    {.name = "TIMESTAMPDIFF", .resolver = resolve_timestamp_difference},
    {.name = "MINUS_DATE", .resolver = resolve_minus_date},
    {.name = "OVERLAPS", .resolver = resolve_overlaps},
};

}  // namespace

int64_t add_months(int64_t days, int64_t months) {
  const CivilDate date = civil_from_days(days);
  const int64_t total = date.year * 12 + (date.month - 1) + months;
  const int64_t year = floor_div(total, 12);
  const int month = static_cast<int>(total - year * 12) + 1;
  return days_from_civil(year, month, std::min(date.day, days_in_month(year, month)));
}

ExpressionPtr resolve_datetime_arithmetic(std::string_view name, const Arguments& arguments) {
  const LogicalType& a = arguments[0]->type;
  const LogicalType& b = arguments[1]->type;
  const bool plus = name == "+";
  const bool minus = name == "-";
  const bool nullable = a.nullable() || b.nullable();
  if ((plus || minus) && is_point(a) && b.is_interval()) {
    return make_kernel_call(name, a.as_nullable(nullable), shift_kernel(a, minus), arguments);
  }
  if (plus && a.is_interval() && is_point(b)) return resolve_datetime_arithmetic(name, {arguments[1], arguments[0]});
  if ((plus || minus) && a.is_interval() && b.is_interval() && a.root() == b.root()) {
    return make_kernel_call(name, a.as_nullable(nullable), arithmetic_kernel(name[0], a), arguments);
  }
  if (name == "*" && a.is_interval() && b.is_integer()) {
    const Kernel kernel = a.is(TypeRoot::kIntervalDayTime) ? scale_interval<int64_t> : scale_interval<int32_t>;
    return make_kernel_call(name, a.as_nullable(nullable), kernel, arguments);
  }
  if (name == "*" && a.is_integer() && b.is_interval()) {
    return resolve_datetime_arithmetic(name, {arguments[1], arguments[0]});
  }
  if (is_point(a) || is_point(b) || a.is_interval() || b.is_interval()) {
    fail_arguments(name, arguments,
                   fmt::format("'<NUMERIC> {} <NUMERIC>', '<DATETIME> {} <DATETIME_INTERVAL>'", name, name));
  }
  return nullptr;
}

std::span<const Function> datetime_arithmetic_functions() {
  return kDatetimeArithmeticFunctions;
}

}  // namespace yeoul
