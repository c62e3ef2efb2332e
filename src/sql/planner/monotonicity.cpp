#include "yeoul/sql/planner/monotonicity.h"

#include <algorithm>

namespace yeoul {
namespace {

using Columns = std::optional<std::vector<Monotonicity>>;

Columns constants(const PhysicalNode& node) {
  return std::vector<Monotonicity>(node.schema.size(), Monotonicity::kConstant);
}

bool all_constant(const std::vector<Monotonicity>& input, const std::vector<int>& columns) {
  return std::all_of(columns.begin(), columns.end(),
                     [&](int column) { return input[static_cast<size_t>(column)] == Monotonicity::kConstant; });
}

Monotonicity of_expression(const ExpressionPtr& expression, const std::vector<Monotonicity>& input) {
  if (expression->kind == Expression::Kind::kInputRef) return input[static_cast<size_t>(expression->index)];
  const bool constant = expression->deterministic && all_constant(input, input_columns(std::vector{expression}));
  return constant ? Monotonicity::kConstant : Monotonicity::kNone;
}

Columns of_calc(const PhysicalCalc& calc, const PhysicalNode& input_node) {
  const Columns input = column_monotonicity(input_node);
  if (!input) return std::nullopt;
  // An update may carry a row past the filter's border: to the consumer it is then deleted.
  if (calc.condition && of_expression(calc.condition, *input) != Monotonicity::kConstant) return std::nullopt;
  std::vector<Monotonicity> out;
  for (const ExpressionPtr& projection : calc.projections) out.push_back(of_expression(projection, *input));
  return out;
}

Monotonicity own_direction(AggregateKind function) {
  switch (function) {
    case AggregateKind::kCount:
    case AggregateKind::kCountStar:
    case AggregateKind::kMax:
      return Monotonicity::kIncreasing;
    case AggregateKind::kMin:
      return Monotonicity::kDecreasing;
    default:
      return Monotonicity::kNone;
  }
}

Monotonicity of_call(const AggregateCall& call, const PhysicalNode& input_node,
                     const std::vector<Monotonicity>& input) {
  const Monotonicity direction = own_direction(call.function);
  if (input_node.mode.is_insert_only()) return direction;
  if (call.filter >= 0 && !all_constant(input, {call.filter})) return Monotonicity::kNone;
  if (call.function == AggregateKind::kCount || call.function == AggregateKind::kCountStar) {
    return call.distinct || !all_constant(input, call.arguments) ? Monotonicity::kNone : direction;
  }
  const bool same = !call.arguments.empty() && input[static_cast<size_t>(call.arguments[0])] == direction;
  return same ? direction : Monotonicity::kNone;
}

Columns of_aggregate(const std::vector<int>& keys, const std::vector<AggregateCall>& calls, const PhysicalNode& input) {
  const Columns columns = column_monotonicity(input);
  if (!columns || !all_constant(*columns, keys)) return std::nullopt;
  std::vector<Monotonicity> out(keys.size(), Monotonicity::kConstant);
  for (const AggregateCall& call : calls) out.push_back(of_call(call, input, *columns));
  return out;
}

Columns of_union(const PhysicalNode& node) {
  Columns out;
  for (const PhysicalNodePtr& input : node.inputs) {
    const Columns columns = column_monotonicity(*input);
    if (!columns) return std::nullopt;
    if (!out) {
      out = columns;
      continue;
    }
    for (size_t i = 0; i < out->size(); ++i) {
      if ((*out)[i] != (*columns)[i]) (*out)[i] = Monotonicity::kNone;
    }
  }
  return out;
}

}  // namespace

std::optional<std::vector<Monotonicity>> column_monotonicity(const PhysicalNode& node) {
  if (node.mode.is_insert_only()) return constants(node);
  if (const auto* calc = node.as<PhysicalCalc>()) return of_calc(*calc, *node.inputs[0]);
  if (const auto* aggregate = node.as<PhysicalGroupAggregate>()) {
    return of_aggregate(aggregate->keys, aggregate->calls, *node.inputs[0]);
  }
  if (node.as<PhysicalUnion>()) return of_union(node);
  if (node.as<PhysicalExchange>()) return column_monotonicity(*node.inputs[0]);
  return std::nullopt;
}

void mark_calls_ignoring_retractions(const PhysicalNode& input, const std::vector<int>& keys,
                                     std::vector<AggregateCall>& calls) {
  if (input.mode.is_insert_only()) return;
  const Columns columns = of_aggregate(keys, calls, input);
  if (!columns) return;
  for (size_t i = 0; i < calls.size(); ++i) {
    const Monotonicity result = (*columns)[keys.size() + i];
    calls[i].ignores_retractions = (calls[i].function == AggregateKind::kMax && result == Monotonicity::kIncreasing) ||
                                   (calls[i].function == AggregateKind::kMin && result == Monotonicity::kDecreasing);
  }
}

}  // namespace yeoul
