#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "yeoul/types/dispatch.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/stored_cell.h"

// Canonical bytes are stored in checkpoints: nothing that this file writes may change. canonical_test.cpp holds them.

namespace yeoul {

namespace {

static_assert(std::endian::native == std::endian::little, "stored numbers are little-endian");

/// Keys see one NaN.
template <class T>
T canonical_number(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value != value ? std::numeric_limits<T>::quiet_NaN() : value;
  } else {
    return value;
  }
}

size_t varint_size(uint64_t value) {
  return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7;
}

char* write_varint(uint64_t value, char* to) {
  if (value < 0x80) [[likely]] {
    *to = static_cast<char>(value);
    return to + 1;
  }
  for (; value >= 0x80; value >>= 7) *to++ = static_cast<char>(value | 0x80);
  *to++ = static_cast<char>(value);
  return to;
}

void append_varint(uint64_t value, std::string& out) {
  char bytes[10];
  out.append(bytes, write_varint(value, bytes));
}

/// Bytes of a present cell of a fixed-width column behind its presence byte; 0 for others.
size_t canonical_width(PhysicalType physical) {
  return physical == PhysicalType::kTimestampNanos ? sizeof(int64_t) + sizeof(int32_t) : cell_bytes(physical);
}

std::string_view cut(std::string_view& bytes, uint64_t size) {
  if (size > bytes.size()) throw_damaged_cell("a cell ends too early");
  const std::string_view head = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return head;
}

uint64_t cut_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(cut(bytes, 1)[0]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw_damaged_cell("a varint is too long");
}

template <class T>
T cut_fixed(std::string_view& bytes) {
  T value;
  std::memcpy(&value, cut(bytes, sizeof value).data(), sizeof value);
  return value;
}

/// Writes one key column of all rows into the keys' places. `ends[i]` is where row i's key ends so far.
class KeyColumn {
 public:
  explicit KeyColumn(const Column& column) : column_(column), physical_(column.type().physical()) {
    if (canonical_width(physical_) != 0 || physical_ == PhysicalType::kBytes) return;
    // Nested cells are rare as keys: they are written once aside, then copied like strings.
    nested_offsets_.reserve(column.size() + 1);
    nested_offsets_.push_back(0);
    for (size_t row = 0; row < column.size(); ++row) {
      append_canonical(column, row, nested_);
      nested_offsets_.push_back(nested_.size());
    }
  }

  /// Bytes of every row where they are all the same; 0 otherwise.
  size_t uniform_size() const {
    const size_t width = canonical_width(physical_);
    return width != 0 && !column_.may_have_nulls() ? 1 + width : 0;
  }

  void add_sizes(uint32_t* sizes, size_t rows) const {
    if (physical_ == PhysicalType::kBytes) {
      const int32_t* offsets = column_.offsets();
      const bool nulls = column_.may_have_nulls();
      for (size_t i = 0; i < rows; ++i) {
        const auto size = static_cast<uint32_t>(offsets[i + 1] - offsets[i]);
        const uint32_t prefix = size < 0x80 ? 1 : static_cast<uint32_t>(varint_size(size));
        sizes[i] += nulls && column_.is_null(i) ? 1 : 1 + prefix + size;
      }
    } else if (const size_t width = canonical_width(physical_); width != 0) {
      for (size_t i = 0; i < rows; ++i) sizes[i] += static_cast<uint32_t>(column_.is_valid(i) ? 1 + width : 1);
    } else {
      for (size_t i = 0; i < rows; ++i) sizes[i] += static_cast<uint32_t>(nested_offsets_[i + 1] - nested_offsets_[i]);
    }
  }

  void write(char* bytes, uint32_t* ends, size_t rows) const {
    if (physical_ == PhysicalType::kBytes) return write_strings(bytes, ends, rows);
    if (physical_ == PhysicalType::kTimestampNanos) return write_timestamps(bytes, ends, rows);
    const bool fixed = visit_fixed_width(physical_, [&]<class T>(std::type_identity<T>) {
      const T* values = column_.values<T>();
      const bool nulls = column_.may_have_nulls();
      for (size_t i = 0; i < rows; ++i) {
        char* to = bytes + ends[i];
        const bool valid = !nulls || column_.is_valid(i);
        *to = valid ? kPresentCell : kNullCell;
        if (!valid) {
          ends[i] += 1;
          continue;
        }
        const T value = canonical_number(values[i]);
        std::memcpy(to + 1, &value, sizeof value);
        ends[i] += 1 + sizeof value;
      }
    });
    if (fixed) return;
    for (size_t i = 0; i < rows; ++i) {
      const size_t size = nested_offsets_[i + 1] - nested_offsets_[i];
      std::memcpy(bytes + ends[i], nested_.data() + nested_offsets_[i], size);
      ends[i] += static_cast<uint32_t>(size);
    }
  }

 private:
  void write_strings(char* bytes, uint32_t* ends, size_t rows) const {
    const int32_t* offsets = column_.offsets();
    const bool nulls = column_.may_have_nulls();
    for (size_t i = 0; i < rows; ++i) {
      char* to = bytes + ends[i];
      if (nulls && column_.is_null(i)) {
        *to = kNullCell;
        ends[i] += 1;
        continue;
      }
      *to++ = kPresentCell;
      const auto size = static_cast<size_t>(offsets[i + 1] - offsets[i]);
      to = write_varint(size, to);
      copy_bytes(to, column_.bytes() + offsets[i], size);
      ends[i] = static_cast<uint32_t>(to + size - bytes);
    }
  }

  void write_timestamps(char* bytes, uint32_t* ends, size_t rows) const {
    for (size_t i = 0; i < rows; ++i) {
      char* to = bytes + ends[i];
      const bool valid = column_.is_valid(i);
      *to = valid ? kPresentCell : kNullCell;
      ends[i] += 1;
      if (!valid) continue;
      std::memcpy(to + 1, column_.values<int64_t>() + i, sizeof(int64_t));
      std::memcpy(to + 1 + sizeof(int64_t), column_.nanos() + i, sizeof(int32_t));
      ends[i] += sizeof(int64_t) + sizeof(int32_t);
    }
  }

  const Column& column_;
  PhysicalType physical_;
  std::string nested_;
  std::vector<size_t> nested_offsets_;
};

/// Turns sizes into the keys' starts, in place, with the total behind the last.
void sizes_to_offsets(std::vector<uint32_t>& sizes) {
  uint64_t total = 0;
  for (uint32_t& size : sizes) {
    const uint32_t next = size;
    size = static_cast<uint32_t>(total);
    total += next;
  }
  if (total > std::numeric_limits<uint32_t>::max()) {
    throw internal_error(9000, "the keys of one batch need {} bytes, more than 4 GiB", total);
  }
}

}  // namespace

void append_canonical(const Column& column, size_t row, std::string& out) {
  if (column.is_null(row)) {
    out.push_back(kNullCell);
    return;
  }
  out.push_back(kPresentCell);
  const PhysicalType physical = column.type().physical();
  const bool fixed = visit_fixed_width(physical, [&]<class T>(std::type_identity<T>) {
    const T value = canonical_number(column.values<T>()[row]);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  });
  if (fixed) return;
  switch (physical) {
    case PhysicalType::kTimestampNanos:
      out.append(reinterpret_cast<const char*>(column.values<int64_t>() + row), sizeof(int64_t));
      out.append(reinterpret_cast<const char*>(column.nanos() + row), sizeof(int32_t));
      break;
    case PhysicalType::kBytes: {
      const std::string_view bytes = column.string_at(row);
      append_varint(bytes.size(), out);
      out.append(bytes);
      break;
    }
    case PhysicalType::kList: {
      const int32_t* offsets = column.offsets() + row;
      append_varint(static_cast<uint64_t>(offsets[1] - offsets[0]), out);
      for (int32_t i = offsets[0]; i < offsets[1]; ++i) append_canonical(column.child(0), i, out);
      break;
    }
    case PhysicalType::kMap: {
      const std::vector<uint32_t> entries = entries_in_key_order(column, row);
      append_varint(entries.size(), out);
      for (const uint32_t entry : entries) {
        append_canonical(column.child(0), entry, out);
        append_canonical(column.child(1), entry, out);
      }
      break;
    }
    case PhysicalType::kStruct:
      for (const ColumnPtr& child : column.children()) append_canonical(*child, row, out);
      break;
    default:
      break;
  }
}

CanonicalKeys canonical_keys(const RowBatch& batch, std::span<const int> key_columns) {
  CanonicalKeys keys;
  const size_t rows = batch.num_rows;
  std::vector<KeyColumn> columns;
  columns.reserve(key_columns.size());
  size_t uniform = 0;
  bool all_uniform = true;
  for (const int index : key_columns) {
    columns.emplace_back(*batch.columns[static_cast<size_t>(index)]);
    uniform += columns.back().uniform_size();
    all_uniform &= columns.back().uniform_size() != 0;
  }
  keys.offsets.assign(rows + 1, all_uniform ? static_cast<uint32_t>(uniform) : 0);
  if (!all_uniform) {
    for (const KeyColumn& column : columns) column.add_sizes(keys.offsets.data(), rows);
  }
  keys.offsets[rows] = 0;
  sizes_to_offsets(keys.offsets);
  keys.bytes.resize(keys.offsets[rows]);
  // Each column moves a row's start on; afterwards start i is where key i ends, which is where key i + 1 starts.
  std::vector<uint32_t>& starts = keys.offsets;
  for (const KeyColumn& column : columns) column.write(keys.bytes.data(), starts.data(), rows);
  std::copy_backward(starts.begin(), starts.end() - 1, starts.end());
  starts[0] = 0;
  return keys;
}

void append_from_canonical(std::string_view& bytes, ColumnBuilder& builder) {
  const char presence = cut(bytes, 1)[0];
  if (presence == kNullCell) return builder.append_null();
  if (presence != kPresentCell) throw_damaged_cell("a cell starts with neither 0 nor 1");
  const PhysicalType physical = builder.type().physical();
  const bool fixed =
      visit_fixed_width(physical, [&]<class T>(std::type_identity<T>) { builder.append(cut_fixed<T>(bytes)); });
  if (fixed) return;
  switch (physical) {
    case PhysicalType::kTimestampNanos: {
      const auto millis = cut_fixed<int64_t>(bytes);
      return builder.append_timestamp_nanos(millis, cut_fixed<int32_t>(bytes));
    }
    case PhysicalType::kBytes:
      return builder.append_string(cut(bytes, cut_varint(bytes)));
    case PhysicalType::kList:
    case PhysicalType::kMap: {
      const uint64_t count = cut_varint(bytes);
      const size_t children = builder.type().fields().size();
      for (uint64_t i = 0; i < count; ++i) {
        for (size_t c = 0; c < children; ++c) append_from_canonical(bytes, builder.child(c));
      }
      return builder.finish_list();
    }
    case PhysicalType::kStruct:
      for (size_t c = 0; c < builder.type().fields().size(); ++c) append_from_canonical(bytes, builder.child(c));
      return builder.finish_struct();
    default:
      throw_damaged_cell("a cell of a type that has only NULL");
  }
}

}  // namespace yeoul
