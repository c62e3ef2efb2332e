#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/types/logical_type.h"
#include "yeoul/types/value.h"

namespace yeoul {

class Column;
using ColumnPtr = std::shared_ptr<const Column>;

/// memcpy for bytes that are mostly few: without a call up to 16, and without touching a byte too much.
inline void copy_bytes(char* to, const char* from, size_t count) {
  if (count > 16) {
    std::memcpy(to, from, count);
  } else if (count >= 8) {
    std::memcpy(to, from, 8);
    std::memcpy(to + count - 8, from + count - 8, 8);
  } else if (count >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + count - 4, from + count - 4, 4);
  } else if (count != 0) {
    to[0] = from[0];
    to[count / 2] = from[count / 2];
    to[count - 1] = from[count - 1];
  }
}

/// A growing array of trivially copyable cells without initialisation, padded by kPadding readable bytes behind its
/// end, so that kernels and simdjson may read past it.
class Buffer {
 public:
  static constexpr size_t kPadding = 64;

  Buffer() = default;
  explicit Buffer(size_t bytes) { resize(bytes); }
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  const char* data() const { return data_; }
  char* data() { return data_; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  /// New bytes are not initialised.
  void resize(size_t bytes) {
    if (bytes > capacity_) grow(bytes);
    size_ = bytes;
  }
  void reserve(size_t bytes) {
    if (bytes > capacity_) grow(bytes);
  }
  void append(const void* bytes, size_t count) {
    const size_t at = size_;
    resize(at + count);
    if (count != 0) std::memcpy(data_ + at, bytes, count);
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }

 private:
  void grow(size_t bytes);

  char* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

/// One column of a batch, in Arrow's layout: a validity bitmap (absent when no cell is null), then by physical type
/// fixed-width cells, or int32 offsets with bytes, or offsets with children. Immutable once shared as a ColumnPtr;
/// whoever fills it holds it by value or unique pointer.
class Column {
 public:
  explicit Column(LogicalType type, size_t size = 0) : type_(std::move(type)), size_(size) {}

  const LogicalType& type() const { return type_; }
  size_t size() const { return size_; }

  bool may_have_nulls() const { return validity_.size() != 0 || type_.is(TypeRoot::kNull); }
  bool is_null(size_t row) const { return !is_valid(row); }
  bool is_valid(size_t row) const {
    if (validity_.size() == 0) return !type_.is(TypeRoot::kNull);
    return (validity_.as<uint8_t>()[row >> 3] >> (row & 7)) & 1;
  }

  /// Cells of a fixed-width column; T is the physical type's carrier. Cells of null rows are some value, never read
  /// for meaning.
  template <class T>
  const T* values() const {
    return data_.as<T>();
  }
  /// kTimestampNanos: nanoseconds of the millisecond.
  const int32_t* nanos() const { return nanos_.as<int32_t>(); }
  /// size() + 1 offsets into bytes or children.
  const int32_t* offsets() const { return offsets_.as<int32_t>(); }
  const char* bytes() const { return data_.data(); }
  std::string_view string_at(size_t row) const {
    const int32_t* o = offsets();
    return {data_.data() + o[row], static_cast<size_t>(o[row + 1] - o[row])};
  }
  const std::vector<ColumnPtr>& children() const { return children_; }
  const Column& child(size_t i) const { return *children_[i]; }

  /// The cell as a value; outside the hot path.
  Value value_at(size_t row) const;
  /// A timestamp of any precision as milliseconds and nanoseconds.
  TimestampValue timestamp_at(size_t row) const;
  /// Bytes held, children included.
  size_t memory_bytes() const;

  // For those who fill a column:
  void set_size(size_t size) { size_ = size; }
  void set_type(LogicalType type) { type_ = std::move(type); }
  Buffer& validity_buffer() { return validity_; }
  const Buffer& validity_buffer() const { return validity_; }
  Buffer& data_buffer() { return data_; }
  const Buffer& data_buffer() const { return data_; }
  Buffer& nanos_buffer() { return nanos_; }
  const Buffer& nanos_buffer() const { return nanos_; }
  Buffer& offsets_buffer() { return offsets_; }
  const Buffer& offsets_buffer() const { return offsets_; }
  std::vector<ColumnPtr>& mutable_children() { return children_; }
  /// Sizes the cells of a fixed-width column to size() rows and returns them, not initialised.
  template <class T>
  T* allocate_values() {
    data_.resize(size_ * sizeof(T));
    return data_.as<T>();
  }
  /// Makes a validity bitmap with all size() rows valid, if there is none yet.
  void ensure_validity();
  void set_null(size_t row) {
    ensure_validity();
    validity_.as<uint8_t>()[row >> 3] &= static_cast<uint8_t>(~(1u << (row & 7)));
  }

 private:
  LogicalType type_;
  size_t size_;
  Buffer validity_;
  Buffer data_;
  Buffer nanos_;
  Buffer offsets_;
  std::vector<ColumnPtr> children_;
};

/// Bytes of a fixed-width cell; 0 for others.
size_t cell_bytes(PhysicalType type);

/// Appends cells one by one; for decoders, literals and tests. One typed append per physical type; the wrong one is
/// an internal error only where checked, so callers pick by physical type once per column, not per row.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(LogicalType type);

  const LogicalType& type() const { return type_; }
  size_t size() const { return size_; }
  void reserve(size_t rows);

  void append_null();
  template <class T>
  void append(T value) {  ///< fixed-width carriers; kBool takes uint8_t
    mark_valid();
    data_.append(&value, sizeof value);
    ++size_;
  }
  void append_timestamp_nanos(int64_t millis, int32_t nanos) {
    mark_valid();
    data_.append(&millis, sizeof millis);
    nanos_.append(&nanos, sizeof nanos);
    ++size_;
  }
  void append_string(std::string_view bytes) {
    mark_valid();
    const size_t at = data_.size();
    data_.resize(at + bytes.size());
    copy_bytes(data_.data() + at, bytes.data(), bytes.size());
    append_offset(static_cast<int32_t>(data_.size()));
    ++size_;
  }
  /// Closes an ARRAY or MAP cell that holds all child cells appended since the last cell.
  void finish_list();
  /// Closes a ROW cell; each child must have got one cell more.
  void finish_struct();
  ColumnBuilder& child(size_t i) { return *children_[i]; }
  /// Any type, from a value. Numbers are not converted.
  void append_value(const Value& value);
  /// Cell `row` of a column of the same physical type.
  void append_from(const Column& column, size_t row);
  /// Drops cells until `size` are left (a decoder undoes a row that failed half-way).
  void truncate(size_t size);

  /// The column; the builder is empty again afterwards.
  ColumnPtr finish();

 private:
  void mark_valid() {
    if (has_nulls_ && size_ >= validity_.size() * 8) extend_validity();
  }
  /// Makes room for more rows in the bitmap; bits from size() on are ones, so that only a null writes there.
  void extend_validity();
  void append_offset(int32_t offset) { offsets_.append(&offset, sizeof offset); }

  LogicalType type_;
  PhysicalType physical_;
  size_t size_ = 0;
  bool has_nulls_ = false;
  Buffer validity_;
  Buffer data_;
  Buffer nanos_;
  Buffer offsets_;
  std::vector<std::unique_ptr<ColumnBuilder>> children_;
};

}  // namespace yeoul
