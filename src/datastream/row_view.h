#pragma once

#include <string>

#include "yeoul/datastream/record_fields.h"
#include "yeoul/runtime/typed_batch_splitter.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// A row of a stream of rows (`DataStream<Row>`), as functions see it: valid during the call only. Columns count from
/// 0, in the order of the table or query that the rows come from.
class RowView {
 public:
  RowView(const RowBatch& batch, size_t row) : batch_(&batch), row_(row) {}

  /// What the row does to the table: +I, -U, +U or -D.
  RowKind kind() const { return batch_->kind(row_); }
  /// Event time; kNoTimestamp without.
  int64_t timestamp() const { return batch_->timestamp(row_); }
  size_t num_columns() const { return batch_->columns.size(); }
  bool is_null(size_t column) const { return column_at(column).is_null(row_); }
  /// A cell as one of the C++ types that column_values.h lists. @throws user error 3300 for NULL where T is no
  /// std::optional, 7125 for a column of another type, 7126 for one that is not there
  template <class T>
  T get(size_t column) const {
    const Column& cells = column_at(column);
    if (!ColumnValues<T>::fits(cells.type())) [[unlikely]]
      throw_wrong_type(column, ColumnValues<T>::name());
    return ColumnValues<T>::read(cells, row_);
  }

  /// "+I[ana, 1, NULL]", for print().
  friend std::string to_string(const RowView& row);

 private:
  const Column& column_at(size_t column) const {
    if (column >= batch_->columns.size()) [[unlikely]]
      throw_no_column(column);
    return *batch_->columns[column];
  }
  [[noreturn]] void throw_wrong_type(size_t column, const std::string& cpp_name) const;
  [[noreturn]] void throw_no_column(size_t column) const;

  const RowBatch* batch_;
  size_t row_;
};

/// What a function sees of a record: the record itself, or a view of a row.
template <class T>
using RecordView = std::conditional_t<std::is_same_v<T, Row>, RowView, T>;

/// Record `i` of those that live in the batch.
template <class T>
decltype(auto) record_at(const Batch<T>& batch, size_t i) {
  return batch.values[i];
}
inline RowView record_at(const RowBatch& batch, size_t i) {
  return {batch, batch.selection ? (*batch.selection)[i] : i};
}

/// Event times of the records that live in the batch; empty: none has one.
template <class T>
const std::vector<int64_t>& timestamps_of(const Batch<T>& batch) {
  return batch.timestamps;
}
std::vector<int64_t> timestamps_of(const RowBatch& batch);

/// The records that `kept` numbers among those that live in the batch.
template <class T>
BatchPtr keep_records(const BatchPtr& batch, const std::vector<uint32_t>& kept) {
  return TypedBatchSplitter<T>().take(batch, kept);
}
template <>
BatchPtr keep_records<Row>(const BatchPtr& batch, const std::vector<uint32_t>& kept);

}  // namespace yeoul
