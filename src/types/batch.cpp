#include "yeoul/types/batch.h"

#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

template <class T>
std::vector<T> gather(const std::vector<T>& values, const Selection& rows) {
  std::vector<T> taken;
  if (values.empty()) return taken;
  taken.reserve(rows.size());
  for (const uint32_t row : rows) taken.push_back(values[row]);
  return taken;
}

template <class T>
std::vector<T> part(const std::vector<T>& values, size_t first, size_t count) {
  if (values.empty()) return {};
  return {values.begin() + first, values.begin() + first + count};
}

}  // namespace

size_t Batch<Row>::memory_bytes() const {
  size_t bytes = kinds.size() * sizeof(RowKind) + timestamps.size() * sizeof(int64_t);
  if (selection) bytes += selection->size() * sizeof(uint32_t);
  for (const ColumnPtr& column : columns) bytes += column->memory_bytes();
  return bytes;
}

RowBatchPtr compact(const RowBatchPtr& batch) {
  if (!batch->selection) return batch;
  // Selections ascend, so one of full length keeps every row.
  if (batch->selection->size() == batch->num_rows) {
    auto all = std::make_shared<RowBatch>(*batch);
    all->selection.reset();
    return all;
  }
  return take(*batch, *batch->selection);
}

std::shared_ptr<RowBatch> take(const RowBatch& batch, const Selection& rows) {
  auto taken = std::make_shared<RowBatch>();
  taken->num_rows = rows.size();
  taken->columns.reserve(batch.columns.size());
  for (const ColumnPtr& column : batch.columns) taken->columns.push_back(take(*column, rows));
  taken->kinds = gather(batch.kinds, rows);
  taken->timestamps = gather(batch.timestamps, rows);
  return taken;
}

std::shared_ptr<RowBatch> slice(const RowBatch& batch, size_t first, size_t count) {
  YEOUL_CHECK(first <= batch.num_rows && count <= batch.num_rows - first, "rows {} to {} of a batch of {}", first,
              first + count, batch.num_rows);
  auto sliced = std::make_shared<RowBatch>();
  sliced->num_rows = count;
  sliced->columns.reserve(batch.columns.size());
  const bool whole = count == batch.num_rows;
  for (const ColumnPtr& column : batch.columns) {
    sliced->columns.push_back(whole ? column : slice(*column, first, count));
  }
  sliced->kinds = part(batch.kinds, first, count);
  sliced->timestamps = part(batch.timestamps, first, count);
  return sliced;
}

}  // namespace yeoul
