#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "yeoul/sql/functions/evaluator.h"
#include "yeoul/types/calendar.h"
#include "yeoul/types/column.h"

namespace yeoul {

/// Reads cells of an argument that may be one cell for all rows.
template <class T>
struct CellReader {
  explicit CellReader(const Argument& a) : values(a.column->values<T>()), mask(a.constant ? 0 : ~size_t{0}) {}
  T operator[](size_t i) const { return values[i & mask]; }
  const T* values;
  size_t mask;
};

struct StringReader {
  explicit StringReader(const Argument& a)
      : offsets(a.column->offsets()), bytes(a.column->bytes()), mask(a.constant ? 0 : ~size_t{0}) {}
  std::string_view operator[](size_t i) const {
    const size_t row = i & mask;
    return {bytes + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row])};
  }
  const int32_t* offsets;
  const char* bytes;
  size_t mask;
};

/// Any integer column as int64.
struct IntegerReader {
  explicit IntegerReader(const Argument& a)
      : data(a.column->values<char>()),
        width(cell_bytes(a.column->type().physical())),
        mask(a.constant ? 0 : ~size_t{0}) {}
  int64_t operator[](size_t i) const {
    const size_t row = i & mask;
    switch (width) {
      case 1:
        return reinterpret_cast<const int8_t*>(data)[row];
      case 2:
        return reinterpret_cast<const int16_t*>(data)[row];
      case 4:
        return reinterpret_cast<const int32_t*>(data)[row];
      default:
        return reinterpret_cast<const int64_t*>(data)[row];
    }
  }
  const char* data;
  size_t width;
  size_t mask;
};

/// What floor_div leaves.
constexpr int64_t floor_mod(int64_t value, int64_t by) {
  return value - floor_div(value, by) * by;
}

/// TIMESTAMP and TIMESTAMP_LTZ of any precision, DATE too.
struct TimestampReader {
  explicit TimestampReader(const Argument& a)
      : column(a.column),
        mask(a.constant ? 0 : ~size_t{0}),
        kind(a.column->type().is(TypeRoot::kDate) ? 0
             : a.column->type().precision() <= 3  ? 1
             : a.column->type().precision() <= 6  ? 2
                                                  : 3) {}
  TimestampValue operator[](size_t i) const {
    const size_t row = i & mask;
    switch (kind) {
      case 0:
        return {column->values<int32_t>()[row] * int64_t{86400000}, 0};
      case 1:
        return {column->values<int64_t>()[row], 0};
      case 2: {
        const int64_t micros = column->values<int64_t>()[row];
        const int64_t millis = floor_div(micros, 1000);
        return {millis, static_cast<int32_t>(micros - millis * 1000) * 1000};
      }
      default:
        return {column->values<int64_t>()[row], column->nanos()[row]};
    }
  }
  const Column* column;
  size_t mask;
  int kind;
};

/// An empty result column of n rows of the call's type whose validity is the and of the arguments'.
std::shared_ptr<Column> result_column(const Expression& call, std::span<const Argument> arguments, size_t n);
/// The same without looking at arguments.
std::shared_ptr<Column> result_column(const LogicalType& type, size_t n);
/// All rows NULL.
std::shared_ptr<const Column> null_column(const LogicalType& type, size_t n);

/// Fixed-width results: f(i) for every row that has no NULL argument. f returns T, or optional<T> where nothing is
/// NULL.
template <class T, class F>
std::shared_ptr<const Column> write_cells(const Expression& call, std::span<const Argument> arguments, size_t n, F f) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  T* cells = out->allocate_values<T>();
  const bool nulls = out->may_have_nulls();
  for (size_t i = 0; i < n; ++i) {
    if (nulls && !out->is_valid(i)) {
      cells[i] = T{};
      continue;
    }
    if constexpr (std::is_same_v<decltype(f(i)), std::optional<T>>) {
      const std::optional<T> value = f(i);
      cells[i] = value.value_or(T{});
      if (!value) out->set_null(i);
    } else {
      cells[i] = f(i);
    }
  }
  return out;
}

/// Strings and binaries: f(i, out) appends the cell's bytes and says whether it is valid.
template <class F>
std::shared_ptr<const Column> write_strings(const Expression& call, std::span<const Argument> arguments, size_t n,
                                            F f) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  out->offsets_buffer().resize((n + 1) * sizeof(int32_t));
  Buffer& bytes = out->data_buffer();
  const bool nulls = out->may_have_nulls();
  out->offsets_buffer().as<int32_t>()[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!nulls || out->is_valid(i)) {
      const size_t before = bytes.size();
      if (!f(i, bytes)) {
        out->set_null(i);
        bytes.resize(before);
      }
    }
    out->offsets_buffer().as<int32_t>()[i + 1] = static_cast<int32_t>(bytes.size());
  }
  return out;
}

/// Timestamps of the call's precision; f(i) returns optional<TimestampValue>; digits beyond the precision are cut
/// towards the past.
template <class F>
std::shared_ptr<const Column> write_timestamps(const Expression& call, std::span<const Argument> arguments, size_t n,
                                               F f) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  int64_t* cells = out->allocate_values<int64_t>();
  const int precision = call.type.precision();
  int32_t* nanos = nullptr;
  if (precision > 6) {
    out->nanos_buffer().resize(n * sizeof(int32_t));
    nanos = out->nanos_buffer().as<int32_t>();
  }
  for (size_t i = 0; i < n; ++i) {
    std::optional<TimestampValue> value;
    if (out->is_valid(i)) {
      value = f(i);
      if (!value) out->set_null(i);
    }
    const TimestampValue cell = value.value_or(TimestampValue{});
    if (precision <= 3) {
      cells[i] = cell.millis;
    } else if (precision <= 6) {
      cells[i] = static_cast<int64_t>(static_cast<uint64_t>(cell.millis) * 1000u) + cell.nanos / 1000;
    } else {
      cells[i] = cell.millis;
      nanos[i] = cell.nanos;
    }
  }
  return out;
}

inline void append_bytes(Buffer& out, std::string_view text) {
  out.append(text.data(), text.size());
}

}  // namespace yeoul
