#include "yeoul/sql/operators/row_selector.h"

#include "yeoul/types/kernels.h"

namespace yeoul {
namespace {

/// How often a value is there: mostly a few times, so a varint makes checkpoints a third smaller.
CellType count_cell() {
  CellType cell = cell_type<int64_t>();
  cell.encode = [](const void* count, ByteWriter& out) { out.svarint(*static_cast<const int64_t*>(count)); };
  cell.decode = [](ByteReader& in, void* count) { *static_cast<int64_t*>(count) = in.svarint(); };
  return cell;
}
constexpr uint32_t kCountVersion = 2;

}  // namespace

RowSelector::RowSelector(int filter, std::vector<int> distinct, const Schema& input,
                         std::span<const std::string> column_names, KeyedStateBackend& backend)
    : filter_(filter), distinct_(std::move(distinct)) {
  if (distinct_.empty()) return;
  std::string names;
  std::string types;
  for (const int argument : distinct_) {
    const auto column = static_cast<size_t>(argument);
    names += (names.empty() ? "" : ", ") + column_names[column];
    types += (types.empty() ? "" : ", ") + input.fields()[column].type.as_nullable().to_string();
  }
  std::string name = "DISTINCT " + names;
  if (filter_ >= 0) name += " FILTER " + column_names[static_cast<size_t>(filter_)];
  values_ = &backend.map_state({.name = std::move(name),
                                .kind = StateKind::kMap,
                                .value_type = "BIGINT",
                                .map_key_type = distinct_.size() == 1 ? types : "ROW<" + types + ">",
                                .codec_version = kCountVersion},
                               count_cell());
}

void RowSelector::select(const GroupedRows& rows) {
  actions_ = rows.actions.empty() ? nullptr : rows.actions.data();
  if (filter_ < 0 && distinct_.empty()) return;
  if (actions_) {
    own_actions_ = rows.actions;
  } else {
    own_actions_.assign(rows.num_rows(), RowAction::kAccumulate);
  }
  actions_ = own_actions_.data();
  if (filter_ >= 0) apply_filter(rows);
  if (!distinct_.empty()) apply_distinct(rows);
}

void RowSelector::apply_filter(const GroupedRows& rows) {
  const Column& column = *rows.batch->columns[static_cast<size_t>(filter_)];
  const uint8_t* values = column.values<uint8_t>();
  for (size_t row = 0; row < rows.num_rows(); ++row) {
    if (values[row] == 0 || column.is_null(row)) own_actions_[row] = RowAction::kIgnore;
  }
}

void RowSelector::apply_distinct(const GroupedRows& rows) {
  // NULL is a value like another here: ARRAY_AGG keeps it, and the other aggregates pass over it themselves.
  const CanonicalKeys values = canonical_keys(*rows.batch, distinct_);
  // A key that is deleted and comes back within the batch starts without values: the batch is cut there.
  size_t first = 0;
  for (size_t row = 0; row < rows.resets.size(); ++row) {
    if (!rows.resets[row]) continue;
    count_values(rows, values, first, row);
    values_->clear(rows.slots[rows.groups[row]]);
    first = row;
  }
  count_values(rows, values, first, rows.num_rows());
}

void RowSelector::count_values(const GroupedRows& rows, const CanonicalKeys& values, size_t first, size_t last) {
  counted_.clear();
  slots_.clear();
  keys_.clear();
  for (size_t row = first; row < last; ++row) {
    if (own_actions_[row] == RowAction::kIgnore) continue;
    counted_.push_back(static_cast<uint32_t>(row));
    slots_.push_back(rows.slots[rows.groups[row]]);
    keys_.push_back(values[row]);
  }
  counts_.resize(counted_.size());
  values_->entries(slots_, keys_, true, counts_);
  bool some_gone = false;
  for (size_t i = 0; i < counted_.size(); ++i) {
    auto& count = *static_cast<int64_t*>(counts_[i]);
    RowAction& action = own_actions_[counted_[i]];
    const RowAction asked = action;
    count += static_cast<int64_t>(asked);
    // The first one counts when it comes, the last one when it goes.
    const bool changes = count == (asked == RowAction::kAccumulate ? 1 : 0);
    if (!changes) action = RowAction::kIgnore;
    some_gone |= count == 0;
  }
  if (!some_gone) return;
  size_t gone = 0;
  for (size_t i = 0; i < counted_.size(); ++i) {
    if (*static_cast<const int64_t*>(counts_[i]) != 0) continue;
    slots_[gone] = slots_[i];
    keys_[gone++] = keys_[i];
  }
  for (size_t i = 0; i < gone; ++i) values_->erase(slots_[i], keys_[i]);
}

}  // namespace yeoul
