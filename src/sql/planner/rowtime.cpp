#include "yeoul/sql/planner/rowtime.h"

#include "yeoul/sql/binder/expression_binder.h"

namespace yeoul {
namespace {

/// Rowtime columns of expressions over a node's output; that of a scan may be computed there.
std::vector<bool> of_expressions(const std::vector<ExpressionPtr>& expressions, const PhysicalNode& input) {
  const std::vector<bool> columns = rowtime_columns(input);
  const auto* scan = input.as<PhysicalScan>();
  std::vector<bool> out;
  for (const ExpressionPtr& expression : expressions) {
    const bool handed_on =
        expression->kind == Expression::Kind::kInputRef && columns[static_cast<size_t>(expression->index)];
    const bool computed = scan != nullptr && scan->watermark && scan->watermark->rowtime &&
                          same_expression(*expression, *scan->watermark->rowtime);
    out.push_back(handed_on || computed);
  }
  return out;
}

}  // namespace

std::vector<bool> rowtime_columns(const PhysicalNode& node) {
  std::vector<bool> none(node.schema.size(), false);
  if (const auto* scan = node.as<PhysicalScan>()) {
    const bool plain =
        scan->watermark && scan->watermark->rowtime && scan->watermark->rowtime->kind == Expression::Kind::kInputRef;
    if (plain) none[static_cast<size_t>(scan->watermark->rowtime->index)] = true;
    return none;
  }
  if (const auto* calc = node.as<PhysicalCalc>()) return of_expressions(calc->projections, *node.inputs[0]);
  if (node.as<PhysicalGroupAggregate>() || node.inputs.empty()) return none;
  std::vector<bool> out = rowtime_columns(*node.inputs[0]);
  for (size_t input = 1; input < node.inputs.size(); ++input) {
    const std::vector<bool> other = rowtime_columns(*node.inputs[input]);
    for (size_t i = 0; i < out.size(); ++i) out[i] = out[i] && other[i];
  }
  return out;
}

}  // namespace yeoul
