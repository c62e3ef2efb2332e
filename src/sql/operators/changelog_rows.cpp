#include "yeoul/sql/operators/changelog_rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "yeoul/types/dispatch.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

void ChangelogRows::clear() {
  kinds_.clear();
  rows_.clear();
  after_.clear();
  num_after_ = 0;
}

ColumnPtr ChangelogRows::gather(const ColumnPtr& before, const ColumnPtr& after) const {
  if (num_after_ == rows_.size()) return take(*after, rows_);
  if (num_after_ == 0) return take(*before, rows_);
  std::vector<uint32_t> picked(rows_);
  const auto shift = static_cast<uint32_t>(before->size());
  for (size_t i = 0; i < picked.size(); ++i) picked[i] += after_[i] ? shift : 0;
  const ColumnPtr both[] = {before, after};
  return take(*concat(both), picked);
}

void ChangelogRows::emit(std::vector<ColumnPtr> columns, std::vector<int64_t> timestamps, size_t batch_records_max,
                         OperatorOutput& output) const {
  if (kinds_.empty()) return;
  auto batch = std::make_shared<RowBatch>(std::move(columns), kinds_.size());
  const bool all_inserts =
      std::all_of(kinds_.begin(), kinds_.end(), [](RowKind kind) { return kind == RowKind::kInsert; });
  if (!all_inserts) batch->kinds = kinds_;
  batch->timestamps = std::move(timestamps);
  if (batch->num_rows <= batch_records_max) return output.emit(std::move(batch));
  for (size_t first = 0; first < batch->num_rows; first += batch_records_max) {
    output.emit(slice(*batch, first, std::min(batch_records_max, batch->num_rows - first)));
  }
}

namespace {

/// Flink's generated equality (NaN equals nothing), but 0.0 and -0.0 differ: they are two values to those who group by
/// them, so that an aggregate that changed from one to the other in silence would later take back what it never gave.
template <class T>
bool same_value(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return a == b && std::signbit(a) == std::signbit(b);
  return a == b;
}

}  // namespace

void mark_changes(const Column& before, const Column& after, std::span<uint8_t> changed) {
  const bool nulls = before.may_have_nulls() || after.may_have_nulls();
  const bool fixed = visit_fixed_width(after.type().physical(), [&]<class T>(std::type_identity<T>) {
    const T* a = before.values<T>();
    const T* b = after.values<T>();
    if (!nulls) {
      for (size_t i = 0; i < changed.size(); ++i) changed[i] |= !same_value(a[i], b[i]);
      return;
    }
    for (size_t i = 0; i < changed.size(); ++i) {
      const bool null = after.is_null(i);
      changed[i] |= null != before.is_null(i) || (!null && !same_value(a[i], b[i]));
    }
  });
  if (fixed) return;
  for (size_t i = 0; i < changed.size(); ++i) changed[i] |= !equal_cells(before, i, after, i);
}

}  // namespace yeoul
