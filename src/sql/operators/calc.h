#pragma once

#include <memory>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/sql/functions/evaluator.h"
#include "yeoul/sql/functions/expression.h"

namespace yeoul {

/// WHERE and projection in one (Flink's Calc). Keeps row kinds and timestamps.
struct CalcSpec {
  ExpressionPtr condition;  ///< BOOLEAN; null: every row
  std::vector<ExpressionPtr> projection;
  EvaluationConfig config;
};

/// A row whose expression has no value is user error 3100; the task says which operator.
std::shared_ptr<const OperatorFactory> make_calc(CalcSpec spec);

}  // namespace yeoul
