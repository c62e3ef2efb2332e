#include "yeoul/sql/functions/cast.h"

#include <algorithm>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/registry.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

/// The cells as they are, under another type.
ColumnPtr retype_cells(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t) {
  return with_type(ColumnPtr(arguments[0].column, [](const Column*) {}), call.type);
}

[[noreturn]] void fail_cast(const LogicalType& from, const LogicalType& to) {
  if (from.is_timestamp() && to.is_numeric()) {
    throw user_error(1105, "The cast from {} type to NUMERIC type is not allowed.{}",
                     from.is(TypeRoot::kTimestamp) ? "TIMESTAMP" : "TIMESTAMP_LTZ",
                     from.is(TypeRoot::kTimestamp)
                         ? " It's recommended to use UNIX_TIMESTAMP(CAST(timestamp_col AS STRING)) instead."
                         : "");
  }
  if (from.is_numeric() && to.is_timestamp()) {
    throw user_error(1105, "The cast from NUMERIC type to {} type is not allowed. It's recommended to use {} instead.",
                     to.is(TypeRoot::kTimestamp) ? "TIMESTAMP" : "TIMESTAMP_LTZ",
                     to.is(TypeRoot::kTimestamp) ? "TO_TIMESTAMP(FROM_UNIXTIME(numeric_col))"
                                                 : "TO_TIMESTAMP_LTZ(numeric_col, precision)");
  }
  throw user_error(1105, "Cast function cannot convert value of type {} to type {}", calcite_type_name(from),
                   calcite_type_name(to));
}

/// The widest type of the same physical class is nested types' business; here only whether cells keep their meaning.
bool same_nested_cells(const LogicalType& from, const LogicalType& to) {
  if (from.fields().size() != to.fields().size()) return false;
  for (size_t i = 0; i < from.fields().size(); ++i) {
    if (!same_cells(from.child(i), to.child(i))) return false;
  }
  return true;
}

}  // namespace

bool same_cells(const LogicalType& from, const LogicalType& to) {
  if (from.same_type(to)) return true;
  if (from.is_string() && to.is(TypeRoot::kVarchar)) return from.length() <= to.length();
  if (from.is_binary() && to.is(TypeRoot::kVarbinary)) return from.length() <= to.length();
  if (from.root() != to.root()) return false;
  switch (from.root()) {
    case TypeRoot::kDecimal:
      return from.scale() == to.scale() && from.precision() <= to.precision();
    case TypeRoot::kIntervalDayTime:
    case TypeRoot::kIntervalYearMonth:
      return true;
    case TypeRoot::kTime:
      return from.precision() <= to.precision();
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz: {
      const auto unit = [](int precision) { return precision <= 3 ? 0 : precision <= 6 ? 1 : 2; };
      return from.precision() <= to.precision() && unit(from.precision()) == unit(to.precision());
    }
    case TypeRoot::kArray:
    case TypeRoot::kMultiset:
    case TypeRoot::kMap:
    case TypeRoot::kRow:
      return same_nested_cells(from, to);
    default:
      return false;
  }
}

std::optional<CastRule> find_cast(const LogicalType& from, const LogicalType& to) {
  if (same_cells(from, to)) return CastRule{retype_cells, false};
  for (const auto rule : {numeric_cast, text_cast, datetime_cast, nested_cast}) {
    const CastRule found = rule(from, to);
    if (found.kernel != nullptr) return found;
  }
  return std::nullopt;
}

ExpressionPtr make_cast(ExpressionPtr argument, const LogicalType& type, bool try_cast) {
  const LogicalType from = argument->type;
  const LogicalType to = type.as_nullable(from.nullable() || try_cast);
  if (from.is(TypeRoot::kNull)) return make_literal(type.as_nullable(), Value());
  if (from == to) return argument;
  const std::optional<CastRule> rule = find_cast(from, to);
  if (!rule) fail_cast(from, to);
  const bool is_literal = argument->kind == Expression::Kind::kLiteral;
  const bool same = rule->kernel == retype_cells;
  if (same && is_literal) return make_literal(to, argument->value);
  auto cast = std::make_shared<Expression>(
      *make_kernel_call("CAST", to, rule->kernel, {std::move(argument)}, rule->can_fail && !try_cast));
  cast->kind = try_cast ? Expression::Kind::kTryCast : Expression::Kind::kCast;
  // Nothing reads lengths, decimal precision or nullability from cells, so such a cast hands the column on.
  const bool unseen =
      from.same_type(to) || from.is_string() || from.is_binary() || from.is(TypeRoot::kDecimal) || from.is_interval();
  if (same && unseen) cast->kernel = nullptr;
  return cast;
}

ExpressionPtr make_assignment_cast(ExpressionPtr argument, const LogicalType& type) {
  const LogicalType from = argument->type;
  if (from.is(TypeRoot::kNull)) return make_literal(type.as_nullable(), Value());
  const auto kind = [](const LogicalType& t) {
    if (t.is_numeric()) return 1;
    if (t.is_string()) return 2;
    if (t.is_binary()) return 3;
    if (t.is_timestamp()) return 4;
    return 100 + static_cast<int>(t.root());
  };
  const bool date_and_timestamp = (from.is(TypeRoot::kDate) && type.is_timestamp()) ||
                                  (from.is_timestamp() && (type.is(TypeRoot::kDate) || type.is(TypeRoot::kTime)));
  if ((kind(from) != kind(type) && !date_and_timestamp) || !find_cast(from, type)) {
    throw user_error(1106, "a value of type {} cannot be written to a column of type {}; cast it",
                     from.as_nullable().to_string(), type.as_nullable().to_string());
  }
  return make_cast(std::move(argument), type);
}

std::string_view trim_blanks(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

TimestampValue truncate_timestamp(TimestampValue value, int precision, bool towards_past) {
  static constexpr int64_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
  if (precision <= 3) {
    const int64_t unit = kPowers[3 - precision];
    value.millis = (towards_past ? floor_div(value.millis, unit) : value.millis / unit) * unit;
    value.nanos = 0;
  } else if (precision < 9) {
    const auto unit = static_cast<int32_t>(kPowers[9 - precision]);
    value.nanos = value.nanos / unit * unit;
  }
  return value;
}

}  // namespace yeoul
