#include "yeoul/sql/planner/run_time_null.h"

#include <algorithm>

namespace yeoul {
namespace {

bool expression_may_break(const Expression& expression, const PhysicalNode& input) {
  switch (expression.kind) {
    case Expression::Kind::kInputRef:
      return may_break_not_null(input, expression.index);
    case Expression::Kind::kLiteral:
      return expression.value.is_null();
    default:
      return true;
  }
}

bool aggregate_may_break(const PhysicalGroupAggregate& aggregate, const PhysicalNode& input, size_t column) {
  if (column < aggregate.keys.size()) return may_break_not_null(input, aggregate.keys[column]);
  const AggregateKind function = aggregate.calls[column - aggregate.keys.size()].function;
  return function != AggregateKind::kCount && function != AggregateKind::kCountStar;
}

/// Nothing where Flink has no default but NULL.
std::optional<Value> default_of(const LogicalType& type) {
  switch (type.physical()) {
    case PhysicalType::kBool:
      return Value(false);
    case PhysicalType::kInt8:
    case PhysicalType::kInt16:
    case PhysicalType::kInt32:
    case PhysicalType::kInt64:
      if (type.is_timestamp()) return std::nullopt;
      return Value(int64_t{-1});
    case PhysicalType::kFloat:
    case PhysicalType::kDouble:
      return Value(-1.0);
    case PhysicalType::kBytes:
      if (!type.is_string()) return std::nullopt;
      return Value(std::string(type.is(TypeRoot::kChar) ? static_cast<size_t>(type.length()) : 0, ' '));
    default:
      return std::nullopt;
  }
}

}  // namespace

ExpressionPtr with_element_default(const ExpressionPtr& projection) {
  if (projection->kind != Expression::Kind::kCall || projection->name != "[]") return projection;
  const LogicalType& collection = projection->arguments[0]->type;
  const LogicalType& element = collection.child(collection.is(TypeRoot::kMap) ? 1 : 0);
  const std::optional<Value> value = element.nullable() ? std::nullopt : default_of(element);
  return value ? make_call("COALESCE", {projection, make_literal(element, *value)}) : projection;
}

bool may_break_not_null(const PhysicalNode& node, int column) {
  const auto index = static_cast<size_t>(column);
  if (const auto* calc = node.as<PhysicalCalc>()) {
    return expression_may_break(*calc->projections[index], *node.inputs[0]);
  }
  if (const auto* values = node.as<PhysicalValues>()) {
    return std::any_of(values->rows.begin(), values->rows.end(),
                       [&](const std::vector<Value>& row) { return row[index].is_null(); });
  }
  if (const auto* aggregate = node.as<PhysicalGroupAggregate>()) {
    return aggregate_may_break(*aggregate, *node.inputs[0], index);
  }
  if (node.inputs.empty()) return true;
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](const PhysicalNodePtr& input) { return may_break_not_null(*input, column); });
}

}  // namespace yeoul
