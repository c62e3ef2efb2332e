#include "yeoul/sql/operators/calc.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

class Calc final : public Operator {
 public:
  explicit Calc(std::shared_ptr<const CalcSpec> spec)
      : spec_(std::move(spec)), projection_(spec_->projection, spec_->config) {
    if (spec_->condition) condition_.emplace(std::vector<ExpressionPtr>{spec_->condition}, spec_->config);
    only_refs_ = std::all_of(spec_->projection.begin(), spec_->projection.end(), [](const ExpressionPtr& expression) {
      return expression->kind == Expression::Kind::kInputRef;
    });
  }

  void process_batch(int, const BatchPtr& batch, OperatorOutput& output) override {
    auto result = calculate(std::static_pointer_cast<const RowBatch>(batch));
    if (result) output.emit(std::move(result));
  }

 private:
  /// Null when no row is left.
  RowBatchPtr calculate(RowBatchPtr batch) {
    if (batch->num_records() == 0) return nullptr;
    if (condition_) {
      Selection rows = condition_->select(*batch);
      if (rows.empty()) return nullptr;
      if (rows.size() != batch->num_records()) {
        auto selected = std::make_shared<RowBatch>(*batch);
        selected->selection = std::make_shared<const Selection>(std::move(rows));
        batch = std::move(selected);
      }
    }
    return only_refs_ ? pick_columns(*batch) : project(*batch);
  }

  /// Shares the columns, and leaves the selection to whoever needs dense rows.
  RowBatchPtr pick_columns(const RowBatch& batch) const {
    auto result = std::make_shared<RowBatch>();
    for (const ExpressionPtr& ref : spec_->projection) {
      const ColumnPtr& column = batch.columns[static_cast<size_t>(ref->index)];
      result->columns.push_back(column->type() == ref->type ? column : with_type(column, ref->type));
    }
    result->num_rows = batch.num_rows;
    result->kinds = batch.kinds;
    result->timestamps = batch.timestamps;
    result->selection = batch.selection;
    return result;
  }

  RowBatchPtr project(const RowBatch& batch) {
    auto result = std::make_shared<RowBatch>(projection_.evaluate(batch), batch.num_records());
    if (!batch.selection) {
      result->kinds = batch.kinds;
      result->timestamps = batch.timestamps;
      return result;
    }
    for (const uint32_t row : *batch.selection) {
      if (!batch.kinds.empty()) result->kinds.push_back(batch.kinds[row]);
      if (!batch.timestamps.empty()) result->timestamps.push_back(batch.timestamps[row]);
    }
    return result;
  }

  std::shared_ptr<const CalcSpec> spec_;
  std::optional<ExpressionEvaluator> condition_;
  ExpressionEvaluator projection_;
  bool only_refs_ = false;
};

class CalcFactory final : public OperatorFactory {
 public:
  explicit CalcFactory(CalcSpec spec) : spec_(std::make_shared<const CalcSpec>(std::move(spec))) {}
  std::unique_ptr<Operator> create() const override { return std::make_unique<Calc>(spec_); }

 private:
  std::shared_ptr<const CalcSpec> spec_;
};

}  // namespace

std::shared_ptr<const OperatorFactory> make_calc(CalcSpec spec) {
  return std::make_shared<CalcFactory>(std::move(spec));
}

}  // namespace yeoul
