#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/sql/functions/expression.h"
#include "yeoul/types/batch.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

/// What an expression may depend on besides its row.
struct EvaluationConfig {
  TimeZone zone;                         ///< table.local-time-zone
  const Clock* clock = &system_clock();  ///< CURRENT_TIMESTAMP, PROCTIME and their like
};

/// A row whose expression has no value: division by zero, a text that is no number.
struct RowError {
  uint32_t row;  ///< among the rows of the kernel call, then of the batch
  std::string message;
};

/// What kernels see besides their arguments.
class KernelContext {
 public:
  explicit KernelContext(const EvaluationConfig& config) : config_(config) {}
  const EvaluationConfig& config() const { return config_; }
  void row_error(uint32_t row, std::string message) { errors_.push_back({row, std::move(message)}); }
  std::vector<RowError>& errors() { return errors_; }

 private:
  const EvaluationConfig& config_;
  std::vector<RowError> errors_;
};

/// An argument of a kernel: a column of num_rows cells, or one cell that stands for all of them.
struct Argument {
  const Column* column;
  bool constant;
  size_t row(size_t i) const { return constant ? 0 : i; }
};

/// Evaluates expressions over batches, vectorised. Holds scratch memory; one per operator. Threads: one.
class ExpressionEvaluator {
 public:
  ExpressionEvaluator(std::vector<ExpressionPtr> expressions, EvaluationConfig config);

  /// One dense column per expression over the live rows of the batch. A plain input ref shares the batch's column.
  /// @throws user error 3100 for the first live row with an error, naming the expression and the reason.
  std::vector<ColumnPtr> evaluate(const RowBatch& batch);
  /// The live rows (numbers in the batch's columns) where the first expression, a BOOLEAN, is TRUE.
  Selection select(const RowBatch& batch);

 private:
  std::vector<ExpressionPtr> expressions_;
  EvaluationConfig config_;
  /// One-cell columns of the literals.
  std::unordered_map<const Expression*, ColumnPtr> literals_;
};

/// The value of an expression without input refs, folded; the same expression back when it is not deterministic or
/// fails (the failure then shows where Flink shows it: at run time).
ExpressionPtr fold_constants(const ExpressionPtr& expression, const EvaluationConfig& config);

}  // namespace yeoul
