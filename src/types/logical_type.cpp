#include "yeoul/types/logical_type.h"

#include <fmt/format.h>

#include "yeoul/common/error.h"

namespace yeoul {

LogicalType LogicalType::decimal(int precision, int scale) {
  return LogicalType(TypeRoot::kDecimal, precision, scale);
}
LogicalType LogicalType::char_(int length) {
  return LogicalType(TypeRoot::kChar, length);
}
LogicalType LogicalType::varchar(int length) {
  return LogicalType(TypeRoot::kVarchar, length);
}
LogicalType LogicalType::binary(int length) {
  return LogicalType(TypeRoot::kBinary, length);
}
LogicalType LogicalType::varbinary(int length) {
  return LogicalType(TypeRoot::kVarbinary, length);
}
LogicalType LogicalType::time(int precision) {
  return LogicalType(TypeRoot::kTime, precision);
}
LogicalType LogicalType::timestamp(int precision) {
  return LogicalType(TypeRoot::kTimestamp, precision);
}
LogicalType LogicalType::timestamp_ltz(int precision) {
  return LogicalType(TypeRoot::kTimestampLtz, precision);
}

LogicalType LogicalType::interval_day_time(std::string unit_text) {
  LogicalType type(TypeRoot::kIntervalDayTime, 3);
  type.unit_text_ = std::move(unit_text);
  return type;
}

LogicalType LogicalType::interval_year_month(std::string unit_text) {
  LogicalType type(TypeRoot::kIntervalYearMonth, 0);
  type.unit_text_ = std::move(unit_text);
  return type;
}

LogicalType LogicalType::array(LogicalType element) {
  LogicalType type(TypeRoot::kArray);
  type.fields_ = std::make_shared<const std::vector<RowField>>(std::vector<RowField>{{"", std::move(element)}});
  return type;
}

LogicalType LogicalType::multiset(LogicalType element) {
  LogicalType type(TypeRoot::kMultiset);
  type.fields_ = std::make_shared<const std::vector<RowField>>(
      std::vector<RowField>{{"", std::move(element)}, {"", integer().not_null()}});
  return type;
}

LogicalType LogicalType::map(LogicalType key, LogicalType value) {
  LogicalType type(TypeRoot::kMap);
  type.fields_ = std::make_shared<const std::vector<RowField>>(
      std::vector<RowField>{{"", std::move(key)}, {"", std::move(value)}});
  return type;
}

LogicalType LogicalType::row(std::vector<RowField> fields) {
  LogicalType type(TypeRoot::kRow);
  type.fields_ = std::make_shared<const std::vector<RowField>>(std::move(fields));
  return type;
}

LogicalType LogicalType::as_nullable(bool nullable) const {
  LogicalType type = *this;
  type.nullable_ = nullable;
  return type;
}

const std::vector<RowField>& LogicalType::fields() const {
  static const std::vector<RowField> kNoFields;
  return fields_ ? *fields_ : kNoFields;
}

const LogicalType& LogicalType::child(size_t i) const {
  YEOUL_CHECK(i < fields().size(), "type {} has no child {}", to_string(), i);
  return (*fields_)[i].type;
}

PhysicalType LogicalType::physical() const {
  switch (root_) {
    case TypeRoot::kBoolean:
      return PhysicalType::kBool;
    case TypeRoot::kTinyint:
      return PhysicalType::kInt8;
    case TypeRoot::kSmallint:
      return PhysicalType::kInt16;
    case TypeRoot::kInteger:
    case TypeRoot::kDate:
    case TypeRoot::kTime:
    case TypeRoot::kIntervalYearMonth:
      return PhysicalType::kInt32;
    case TypeRoot::kBigint:
    case TypeRoot::kIntervalDayTime:
      return PhysicalType::kInt64;
    case TypeRoot::kTimestamp:
    case TypeRoot::kTimestampLtz:
      return parameter_ <= 6 ? PhysicalType::kInt64 : PhysicalType::kTimestampNanos;
    case TypeRoot::kFloat:
      return PhysicalType::kFloat;
    case TypeRoot::kDouble:
      return PhysicalType::kDouble;
    case TypeRoot::kDecimal:
      return PhysicalType::kInt128;
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
    case TypeRoot::kBinary:
    case TypeRoot::kVarbinary:
      return PhysicalType::kBytes;
    case TypeRoot::kArray:
      return PhysicalType::kList;
    case TypeRoot::kMap:
    case TypeRoot::kMultiset:
      return PhysicalType::kMap;
    case TypeRoot::kRow:
      return PhysicalType::kStruct;
    case TypeRoot::kNull:
    case TypeRoot::kSymbol:
    case TypeRoot::kTimestampTz:
    case TypeRoot::kRaw:
    case TypeRoot::kVariant:
      return PhysicalType::kNone;
  }
  return PhysicalType::kNone;
}

std::string LogicalType::to_string() const {
  std::string text;
  switch (root_) {
    case TypeRoot::kChar:
      text = fmt::format("CHAR({})", parameter_);
      break;
    case TypeRoot::kVarchar:
      text = parameter_ == kMaxLength ? "STRING" : fmt::format("VARCHAR({})", parameter_);
      break;
    case TypeRoot::kBoolean:
      text = "BOOLEAN";
      break;
    case TypeRoot::kBinary:
      text = fmt::format("BINARY({})", parameter_);
      break;
    case TypeRoot::kVarbinary:
      text = parameter_ == kMaxLength ? "BYTES" : fmt::format("VARBINARY({})", parameter_);
      break;
    case TypeRoot::kDecimal:
      text = fmt::format("DECIMAL({}, {})", parameter_, scale_);
      break;
    case TypeRoot::kTinyint:
      text = "TINYINT";
      break;
    case TypeRoot::kSmallint:
      text = "SMALLINT";
      break;
    case TypeRoot::kInteger:
      text = "INT";
      break;
    case TypeRoot::kBigint:
      text = "BIGINT";
      break;
    case TypeRoot::kFloat:
      text = "FLOAT";
      break;
    case TypeRoot::kDouble:
      text = "DOUBLE";
      break;
    case TypeRoot::kDate:
      text = "DATE";
      break;
    case TypeRoot::kTime:
      text = fmt::format("TIME({})", parameter_);
      break;
    case TypeRoot::kTimestamp:
      text = fmt::format("TIMESTAMP({})", parameter_);
      break;
    case TypeRoot::kTimestampLtz:
      text = fmt::format("TIMESTAMP_LTZ({})", parameter_);
      break;
    case TypeRoot::kTimestampTz:
      text = fmt::format("TIMESTAMP({}) WITH TIME ZONE", parameter_);
      break;
    case TypeRoot::kIntervalYearMonth:
    case TypeRoot::kIntervalDayTime:
      text = "INTERVAL " + unit_text_;
      break;
    case TypeRoot::kArray:
      text = fmt::format("ARRAY<{}>", child(0).to_string());
      break;
    case TypeRoot::kMultiset:
      text = fmt::format("MULTISET<{}>", child(0).to_string());
      break;
    case TypeRoot::kMap:
      text = fmt::format("MAP<{}, {}>", child(0).to_string(), child(1).to_string());
      break;
    case TypeRoot::kRow: {
      text = "ROW<";
      for (const RowField& field : fields()) {
        text += fmt::format("{}`{}` {}", text.size() > 4 ? ", " : "", field.name, field.type.to_string());
      }
      text += ">";
      break;
    }
    case TypeRoot::kRaw:
      text = "RAW";
      break;
    case TypeRoot::kNull:
      return "NULL";
    case TypeRoot::kVariant:
      text = "VARIANT";
      break;
    case TypeRoot::kSymbol:
      return "SYMBOL";
  }
  return nullable_ ? text : text + " NOT NULL";
}

bool LogicalType::operator==(const LogicalType& other) const {
  return root_ == other.root_ && nullable_ == other.nullable_ && parameter_ == other.parameter_ &&
         scale_ == other.scale_ && fields() == other.fields();
}

int Schema::index_of(std::string_view name) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::string Schema::to_string() const {
  std::string text = "(";
  for (const RowField& field : fields_) {
    text += fmt::format("{}`{}` {}", text.size() > 1 ? ", " : "", field.name, field.type.to_string());
  }
  return text + ")";
}

}  // namespace yeoul
