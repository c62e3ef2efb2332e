#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/datastream/record_text.h"
#include "yeoul/types/column.h"
#include "yeoul/types/type_info.h"

namespace yeoul {

/// How values of a C++ type stand in the columns of a table:
/// - `name()`: the C++ type, for messages; `type()`: the SQL type it becomes by itself, NOT NULL unless optional;
/// - `fits(type)`: cells of that type are read as they are; `holds(type)`: and written;
/// - `target(type)`: the type that a query's column is cast to before it is read; nothing where it cannot be read;
/// - `append(builder, value)`, `read(column, row)`. Reading throws user error 3300 for a NULL where the type has none.
///
/// | C++ | SQL |
/// |---|---|
/// | bool | BOOLEAN |
/// | int8_t, int16_t, int32_t, int64_t | TINYINT, SMALLINT, INT, BIGINT; reads smaller ones |
/// | int32_t | also DATE (days), TIME (milliseconds), INTERVAL YEAR TO MONTH (months) |
/// | int64_t | also TIMESTAMP(0–3) and TIMESTAMP_LTZ(0–3) (milliseconds since 1970), INTERVAL DAY TO SECOND |
/// | float, double | FLOAT, DOUBLE; double reads all numbers |
/// | std::string | STRING; also CHAR, VARCHAR, BYTES, BINARY, VARBINARY |
/// | std::vector<uint8_t> | BYTES |
/// | TimestampValue | TIMESTAMP(9); also TIMESTAMP and TIMESTAMP_LTZ of any precision |
/// | int128 | DECIMAL(38, 0) |
/// | std::vector<T>, std::map<K, V> | ARRAY, MAP |
/// | a struct with fields(), std::tuple, std::pair | ROW |
/// | std::optional<T> | T, nullable |
template <class T>
struct ColumnValues {
  static constexpr bool kIsUnsigned = std::unsigned_integral<T>;
  static_assert(!kIsUnsigned, "Yeoul: SQL has no unsigned integers: use int8_t, int16_t, int32_t or int64_t");
  static_assert(
      kIsUnsigned,
      "Yeoul: this C++ type has no SQL type. Columns are read into and made of bool, signed integers, float, double, "
      "std::string, TimestampValue, int128, std::vector, std::map, std::optional, tuples, and structs with fields()");
};

/// @throws user error 3300
[[noreturn]] void throw_null(const std::string& cpp_name);
/// @throws user error 3303 for more than offsets can tell
void check_text_bytes(size_t bytes);

template <class T>
concept ColumnInteger = std::signed_integral<T> && !std::same_as<T, char>;

/// Parts that most types share.
template <class Self, class T>
struct PlainColumnValues {
  static bool holds(const LogicalType& type) { return Self::fits(type); }
  static std::optional<LogicalType> target(const LogicalType& type) {
    return Self::fits(type) ? std::optional(type) : std::nullopt;
  }
  static T read(const Column& column, size_t row) {
    if (column.is_null(row)) [[unlikely]]
      throw_null(Self::name());
    return Self::read_valid(column, row);
  }
};

/// Cells as they lie in memory.
template <class Self, class T, class Cell>
struct FixedColumnValues : PlainColumnValues<Self, T> {
  using CellType = Cell;
  static void append(ColumnBuilder& builder, const T& value) { builder.append<Cell>(static_cast<Cell>(value)); }
  static T read_valid(const Column& column, size_t row) { return static_cast<T>(column.values<Cell>()[row]); }
};

template <>
struct ColumnValues<bool> : FixedColumnValues<ColumnValues<bool>, bool, uint8_t> {
  static std::string name() { return "bool"; }
  static LogicalType type() { return LogicalType::boolean().not_null(); }
  static bool fits(const LogicalType& type) { return type.is(TypeRoot::kBoolean); }
};

template <ColumnInteger T>
struct ColumnValues<T> : FixedColumnValues<ColumnValues<T>, T, T> {
  static std::string name() { return "int" + std::to_string(sizeof(T) * 8) + "_t"; }
  static LogicalType type() {
    constexpr TypeRoot kRoots[] = {TypeRoot::kTinyint, TypeRoot::kSmallint, TypeRoot::kInteger, TypeRoot::kBigint};
    return LogicalType(kRoots[std::bit_width(sizeof(T)) - 1], false);
  }
  static bool fits(const LogicalType& type) {
    constexpr PhysicalType kPhysical[] = {PhysicalType::kInt8, PhysicalType::kInt16, PhysicalType::kInt32,
                                          PhysicalType::kInt64};
    const bool counts_millis = !type.is_timestamp() || type.precision() <= 3;
    return type.physical() == kPhysical[std::bit_width(sizeof(T)) - 1] && counts_millis;
  }
  static std::optional<LogicalType> target(const LogicalType& from) {
    if (fits(from)) return from;
    // The roots of integers ascend by width.
    return from.is_integer() && from.root() < type().root() ? std::optional(type()) : std::nullopt;
  }
};

template <>
struct ColumnValues<float> : FixedColumnValues<ColumnValues<float>, float, float> {
  static std::string name() { return "float"; }
  static LogicalType type() { return LogicalType::real().not_null(); }
  static bool fits(const LogicalType& type) { return type.is(TypeRoot::kFloat); }
};

template <>
struct ColumnValues<double> : FixedColumnValues<ColumnValues<double>, double, double> {
  static std::string name() { return "double"; }
  static LogicalType type() { return LogicalType::double_().not_null(); }
  static bool fits(const LogicalType& type) { return type.is(TypeRoot::kDouble); }
  static std::optional<LogicalType> target(const LogicalType& from) {
    return from.is_numeric() ? std::optional(type()) : std::nullopt;
  }
};

template <>
struct ColumnValues<int128> : FixedColumnValues<ColumnValues<int128>, int128, int128> {
  static std::string name() { return "int128"; }
  static LogicalType type() { return LogicalType::decimal(38, 0).not_null(); }
  static bool fits(const LogicalType& type) { return type.is(TypeRoot::kDecimal) && type.scale() == 0; }
  static bool holds(const LogicalType& type) { return fits(type) && type.precision() == 38; }
  static std::optional<LogicalType> target(const LogicalType& from) {
    if (fits(from)) return from;
    return from.is_integer() ? std::optional(type()) : std::nullopt;
  }
};

template <>
struct ColumnValues<std::string> : PlainColumnValues<ColumnValues<std::string>, std::string> {
  static std::string name() { return "std::string"; }
  static LogicalType type() { return LogicalType::string().not_null(); }
  static bool fits(const LogicalType& type) { return type.physical() == PhysicalType::kBytes; }
  static bool holds(const LogicalType& type) { return fits(type) && type.length() == LogicalType::kMaxLength; }
  static void append(ColumnBuilder& builder, const std::string& value) { builder.append_string(value); }
  static std::string read_valid(const Column& column, size_t row) { return std::string(column.string_at(row)); }
};

/// A text inside its batch: for reading only, while the batch is held.
template <>
struct ColumnValues<std::string_view> : PlainColumnValues<ColumnValues<std::string_view>, std::string_view> {
  static std::string name() { return "std::string_view"; }
  static bool fits(const LogicalType& type) { return type.physical() == PhysicalType::kBytes; }
  static std::string_view read_valid(const Column& column, size_t row) { return column.string_at(row); }
};

template <>
struct ColumnValues<std::vector<uint8_t>>
    : PlainColumnValues<ColumnValues<std::vector<uint8_t>>, std::vector<uint8_t>> {
  static std::string name() { return "std::vector<uint8_t>"; }
  static LogicalType type() { return LogicalType::bytes().not_null(); }
  static bool fits(const LogicalType& type) { return type.is_binary(); }
  static bool holds(const LogicalType& type) { return fits(type) && type.length() == LogicalType::kMaxLength; }
  static void append(ColumnBuilder& builder, const std::vector<uint8_t>& value) {
    builder.append_string({reinterpret_cast<const char*>(value.data()), value.size()});
  }
  static std::vector<uint8_t> read_valid(const Column& column, size_t row) {
    const std::string_view bytes = column.string_at(row);
    return {bytes.begin(), bytes.end()};
  }
};

template <>
struct ColumnValues<TimestampValue> : PlainColumnValues<ColumnValues<TimestampValue>, TimestampValue> {
  static std::string name() { return "TimestampValue"; }
  static LogicalType type() { return LogicalType::timestamp(9).not_null(); }
  static bool fits(const LogicalType& type) { return type.is_timestamp(); }
  static void append(ColumnBuilder& builder, const TimestampValue& value);
  static TimestampValue read_valid(const Column& column, size_t row) { return column.timestamp_at(row); }
};

template <class T>
struct ColumnValues<std::optional<T>> {
  static std::string name() { return "std::optional<" + ColumnValues<T>::name() + ">"; }
  static LogicalType type() { return ColumnValues<T>::type().as_nullable(); }
  static bool fits(const LogicalType& type) { return ColumnValues<T>::fits(type); }
  static bool holds(const LogicalType& type) { return type.nullable() && ColumnValues<T>::holds(type); }
  static std::optional<LogicalType> target(const LogicalType& type) { return ColumnValues<T>::target(type); }
  static void append(ColumnBuilder& builder, const std::optional<T>& value) {
    if (value) {
      ColumnValues<T>::append(builder, *value);
    } else {
      builder.append_null();
    }
  }
  static std::optional<T> read(const Column& column, size_t row) {
    if (column.is_null(row)) return std::nullopt;
    return ColumnValues<T>::read(column, row);
  }
};

template <class T>
struct ColumnValues<std::vector<T>> : PlainColumnValues<ColumnValues<std::vector<T>>, std::vector<T>> {
  static std::string name() { return "std::vector<" + ColumnValues<T>::name() + ">"; }
  static LogicalType type() { return LogicalType::array(ColumnValues<T>::type()).not_null(); }
  static bool fits(const LogicalType& type) {
    return type.is(TypeRoot::kArray) && ColumnValues<T>::fits(type.child(0));
  }
  static bool holds(const LogicalType& type) { return fits(type) && ColumnValues<T>::holds(type.child(0)); }
  static void append(ColumnBuilder& builder, const std::vector<T>& values) {
    for (const auto& value : values) ColumnValues<T>::append(builder.child(0), value);
    builder.finish_list();
  }
  static std::vector<T> read_valid(const Column& column, size_t row) {
    std::vector<T> values;
    for (int32_t i = column.offsets()[row]; i < column.offsets()[row + 1]; ++i) {
      values.push_back(ColumnValues<T>::read(column.child(0), static_cast<size_t>(i)));
    }
    return values;
  }
};

template <class Key, class T>
struct ColumnValues<std::map<Key, T>> : PlainColumnValues<ColumnValues<std::map<Key, T>>, std::map<Key, T>> {
  static std::string name() { return "std::map<" + ColumnValues<Key>::name() + ", " + ColumnValues<T>::name() + ">"; }
  static LogicalType type() { return LogicalType::map(ColumnValues<Key>::type(), ColumnValues<T>::type()).not_null(); }
  static bool fits(const LogicalType& type) {
    return type.is(TypeRoot::kMap) && ColumnValues<Key>::fits(type.child(0)) && ColumnValues<T>::fits(type.child(1));
  }
  static bool holds(const LogicalType& type) {
    return fits(type) && ColumnValues<Key>::holds(type.child(0)) && ColumnValues<T>::holds(type.child(1));
  }
  static void append(ColumnBuilder& builder, const std::map<Key, T>& values) {
    for (const auto& [key, value] : values) {
      ColumnValues<Key>::append(builder.child(0), key);
      ColumnValues<T>::append(builder.child(1), value);
    }
    builder.finish_list();
  }
  static std::map<Key, T> read_valid(const Column& column, size_t row) {
    std::map<Key, T> values;
    for (int32_t i = column.offsets()[row]; i < column.offsets()[row + 1]; ++i) {
      const auto at = static_cast<size_t>(i);
      values.insert_or_assign(ColumnValues<Key>::read(column.child(0), at), ColumnValues<T>::read(column.child(1), at));
    }
    return values;
  }
};

// Structs, tuples and pairs stand in record_fields.h.

}  // namespace yeoul
