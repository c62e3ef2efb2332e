#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "yeoul/types/column.h"
#include "yeoul/types/logical_type.h"
#include "yeoul/types/row_kind.h"

namespace yeoul {

/// Marks the row type of SQL batches; never instantiated.
struct Row;

/// The timestamp of a record without event time.
inline constexpr int64_t kNoTimestamp = std::numeric_limits<int64_t>::min();

/// What travels through channels and operator calls (docs/architecture.md, D1): a sequence of records of one type.
class BatchBase {
 public:
  virtual ~BatchBase() = default;
  virtual size_t num_records() const = 0;
  /// Rough bytes held; bounds channels.
  virtual size_t memory_bytes() const = 0;
};
/// Batches are immutable once handed on; a broadcast shares one.
using BatchPtr = std::shared_ptr<const BatchBase>;

/// Records of a C++ type, one timestamp each (empty: none has one).
template <class T>
class Batch : public BatchBase {
 public:
  std::vector<T> values;
  std::vector<int64_t> timestamps;

  size_t num_records() const override { return values.size(); }
  size_t memory_bytes() const override { return values.size() * (sizeof(T) + sizeof(int64_t)); }
};

/// Row numbers of a batch, ascending.
using Selection = std::vector<uint32_t>;

/// SQL rows as columns. `kinds` empty: all +I. `timestamps` empty: no record timestamps.
/// A selection, where present, names the live rows; it lives only inside a chain: compact() before an exchange, a sink,
/// state or Arrow export.
template <>
class Batch<Row> : public BatchBase {
 public:
  Batch() = default;
  Batch(std::vector<ColumnPtr> columns, size_t num_rows) : columns(std::move(columns)), num_rows(num_rows) {}

  std::vector<ColumnPtr> columns;
  /// Rows in the columns, live or not.
  size_t num_rows = 0;
  std::vector<RowKind> kinds;
  std::vector<int64_t> timestamps;
  std::shared_ptr<const Selection> selection;

  RowKind kind(size_t row) const { return kinds.empty() ? RowKind::kInsert : kinds[row]; }
  int64_t timestamp(size_t row) const { return timestamps.empty() ? kNoTimestamp : timestamps[row]; }
  /// Live rows.
  size_t num_records() const override { return selection ? selection->size() : num_rows; }
  size_t memory_bytes() const override;
};
using RowBatch = Batch<Row>;
using RowBatchPtr = std::shared_ptr<const RowBatch>;

/// The batch with only its live rows and no selection; the same batch when it has none.
RowBatchPtr compact(const RowBatchPtr& batch);
/// The given rows (of the columns, whatever the selection), in that order.
std::shared_ptr<RowBatch> take(const RowBatch& batch, const Selection& rows);
/// Rows [first, first + count) without selection.
std::shared_ptr<RowBatch> slice(const RowBatch& batch, size_t first, size_t count);

}  // namespace yeoul
