#include "yeoul/table/record_conversion.h"

#include <algorithm>

#include "yeoul/types/kernels.h"

namespace yeoul {
namespace {

class DenseRows final : public Operator {
 public:
  explicit DenseRows(std::shared_ptr<const ToRecordsSpec> spec) : spec_(std::move(spec)) {}

  void process_batch(int, const BatchPtr& batch, OperatorOutput& output) override {
    const RowBatchPtr dense = compact(std::static_pointer_cast<const RowBatch>(batch));
    auto rows = std::make_shared<RowBatch>(*dense);
    rows->timestamps = spec_->timestamps(*dense);
    for (RowKind& kind : rows->kinds) kind = spec_->kind(kind);
    output.emit(std::move(rows));
  }

 private:
  std::shared_ptr<const ToRecordsSpec> spec_;
};

}  // namespace

void ToRowsBase::process_watermark(int64_t watermark, OperatorOutput& output) {
  if (spec_->forward_watermarks || watermark == kMaxWatermark) output.emit_watermark(watermark);
}

ColumnPtr ToRowsBase::rowtime_column(const std::vector<int64_t>& timestamps, size_t count,
                                     const ToRowsSpec::Part& part) const {
  const bool missing = timestamps.empty()
                           ? count != 0
                           : std::find(timestamps.begin(), timestamps.end(), kNoTimestamp) != timestamps.end();
  if (missing) {
    throw user_error(3301,
                     "table '{}': column '{}' is the event time of the stream's records, but a record has none: call "
                     "assign_timestamps_and_watermarks() on the stream before it becomes a table",
                     spec_->table, part.column);
  }
  auto column = std::make_shared<Column>(part.type, count);
  std::copy(timestamps.begin(), timestamps.end(), column->allocate_values<int64_t>());
  return column;
}

void ToRowsBase::check_kinds(const std::vector<RowKind>& kinds) const {
  for (const RowKind kind : kinds) {
    if (spec_->mode.contains(kind)) continue;
    throw user_error(3302, "table '{}': a record of kind {} comes in a changelog stream that was declared as {}",
                     spec_->table, short_name(kind), spec_->mode.to_string());
  }
}

void PickRowsOperator::process_batch(int, const BatchPtr& batch, OperatorOutput& output) {
  const auto& from = batch_cast<Row>(*batch);
  auto rows = std::make_shared<RowBatch>();
  rows->num_rows = from.num_rows;
  rows->selection = from.selection;
  rows->kinds = from.kinds;
  rows->timestamps = from.timestamps;
  for (const ToRowsSpec::Part& part : spec().parts) {
    if (part.field == ToRowsSpec::kRowtime) {
      rows->columns.push_back(rowtime_column(from.timestamps, from.num_rows, part));
      continue;
    }
    const auto field = static_cast<size_t>(part.field);
    if (field >= from.columns.size() || !from.columns[field]->type().same_type(part.type)) {
      throw user_error(7124, "table '{}': column '{}' is declared as {}, but the stream's rows have {} in that place",
                       spec().table, part.column, part.type.as_nullable().to_string(),
                       field < from.columns.size() ? from.columns[field]->type().as_nullable().to_string()
                                                   : std::string("no column"));
    }
    rows->columns.push_back(with_type(from.columns[field], part.type));
  }
  check_kinds(rows->kinds);
  output.emit(std::move(rows));
}

std::vector<int64_t> ToRecordsSpec::timestamps(const RowBatch& rows) const {
  std::vector<int64_t> out;
  if (rowtime < 0) return out;
  const Column& column = *rows.columns[static_cast<size_t>(rowtime)];
  const size_t count = rows.num_records();
  const bool millis = column.type().precision() <= 3;
  out.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t row = rows.selection ? (*rows.selection)[i] : i;
    if (column.is_null(row)) {
      out.push_back(kNoTimestamp);
    } else {
      out.push_back(millis ? column.values<int64_t>()[row] : column.timestamp_at(row).millis);
    }
  }
  return out;
}

std::shared_ptr<const OperatorFactory> make_dense_rows(std::shared_ptr<const ToRecordsSpec> spec) {
  return operator_factory<DenseRows>(std::move(spec));
}

}  // namespace yeoul
