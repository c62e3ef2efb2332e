#include "yeoul/datastream/row_view.h"

#include "yeoul/common/error.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

void RowView::throw_wrong_type(size_t column, const std::string& cpp_name) const {
  throw user_error(7125, "column {} of the row is {}, which cannot be read as {}", column,
                   batch_->columns[column]->type().to_string(), cpp_name);
}

void RowView::throw_no_column(size_t column) const {
  throw user_error(7126, "the row has no column {}: it has {} columns, which count from 0", column,
                   batch_->columns.size());
}

std::string to_string(const RowView& row) {
  std::string out(short_name(row.kind()));
  out += '[';
  for (size_t column = 0; column < row.num_columns(); ++column) {
    if (column != 0) out += ", ";
    if (row.is_null(column)) {
      out += "NULL";
    } else {
      append_text(row.column_at(column), row.row_, TimeZone(), out);
    }
  }
  return out + ']';
}

std::vector<int64_t> timestamps_of(const RowBatch& batch) {
  if (!batch.selection || batch.timestamps.empty()) return batch.timestamps;
  std::vector<int64_t> timestamps;
  timestamps.reserve(batch.selection->size());
  for (const uint32_t row : *batch.selection) timestamps.push_back(batch.timestamps[row]);
  return timestamps;
}

template <>
BatchPtr keep_records<Row>(const BatchPtr& batch, const std::vector<uint32_t>& kept) {
  const auto& rows = static_cast<const RowBatch&>(*batch);
  auto selected = std::make_shared<RowBatch>(rows);
  Selection selection(kept);
  if (rows.selection) {
    for (uint32_t& row : selection) row = (*rows.selection)[row];
  }
  selected->selection = std::make_shared<const Selection>(std::move(selection));
  return selected;
}

}  // namespace yeoul
