#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// Flink's type roots (org.apache.flink.table.types.logical.LogicalTypeRoot), spelt the same.
enum class TypeRoot : uint8_t {
  kChar,
  kVarchar,
  kBoolean,
  kBinary,
  kVarbinary,
  kDecimal,
  kTinyint,
  kSmallint,
  kInteger,
  kBigint,
  kFloat,
  kDouble,
  kDate,
  kTime,
  kTimestamp,     ///< TIMESTAMP(p) WITHOUT TIME ZONE
  kTimestampLtz,  ///< TIMESTAMP(p) WITH LOCAL TIME ZONE
  kTimestampTz,   ///< TIMESTAMP(p) WITH TIME ZONE: a type name only, as in Flink; it has no columns
  kIntervalYearMonth,
  kIntervalDayTime,
  kArray,
  kMultiset,
  kMap,
  kRow,
  kRaw,      ///< a type name only
  kNull,     ///< the type of an untyped NULL
  kVariant,  ///< a type name only
  kSymbol,   ///< a keyword argument such as EXTRACT's unit
};

/// How the cells of a column lie in memory (docs/architecture.md, D1 and D3).
enum class PhysicalType : uint8_t {
  kBool,   ///< uint8_t, 0 or 1 (packed to bits only at Arrow export)
  kInt8,   ///< TINYINT
  kInt16,  ///< SMALLINT
  kInt32,  ///< INTEGER; DATE: days since 1970-01-01; TIME: milliseconds of the day; INTERVAL YEAR TO MONTH: months
  kInt64,  ///< BIGINT; TIMESTAMP(0–3), TIMESTAMP_LTZ(0–3): milliseconds; (4–6): microseconds; INTERVAL DAY TO SECOND:
           ///< milliseconds
  kFloat,           ///< FLOAT
  kDouble,          ///< DOUBLE
  kInt128,          ///< DECIMAL: the unscaled value
  kTimestampNanos,  ///< TIMESTAMP(7–9), TIMESTAMP_LTZ(7–9): int64 milliseconds, and int32 nanoseconds of the
                    ///< millisecond in `nanos`
  kBytes,           ///< CHAR, VARCHAR, STRING (UTF-8), BINARY, VARBINARY: int32 offsets and bytes
  kList,            ///< ARRAY: int32 offsets, children {element}
  kMap,             ///< MAP, MULTISET (value INT): int32 offsets, children {key, value}
  kStruct,          ///< ROW: one child per field
  kNone,            ///< NULL: no buffers, every cell is null
};

using int128 = __int128;
using uint128 = unsigned __int128;

struct RowField;

/// A Flink data type: a root, its parameters, whether NULL is allowed. A small value type; equality compares all.
class LogicalType {
 public:
  /// NULL type.
  LogicalType() = default;
  /// A type without parameters.
  explicit LogicalType(TypeRoot root, bool nullable = true) : root_(root), nullable_(nullable) {}

  static LogicalType boolean() { return LogicalType(TypeRoot::kBoolean); }
  static LogicalType tinyint() { return LogicalType(TypeRoot::kTinyint); }
  static LogicalType smallint() { return LogicalType(TypeRoot::kSmallint); }
  static LogicalType integer() { return LogicalType(TypeRoot::kInteger); }
  static LogicalType bigint() { return LogicalType(TypeRoot::kBigint); }
  static LogicalType real() { return LogicalType(TypeRoot::kFloat); }
  static LogicalType double_() { return LogicalType(TypeRoot::kDouble); }
  static LogicalType decimal(int precision, int scale);
  static LogicalType char_(int length);
  static LogicalType varchar(int length);
  static LogicalType string() { return varchar(kMaxLength); }
  static LogicalType binary(int length);
  static LogicalType varbinary(int length);
  static LogicalType bytes() { return varbinary(kMaxLength); }
  static LogicalType date() { return LogicalType(TypeRoot::kDate); }
  static LogicalType time(int precision);
  static LogicalType timestamp(int precision);
  static LogicalType timestamp_ltz(int precision);
  /// `unit_text`: how the interval was written, such as "DAY TO SECOND(3)"; values do not depend on it.
  static LogicalType interval_day_time(std::string unit_text = "SECOND(3)");
  static LogicalType interval_year_month(std::string unit_text = "MONTH");
  static LogicalType array(LogicalType element);
  static LogicalType multiset(LogicalType element);
  static LogicalType map(LogicalType key, LogicalType value);
  static LogicalType row(std::vector<RowField> fields);
  static LogicalType null() { return LogicalType(); }
  static LogicalType symbol() { return LogicalType(TypeRoot::kSymbol, false); }

  static constexpr int kMaxLength = 2147483647;

  TypeRoot root() const { return root_; }
  bool nullable() const { return nullable_; }
  LogicalType as_nullable(bool nullable = true) const;
  LogicalType not_null() const { return as_nullable(false); }
  /// CHAR, VARCHAR, BINARY, VARBINARY: characters or bytes.
  int length() const { return parameter_; }
  /// DECIMAL: digits; TIME, TIMESTAMP…: digits of the fraction of a second.
  int precision() const { return parameter_; }
  /// DECIMAL only.
  int scale() const { return scale_; }
  /// ROW: its fields. ARRAY, MULTISET: one; MAP: key and value. Names of those are empty.
  const std::vector<RowField>& fields() const;
  /// The type of field `i` (ARRAY element: 0; MAP key: 0, value: 1).
  const LogicalType& child(size_t i) const;

  PhysicalType physical() const;
  bool is(TypeRoot root) const { return root_ == root; }
  bool is_string() const { return root_ == TypeRoot::kChar || root_ == TypeRoot::kVarchar; }
  bool is_binary() const { return root_ == TypeRoot::kBinary || root_ == TypeRoot::kVarbinary; }
  bool is_integer() const { return root_ >= TypeRoot::kTinyint && root_ <= TypeRoot::kBigint; }
  bool is_approximate() const { return root_ == TypeRoot::kFloat || root_ == TypeRoot::kDouble; }
  bool is_numeric() const { return root_ >= TypeRoot::kDecimal && root_ <= TypeRoot::kDouble; }
  bool is_timestamp() const { return root_ == TypeRoot::kTimestamp || root_ == TypeRoot::kTimestampLtz; }
  bool is_interval() const { return root_ == TypeRoot::kIntervalYearMonth || root_ == TypeRoot::kIntervalDayTime; }

  /// Flink's asSummaryString: "INT NOT NULL", "STRING", "ROW<`a` INT, `b` STRING>".
  std::string to_string() const;
  /// Equal including nullability.
  bool operator==(const LogicalType& other) const;
  /// Equal but for the nullability of the outermost type.
  bool same_type(const LogicalType& other) const { return as_nullable() == other.as_nullable(); }

 private:
  LogicalType(TypeRoot root, int parameter, int scale = 0) : root_(root), parameter_(parameter), scale_(scale) {}

  TypeRoot root_ = TypeRoot::kNull;
  bool nullable_ = true;
  int parameter_ = 0;
  int scale_ = 0;
  std::string unit_text_;
  std::shared_ptr<const std::vector<RowField>> fields_;
};

struct RowField {
  std::string name;
  LogicalType type;
  std::string comment = {};
  bool operator==(const RowField& other) const { return name == other.name && type == other.type; }
};

/// Names and types of a row's columns.
class Schema {
 public:
  Schema() = default;
  explicit Schema(std::vector<RowField> fields) : fields_(std::move(fields)) {}
  size_t size() const { return fields_.size(); }
  const RowField& operator[](size_t i) const { return fields_[i]; }
  const std::vector<RowField>& fields() const { return fields_; }
  /// Position of a column, or -1. Exact, as Flink's names are case-sensitive.
  int index_of(std::string_view name) const;
  LogicalType row_type() const { return LogicalType::row(fields_).not_null(); }
  /// "(`a` INT, `b` STRING)".
  std::string to_string() const;
  bool operator==(const Schema& other) const = default;

 private:
  std::vector<RowField> fields_;
};

}  // namespace yeoul
