#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// Collects the rows of a changelog by number, each out of one of two sets of columns (how things were, how they are),
/// and emits them as batches.
class ChangelogRows {
 public:
  void clear();
  bool empty() const { return kinds_.empty(); }
  void add_before(RowKind kind, uint32_t row) { add(kind, row, false); }
  void add_after(RowKind kind, uint32_t row) { add(kind, row, true); }
  /// -U of `before` where wanted, then +U of `after`.
  void add_update(uint32_t before, uint32_t after, bool update_before) {
    if (update_before) add_before(RowKind::kUpdateBefore, before);
    add_after(RowKind::kUpdateAfter, after);
  }

  const std::vector<RowKind>& kinds() const { return kinds_; }
  /// The numbers given, whichever set they are of.
  const std::vector<uint32_t>& rows() const { return rows_; }
  /// A column of the collected rows. `before` may be null when no row is of it.
  ColumnPtr gather(const ColumnPtr& before, const ColumnPtr& after) const;
  /// Emits the columns, one per collected row, in batches of at most `batch_records_max` rows.
  void emit(std::vector<ColumnPtr> columns, std::vector<int64_t> timestamps, size_t batch_records_max,
            OperatorOutput& output) const;

 private:
  void add(RowKind kind, uint32_t row, bool after) {
    kinds_.push_back(kind);
    rows_.push_back(row);
    after_.push_back(after);
    num_after_ += after;
  }

  std::vector<RowKind> kinds_;
  std::vector<uint32_t> rows_;
  std::vector<uint8_t> after_;
  size_t num_after_ = 0;
};

/// Sets `changed[i]` where cell i differs as Flink's generated equality sees it (NULL equals NULL, NaN equals nothing),
/// but that 0.0 and -0.0 differ.
void mark_changes(const Column& before, const Column& after, std::span<uint8_t> changed);

}  // namespace yeoul
