#include "yeoul/types/column.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "yeoul/types/calendar.h"

namespace yeoul {

namespace {

constexpr size_t kCacheLine = 64;

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    std::free(data_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
  }
  return *this;
}

Buffer::~Buffer() {
  std::free(data_);
}

void Buffer::grow(size_t bytes) {
  size_t capacity = std::max(bytes, capacity_ * 2);
  capacity = (capacity + kCacheLine - 1) / kCacheLine * kCacheLine;
  auto* data = static_cast<char*>(std::realloc(data_, capacity + kPadding));
  if (data == nullptr) throw std::bad_alloc();
  std::memset(data + capacity, 0, kPadding);
  data_ = data;
  capacity_ = capacity;
}

size_t cell_bytes(PhysicalType type) {
  switch (type) {
    case PhysicalType::kBool:
    case PhysicalType::kInt8:
      return 1;
    case PhysicalType::kInt16:
      return 2;
    case PhysicalType::kInt32:
    case PhysicalType::kFloat:
      return 4;
    case PhysicalType::kInt64:
    case PhysicalType::kDouble:
    case PhysicalType::kTimestampNanos:
      return 8;
    case PhysicalType::kInt128:
      return 16;
    case PhysicalType::kBytes:
    case PhysicalType::kList:
    case PhysicalType::kMap:
    case PhysicalType::kStruct:
    case PhysicalType::kNone:
      return 0;
  }
  return 0;
}

void Column::ensure_validity() {
  if (validity_.size() != 0 || size_ == 0) return;
  validity_.resize((size_ + 7) / 8);
  std::memset(validity_.data(), 0xff, validity_.size());
}

TimestampValue Column::timestamp_at(size_t row) const {
  const int64_t stored = values<int64_t>()[row];
  if (type_.precision() <= 3) return {stored, 0};
  if (type_.precision() > 6) return {stored, nanos()[row]};
  const int64_t millis = floor_div(stored, 1000);
  return {millis, static_cast<int32_t>(stored - millis * 1000) * 1000};
}

Value Column::value_at(size_t row) const {
  if (is_null(row)) return {};
  switch (type_.physical()) {
    case PhysicalType::kBool:
      return Value(values<uint8_t>()[row] != 0);
    case PhysicalType::kInt8:
      return Value(static_cast<int64_t>(values<int8_t>()[row]));
    case PhysicalType::kInt16:
      return Value(static_cast<int64_t>(values<int16_t>()[row]));
    case PhysicalType::kInt32:
      return Value(static_cast<int64_t>(values<int32_t>()[row]));
    case PhysicalType::kInt64:
      if (type_.is_timestamp()) return Value(timestamp_at(row));
      return Value(static_cast<int64_t>(values<int64_t>()[row]));
    case PhysicalType::kFloat:
      return Value(static_cast<double>(values<float>()[row]));
    case PhysicalType::kDouble:
      return Value(static_cast<double>(values<double>()[row]));
    case PhysicalType::kInt128:
      return Value(static_cast<int128>(values<int128>()[row]));
    case PhysicalType::kTimestampNanos:
      return Value(timestamp_at(row));
    case PhysicalType::kBytes:
      return Value(std::string(string_at(row)));
    case PhysicalType::kList:
    case PhysicalType::kMap: {
      auto list = std::make_shared<ValueList>();
      for (int32_t i = offsets()[row]; i < offsets()[row + 1]; ++i) {
        for (const ColumnPtr& child : children_) list->push_back(child->value_at(i));
      }
      return Value(std::move(list));
    }
    case PhysicalType::kStruct: {
      auto list = std::make_shared<ValueList>();
      for (const ColumnPtr& child : children_) list->push_back(child->value_at(row));
      return Value(std::move(list));
    }
    case PhysicalType::kNone:
      break;
  }
  return {};
}

size_t Column::memory_bytes() const {
  size_t bytes = sizeof(Column) + validity_.capacity() + data_.capacity() + nanos_.capacity() + offsets_.capacity();
  for (const ColumnPtr& child : children_) bytes += child->memory_bytes();
  return bytes;
}

ColumnBuilder::ColumnBuilder(LogicalType type) : type_(std::move(type)), physical_(type_.physical()) {
  if (physical_ == PhysicalType::kBytes || physical_ == PhysicalType::kList || physical_ == PhysicalType::kMap) {
    append_offset(0);
  }
  if (physical_ >= PhysicalType::kList && physical_ <= PhysicalType::kStruct) {
    for (const RowField& field : type_.fields()) children_.push_back(std::make_unique<ColumnBuilder>(field.type));
  }
}

void ColumnBuilder::reserve(size_t rows) {
  if (offsets_.size() != 0) {
    offsets_.reserve((rows + 1) * sizeof(int32_t));
    return;
  }
  data_.reserve(rows * cell_bytes(physical_));
  if (physical_ == PhysicalType::kTimestampNanos) nanos_.reserve(rows * sizeof(int32_t));
  if (physical_ == PhysicalType::kStruct) {
    for (const auto& child : children_) child->reserve(rows);
  }
}

void ColumnBuilder::extend_validity() {
  const size_t from = validity_.size();
  validity_.resize(std::max((size_ + 8) / 8 + kCacheLine, from * 2));
  std::memset(validity_.data() + from, 0xff, validity_.size() - from);
}

void ColumnBuilder::append_null() {
  if (physical_ == PhysicalType::kNone) {
    ++size_;
    return;
  }
  has_nulls_ = true;
  mark_valid();
  validity_.as<uint8_t>()[size_ >> 3] &= static_cast<uint8_t>(~(1u << (size_ & 7)));
  switch (physical_) {
    case PhysicalType::kBytes:
    case PhysicalType::kList:
    case PhysicalType::kMap:
      append_offset(offsets_.as<int32_t>()[size_]);
      break;
    case PhysicalType::kStruct:
      for (const auto& child : children_) child->append_null();
      break;
    default: {
      static constexpr char kZeroCell[16] = {};
      data_.append(kZeroCell, cell_bytes(physical_));
      if (physical_ == PhysicalType::kTimestampNanos) nanos_.append(kZeroCell, sizeof(int32_t));
    }
  }
  ++size_;
}

void ColumnBuilder::finish_list() {
  const size_t elements = children_[0]->size();
  YEOUL_CHECK(children_.back()->size() == elements, "a cell of {} has {} keys and {} values", type_.to_string(),
              elements, children_.back()->size());
  mark_valid();
  append_offset(static_cast<int32_t>(elements));
  ++size_;
}

void ColumnBuilder::finish_struct() {
  mark_valid();
  ++size_;
  for (const auto& child : children_) {
    YEOUL_CHECK(child->size() == size_, "row {} of {} lacks a field", size_ - 1, type_.to_string());
  }
}

void ColumnBuilder::append_value(const Value& value) {
  if (value.is_null()) return append_null();
  switch (physical_) {
    case PhysicalType::kBool:
      return append<uint8_t>(value.boolean());
    case PhysicalType::kInt8:
      return append(static_cast<int8_t>(value.integer()));
    case PhysicalType::kInt16:
      return append(static_cast<int16_t>(value.integer()));
    case PhysicalType::kInt32:
      return append(static_cast<int32_t>(value.integer()));
    case PhysicalType::kInt64: {
      if (!type_.is_timestamp()) return append(value.integer());
      const TimestampValue time = value.timestamp();
      return append(type_.precision() <= 3 ? time.millis : time.millis * 1000 + time.nanos / 1000);
    }
    case PhysicalType::kFloat:
      return append(static_cast<float>(value.real()));
    case PhysicalType::kDouble:
      return append(value.real());
    case PhysicalType::kInt128:
      return append(value.decimal());
    case PhysicalType::kTimestampNanos:
      return append_timestamp_nanos(value.timestamp().millis, value.timestamp().nanos);
    case PhysicalType::kBytes:
      return append_string(value.string());
    case PhysicalType::kList:
    case PhysicalType::kMap: {
      size_t next = 0;
      for (const Value& element : value.list()) children_[next++ % children_.size()]->append_value(element);
      return finish_list();
    }
    case PhysicalType::kStruct: {
      YEOUL_CHECK(value.list().size() == children_.size(), "a cell of {} with {} fields", type_.to_string(),
                  value.list().size());
      for (size_t i = 0; i < children_.size(); ++i) children_[i]->append_value(value.list()[i]);
      return finish_struct();
    }
    case PhysicalType::kNone:
      break;
  }
  YEOUL_CHECK(false, "type {} has no cells", type_.to_string());
}

void ColumnBuilder::append_from(const Column& column, size_t row) {
  if (column.is_null(row)) return append_null();
  switch (physical_) {
    case PhysicalType::kBytes:
      return append_string(column.string_at(row));
    case PhysicalType::kList:
    case PhysicalType::kMap:
      for (size_t c = 0; c < children_.size(); ++c) {
        for (int32_t i = column.offsets()[row]; i < column.offsets()[row + 1]; ++i) {
          children_[c]->append_from(column.child(c), i);
        }
      }
      return finish_list();
    case PhysicalType::kStruct:
      for (size_t c = 0; c < children_.size(); ++c) children_[c]->append_from(column.child(c), row);
      return finish_struct();
    case PhysicalType::kTimestampNanos:
      return append_timestamp_nanos(column.values<int64_t>()[row], column.nanos()[row]);
    case PhysicalType::kNone:
      return append_null();
    default: {
      const size_t width = cell_bytes(physical_);
      mark_valid();
      data_.append(column.bytes() + row * width, width);
      ++size_;
    }
  }
}

void ColumnBuilder::truncate(size_t size) {
  // Children may be ahead of an unfinished cell even where this level has nothing to drop.
  size = std::min(size, size_);
  if (has_nulls_) {
    for (size_t row = size; row < size_; ++row) {
      validity_.as<uint8_t>()[row >> 3] |= static_cast<uint8_t>(1u << (row & 7));
    }
  }
  size_ = size;
  if (physical_ == PhysicalType::kStruct) {
    for (const auto& child : children_) child->truncate(size);
  } else if (offsets_.size() != 0) {
    offsets_.resize((size + 1) * sizeof(int32_t));
    const auto end = static_cast<size_t>(offsets_.as<int32_t>()[size]);
    if (physical_ == PhysicalType::kBytes) data_.resize(end);
    for (const auto& child : children_) child->truncate(end);
  } else {
    data_.resize(size * cell_bytes(physical_));
    if (physical_ == PhysicalType::kTimestampNanos) nanos_.resize(size * sizeof(int32_t));
  }
}

ColumnPtr ColumnBuilder::finish() {
  // Offsets are int32, and append_string cannot afford to check each: the total tells.
  if (physical_ == PhysicalType::kBytes && data_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    throw internal_error(9000, "a batch holds {} bytes in one column of type {}, more than 2 GiB", data_.size(),
                         type_.to_string());
  }
  auto column = std::make_shared<Column>(type_, size_);
  const bool has_offsets = offsets_.size() != 0;
  if (has_nulls_) {
    validity_.resize((size_ + 7) / 8);
    column->validity_buffer() = std::move(validity_);
  }
  column->data_buffer() = std::move(data_);
  column->nanos_buffer() = std::move(nanos_);
  column->offsets_buffer() = std::move(offsets_);
  for (const auto& child : children_) column->mutable_children().push_back(child->finish());
  validity_.resize(0);
  has_nulls_ = false;
  size_ = 0;
  if (has_offsets) append_offset(0);
  return column;
}

}  // namespace yeoul
