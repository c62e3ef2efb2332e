#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "yeoul/types/batch.h"
#include "yeoul/types/column.h"

namespace yeoul {

/// The given rows of a column, in that order; repeats are allowed.
ColumnPtr take(const Column& column, std::span<const uint32_t> rows);
/// Cells [first, first + count).
ColumnPtr slice(const Column& column, size_t first, size_t count);
/// All cells of the columns, one after the other; all of one physical type. At least one column.
ColumnPtr concat(std::span<const ColumnPtr> columns);
/// A column that repeats one cell.
ColumnPtr repeat(const LogicalType& type, const Value& value, size_t count);
/// The column under another type of the same physical layout (nullability, length); shares nothing mutable.
ColumnPtr with_type(const ColumnPtr& column, const LogicalType& type);

/// Three-way order of two cells of the same type: NULL first, numbers and times by value (NaN last and equal to itself,
/// -0.0 below 0.0, as java.lang.Double.compare), strings by bytes, ARRAY, MAP and ROW by elements.
std::strong_ordering compare_cells(const Column& a, size_t row_a, const Column& b, size_t row_b);
/// Same value as keys see it: NULL equals NULL, NaN equals NaN, 0.0 differs from -0.0.
bool equal_cells(const Column& a, size_t row_a, const Column& b, size_t row_b);

/// Appends the canonical bytes of a cell to `out`: equal cells have equal bytes, whatever batch they come from; MAP
/// entries in key order. Stored in checkpoints and hashed for key groups (D12); the layout never changes:
/// presence byte, then fixed-width little-endian, or varint length and bytes, or varint count and elements.
void append_canonical(const Column& column, size_t row, std::string& out);
/// Canonical bytes of a key of several columns, for rows [0, num_rows): key `i` is bytes[offsets[i], offsets[i+1]).
struct CanonicalKeys {
  std::string bytes;
  std::vector<uint32_t> offsets;
  size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::string_view operator[](size_t i) const {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
};
CanonicalKeys canonical_keys(const RowBatch& batch, std::span<const int> key_columns);
/// Reads one cell back from canonical bytes into a builder; advances `bytes`.
void append_from_canonical(std::string_view& bytes, ColumnBuilder& builder);

/// Bytes whose memcmp order is compare_cells' order; for sorted-map state. Invertible by append_from_sortable.
void append_sortable(const Column& column, size_t row, std::string& out);
void append_from_sortable(std::string_view& bytes, ColumnBuilder& builder);

}  // namespace yeoul
