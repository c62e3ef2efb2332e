#include "yeoul/sql/functions/aggregate_call.h"

#include <fmt/format.h>

#include "yeoul/common/error.h"
#include "yeoul/sql/functions/registry.h"

namespace yeoul {

namespace {

std::string_view function_name(AggregateKind function) {
  switch (function) {
    case AggregateKind::kCount:
    case AggregateKind::kCountStar:
      return "COUNT";
    case AggregateKind::kSum:
      return "SUM";
    case AggregateKind::kSum0:
      return "$SUM0";
    case AggregateKind::kAvg:
      return "AVG";
    case AggregateKind::kMin:
      return "MIN";
    case AggregateKind::kMax:
      return "MAX";
    case AggregateKind::kFirstValue:
      return "FIRST_VALUE";
    case AggregateKind::kLastValue:
      return "LAST_VALUE";
    case AggregateKind::kArrayAgg:
      return "ARRAY_AGG";
  }
  return {};
}

[[noreturn]] void fail_aggregate(std::string_view name, std::span<const LogicalType> types) {
  std::string text;
  for (const LogicalType& type : types) {
    text += fmt::format("{}<{}>", text.empty() ? "" : ", ", calcite_type_name(type));
  }
  throw user_error(1108, "Cannot apply '{}' to arguments of type '{}({})'", name, name, text);
}

/// Flink's findSumAggType: DECIMAL grows to 38 digits, the others stay.
LogicalType sum_type(const LogicalType& type) {
  return type.is(TypeRoot::kDecimal) ? LogicalType::decimal(38, type.scale()) : type;
}

/// Flink's findAvgAggType: DECIMAL(38, max(6, s)).
LogicalType avg_type(const LogicalType& type) {
  return type.is(TypeRoot::kDecimal) ? LogicalType::decimal(38, std::max(6, type.scale())) : type;
}

bool is_comparable(const LogicalType& type) {
  switch (type.physical()) {
    case PhysicalType::kList:
    case PhysicalType::kMap:
    case PhysicalType::kStruct:
    case PhysicalType::kNone:
      return false;
    default:
      return !type.is_binary();
  }
}

}  // namespace

std::string AggregateCall::to_string(std::span<const std::string> column_names) const {
  const auto column = [&](int index) {
    return static_cast<size_t>(index) < column_names.size() ? column_names[static_cast<size_t>(index)]
                                                            : fmt::format("${}", index);
  };
  std::string list;
  for (const int argument : arguments) list += fmt::format("{}{}", list.empty() ? "" : ", ", column(argument));
  if (arguments.empty()) list = "*";
  std::string text = fmt::format("{}({}{})", function_name(function), distinct ? "DISTINCT " : "", list);
  if (filter >= 0) text += fmt::format(" FILTER {}", column(filter));
  return text;
}

AggregateCall resolve_aggregate(std::string_view name, std::span<const LogicalType> argument_types, bool star,
                                bool distinct, bool grouped) {
  AggregateCall call;
  call.distinct = distinct;
  if (name == "COUNT") {
    if (!star && argument_types.empty()) fail_aggregate(name, argument_types);
    call.function = star ? AggregateKind::kCountStar : AggregateKind::kCount;
    call.type = LogicalType::bigint().not_null();
    return call;
  }
  if (star || argument_types.size() != 1 || argument_types[0].is(TypeRoot::kNull)) fail_aggregate(name, argument_types);
  const LogicalType& argument = argument_types[0];
  const bool numeric = argument.is_numeric();
  LogicalType type = argument;
  if (name == "SUM" && numeric) {
    call.function = AggregateKind::kSum;
    type = sum_type(argument);
  } else if (name == "AVG" && numeric) {
    call.function = AggregateKind::kAvg;
    type = avg_type(argument);
  } else if (name == "MIN" && is_comparable(argument)) {
    call.function = AggregateKind::kMin;
  } else if (name == "MAX" && is_comparable(argument)) {
    call.function = AggregateKind::kMax;
  } else if (name == "FIRST_VALUE" && argument.physical() != PhysicalType::kNone) {
    call.function = AggregateKind::kFirstValue;
  } else if (name == "LAST_VALUE" && argument.physical() != PhysicalType::kNone) {
    call.function = AggregateKind::kLastValue;
  } else if (name == "ARRAY_AGG" && argument.physical() != PhysicalType::kNone) {
    call.function = AggregateKind::kArrayAgg;
    call.type = LogicalType::array(argument);
    return call;
  } else {
    fail_aggregate(name, argument_types);
  }
  call.type = type.as_nullable(argument.nullable() || !grouped);
  return call;
}

}  // namespace yeoul
