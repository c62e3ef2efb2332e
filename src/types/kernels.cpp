#include "yeoul/types/kernels.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "yeoul/types/dispatch.h"

namespace yeoul {

namespace {

using Rows = std::span<const uint32_t>;

/// Copies up to this many bytes of a string at once; Buffer's padding makes reading and writing past the end safe.
constexpr size_t kShortString = 16;

template <size_t kWidth>
void gather_cells(const char* from, Rows rows, char* to) {
  for (const uint32_t row : rows) {
    std::memcpy(to, from + static_cast<size_t>(row) * kWidth, kWidth);
    to += kWidth;
  }
}

void gather_fixed(const char* from, Rows rows, size_t width, char* to) {
  switch (width) {
    case 1:
      return gather_cells<1>(from, rows, to);
    case 2:
      return gather_cells<2>(from, rows, to);
    case 4:
      return gather_cells<4>(from, rows, to);
    case 8:
      return gather_cells<8>(from, rows, to);
    default:
      return gather_cells<16>(from, rows, to);
  }
}

void gather_validity(const Column& column, Rows rows, Column& out) {
  if (column.validity_buffer().size() == 0 || rows.empty()) return;
  const auto* from = column.validity_buffer().as<uint8_t>();
  Buffer bits((rows.size() + 7) / 8);
  auto* to = bits.as<uint8_t>();
  size_t valid = 0;
  for (size_t i = 0; i < rows.size(); i += 8) {
    const size_t end = std::min<size_t>(8, rows.size() - i);
    uint8_t byte = 0;
    for (size_t j = 0; j < end; ++j) {
      const uint32_t row = rows[i + j];
      const uint8_t bit = (from[row >> 3] >> (row & 7)) & 1;
      byte |= static_cast<uint8_t>(bit << j);
      valid += bit;
    }
    to[i >> 3] = byte;
  }
  if (valid != rows.size()) out.validity_buffer() = std::move(bits);
}

int32_t checked_offset(uint64_t offset, const Column& column) {
  if (offset > static_cast<uint64_t>(std::numeric_limits<int32_t>::max())) {
    throw internal_error(9000, "a column of type {} would hold more than 2 GiB in one batch",
                         column.type().to_string());
  }
  return static_cast<int32_t>(offset);
}

int32_t* allocate_offsets(Column& out) {
  out.offsets_buffer().resize((out.size() + 1) * sizeof(int32_t));
  auto* offsets = out.offsets_buffer().as<int32_t>();
  offsets[0] = 0;
  return offsets;
}

/// Offsets of the taken cells; returns their total.
size_t gather_offsets(const Column& column, Rows rows, Column& out) {
  int32_t* to = allocate_offsets(out);
  const int32_t* from = column.offsets();
  uint64_t total = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    total += static_cast<uint32_t>(from[rows[i] + 1] - from[rows[i]]);
    to[i + 1] = static_cast<int32_t>(total);
  }
  return static_cast<size_t>(checked_offset(total, column));
}

void gather_strings(const Column& column, Rows rows, Column& out) {
  const size_t total = gather_offsets(column, rows, out);
  if (total == 0) return;
  out.data_buffer().resize(total);
  char* to = out.data_buffer().data();
  const char* bytes = column.bytes();
  const int32_t* from = column.offsets();
  for (const uint32_t row : rows) {
    const auto size = static_cast<size_t>(from[row + 1] - from[row]);
    if (size <= kShortString) {
      std::memcpy(to, bytes + from[row], kShortString);
    } else {
      std::memcpy(to, bytes + from[row], size);
    }
    to += size;
  }
}

void gather_lists(const Column& column, Rows rows, Column& out) {
  const size_t total = gather_offsets(column, rows, out);
  std::vector<uint32_t> elements;
  elements.reserve(total);
  const int32_t* from = column.offsets();
  for (const uint32_t row : rows) {
    for (int32_t i = from[row]; i < from[row + 1]; ++i) elements.push_back(static_cast<uint32_t>(i));
  }
  for (const ColumnPtr& child : column.children()) out.mutable_children().push_back(take(*child, elements));
}

/// Copies `count` bits between positions of two bitmaps.
void copy_bits(const uint8_t* from, size_t from_bit, uint8_t* to, size_t to_bit, size_t count) {
  if ((from_bit & 7) == 0 && (to_bit & 7) == 0 && count >= 8) {
    std::memcpy(to + (to_bit >> 3), from + (from_bit >> 3), count >> 3);
    const size_t done = count & ~size_t{7};
    from_bit += done;
    to_bit += done;
    count -= done;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t source = from_bit + i;
    const size_t target = to_bit + i;
    const auto bit = static_cast<uint8_t>(1u << (target & 7));
    const bool set = (from[source >> 3] >> (source & 7)) & 1;
    to[target >> 3] = set ? to[target >> 3] | bit : to[target >> 3] & static_cast<uint8_t>(~bit);
  }
}

void append_part(const Buffer& from, size_t first, size_t bytes, Buffer& to) {
  if (bytes != 0) to.append(from.data() + first, bytes);
}

/// Part of a column: cells [first, first + count).
struct Part {
  const Column* column;
  size_t first;
  size_t count;
};

void join_validity(std::span<const Part> parts, Column& out) {
  bool any = false;
  for (const Part& part : parts) any |= part.column->validity_buffer().size() != 0;
  if (!any) return;
  out.ensure_validity();
  size_t at = 0;
  for (const Part& part : parts) {
    if (part.column->validity_buffer().size() != 0) {
      copy_bits(part.column->validity_buffer().as<uint8_t>(), part.first, out.validity_buffer().as<uint8_t>(), at,
                part.count);
    }
    at += part.count;
  }
}

/// Joined offsets; returns the range of bytes or children of each part.
std::vector<Part> join_offsets(std::span<const Part> parts, Column& out) {
  int32_t* to = allocate_offsets(out);
  std::vector<Part> ranges;
  uint64_t total = 0;
  for (const Part& part : parts) {
    if (part.count == 0) continue;
    const int32_t* from = part.column->offsets() + part.first;
    const int64_t shift = static_cast<int64_t>(total) - from[0];
    total += static_cast<uint32_t>(from[part.count] - from[0]);
    checked_offset(total, out);
    for (size_t i = 1; i <= part.count; ++i) *++to = static_cast<int32_t>(from[i] + shift);
    ranges.push_back({part.column, static_cast<size_t>(from[0]), static_cast<size_t>(from[part.count] - from[0])});
  }
  return ranges;
}

ColumnPtr join(const LogicalType& type, std::span<const Part> parts);

void join_children(const LogicalType& type, std::span<const Part> parts, Column& out) {
  for (size_t c = 0; c < type.fields().size(); ++c) {
    std::vector<Part> of_child;
    of_child.reserve(parts.size());
    for (const Part& part : parts) of_child.push_back({&part.column->child(c), part.first, part.count});
    out.mutable_children().push_back(join(type.child(c), of_child));
  }
}

/// The parts one after the other: the one path of slice and concat.
ColumnPtr join(const LogicalType& type, std::span<const Part> parts) {
  size_t size = 0;
  for (const Part& part : parts) size += part.count;
  auto out = std::make_shared<Column>(type, size);
  const PhysicalType physical = type.physical();
  if (physical == PhysicalType::kNone) return out;
  join_validity(parts, *out);
  switch (physical) {
    case PhysicalType::kBytes: {
      const std::vector<Part> ranges = join_offsets(parts, *out);
      out->data_buffer().reserve(static_cast<size_t>(out->offsets()[size]));
      for (const Part& range : ranges) {
        append_part(range.column->data_buffer(), range.first, range.count, out->data_buffer());
      }
      break;
    }
    case PhysicalType::kList:
    case PhysicalType::kMap:
      join_children(type, join_offsets(parts, *out), *out);
      break;
    case PhysicalType::kStruct:
      join_children(type, parts, *out);
      break;
    default: {
      const size_t width = cell_bytes(physical);
      out->data_buffer().reserve(size * width);
      for (const Part& part : parts) {
        append_part(part.column->data_buffer(), part.first * width, part.count * width, out->data_buffer());
      }
      if (physical != PhysicalType::kTimestampNanos) break;
      out->nanos_buffer().reserve(size * sizeof(int32_t));
      for (const Part& part : parts) {
        out->nanos_buffer().append(part.column->nanos() + part.first, part.count * sizeof(int32_t));
      }
    }
  }
  return out;
}

}  // namespace

ColumnPtr take(const Column& column, std::span<const uint32_t> rows) {
  auto out = std::make_shared<Column>(column.type(), rows.size());
  gather_validity(column, rows, *out);
  const PhysicalType physical = column.type().physical();
  switch (physical) {
    case PhysicalType::kNone:
      break;
    case PhysicalType::kBytes:
      gather_strings(column, rows, *out);
      break;
    case PhysicalType::kList:
    case PhysicalType::kMap:
      gather_lists(column, rows, *out);
      break;
    case PhysicalType::kStruct:
      for (const ColumnPtr& child : column.children()) out->mutable_children().push_back(take(*child, rows));
      break;
    default: {
      const size_t width = cell_bytes(physical);
      out->data_buffer().resize(rows.size() * width);
      gather_fixed(column.bytes(), rows, width, out->data_buffer().data());
      if (physical != PhysicalType::kTimestampNanos) break;
      out->nanos_buffer().resize(rows.size() * sizeof(int32_t));
      gather_fixed(reinterpret_cast<const char*>(column.nanos()), rows, sizeof(int32_t), out->nanos_buffer().data());
    }
  }
  return out;
}

ColumnPtr slice(const Column& column, size_t first, size_t count) {
  YEOUL_CHECK(first <= column.size() && count <= column.size() - first, "cells {} to {} of a column of {}", first,
              first + count, column.size());
  const Part part{&column, first, count};
  return join(column.type(), {&part, 1});
}

ColumnPtr concat(std::span<const ColumnPtr> columns) {
  YEOUL_CHECK(!columns.empty(), "no column to join");
  if (columns.size() == 1) return columns[0];
  const PhysicalType physical = columns[0]->type().physical();
  std::vector<Part> parts;
  parts.reserve(columns.size());
  for (const ColumnPtr& column : columns) {
    YEOUL_CHECK(column->type().physical() == physical, "cannot join {} and {}", columns[0]->type().to_string(),
                column->type().to_string());
    parts.push_back({column.get(), 0, column->size()});
  }
  return join(columns[0]->type(), parts);
}

ColumnPtr repeat(const LogicalType& type, const Value& value, size_t count) {
  ColumnBuilder builder(type);
  builder.append_value(value);
  const ColumnPtr cell = builder.finish();
  return take(*cell, std::vector<uint32_t>(count, 0));
}

namespace {

/// Which unit a timestamp column counts in; 0 for other types.
int timestamp_unit(const LogicalType& type) {
  if (!type.is_timestamp()) return 0;
  return type.precision() <= 3 ? 1 : type.precision() <= 6 ? 2 : 3;
}

void copy_buffer(const Buffer& from, Buffer& to) {
  if (from.size() != 0) to.append(from.data(), from.size());
}

}  // namespace

ColumnPtr with_type(const ColumnPtr& column, const LogicalType& type) {
  const LogicalType& old = column->type();
  if (old == type) return column;
  const bool same_units = timestamp_unit(old) == timestamp_unit(type) || !old.is_timestamp() || !type.is_timestamp();
  YEOUL_CHECK(old.physical() == type.physical() && same_units, "a column of {} is not laid out as {}", old.to_string(),
              type.to_string());
  // Columns own their buffers, so this copies them; children are shared.
  auto copy = std::make_shared<Column>(type, column->size());
  copy_buffer(column->validity_buffer(), copy->validity_buffer());
  copy_buffer(column->data_buffer(), copy->data_buffer());
  copy_buffer(column->nanos_buffer(), copy->nanos_buffer());
  copy_buffer(column->offsets_buffer(), copy->offsets_buffer());
  for (size_t i = 0; i < column->children().size(); ++i) {
    copy->mutable_children().push_back(with_type(column->children()[i], type.child(i)));
  }
  return copy;
}

}  // namespace yeoul
