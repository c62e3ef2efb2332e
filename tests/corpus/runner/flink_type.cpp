#include "flink_type.h"

#include <fmt/format.h>

namespace yeoul {
namespace {

std::string fields_text(const LogicalType& type, TypeSpelling spelling) {
  std::string out;
  for (const RowField& field : type.fields()) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", field.name, flink_type(field.type, spelling));
  }
  return out;
}

std::string name_of(const LogicalType& type, TypeSpelling spelling) {
  const bool summary = spelling == TypeSpelling::kSummary;
  const auto with_length = [&](const char* name, const char* unbounded) {
    if (summary && type.length() == LogicalType::kMaxLength) return std::string(unbounded);
    return fmt::format("{}({})", name, type.length());
  };
  switch (type.root()) {
    case TypeRoot::kInteger:
      return summary ? "INT" : "INTEGER";
    case TypeRoot::kVarchar:
      return with_length("VARCHAR", "STRING");
    case TypeRoot::kVarbinary:
      return with_length("VARBINARY", "BYTES");
    case TypeRoot::kDecimal:
      return summary ? fmt::format("DECIMAL({}, {})", type.precision(), type.scale())
                     : fmt::format("DECIMAL({},{})", type.precision(), type.scale());
    case TypeRoot::kTime:
      return fmt::format("{}({})", summary ? "TIME" : "TIME_WITHOUT_TIME_ZONE", type.precision());
    case TypeRoot::kTimestamp:
      return fmt::format("{}({})", summary ? "TIMESTAMP" : "TIMESTAMP_WITHOUT_TIME_ZONE", type.precision());
    case TypeRoot::kTimestampLtz:
      return fmt::format("{}({})", summary ? "TIMESTAMP_LTZ" : "TIMESTAMP_WITH_LOCAL_TIME_ZONE", type.precision());
    case TypeRoot::kIntervalDayTime:
      return "INTERVAL SECOND(3)";
    case TypeRoot::kIntervalYearMonth:
      return "INTERVAL MONTH";
    case TypeRoot::kArray:
      return fmt::format("ARRAY<{}>", flink_type(type.child(0), spelling));
    case TypeRoot::kMultiset:
      return fmt::format("MULTISET<{}>", flink_type(type.child(0), spelling));
    case TypeRoot::kMap:
      return fmt::format("MAP<{}, {}>", flink_type(type.child(0), spelling), flink_type(type.child(1), spelling));
    case TypeRoot::kRow:
      return fmt::format("ROW<{}>", fields_text(type, spelling));
    default:
      return type.as_nullable().to_string();
  }
}

}  // namespace

std::string flink_type(const LogicalType& type, TypeSpelling spelling) {
  return name_of(type, spelling) + (type.nullable() ? "" : " NOT NULL");
}

}  // namespace yeoul
