#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yeoul/sql/parser/source_position.h"

namespace yeoul::ast {

/// One name as written, without its back-ticks.
struct Identifier {
  SourcePosition position;
  std::string name;
  bool quoted = false;
};

/// A dotted name: `catalog`.`database`.`table`, or a column with its qualifiers. Never empty in a parsed tree.
struct CompoundIdentifier {
  SourcePosition position;
  std::vector<Identifier> parts;

  const std::string& last() const { return parts.back().name; }
  bool simple() const { return parts.size() == 1; }
};

/// The units of intervals and of EXTRACT, FLOOR, CEIL, TIMESTAMPADD and TIMESTAMPDIFF.
enum class TimeUnit {
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kHour,
  kMinute,
  kSecond,
  kMillisecond,
  kMicrosecond,
  kNanosecond,
  kDow,
  kIsoDow,
  kDoy,
  kIsoYear,
  kEpoch,
  kDecade,
  kCentury,
  kMillennium,
};

/// `DAY(3) TO SECOND(6)`.
struct IntervalQualifier {
  SourcePosition position;
  TimeUnit start = TimeUnit::kDay;
  std::optional<TimeUnit> end;              ///< Absent for a single unit.
  std::optional<int> leading_precision;     ///< Digits of the first unit.
  std::optional<int> fractional_precision;  ///< Digits behind the point, where the last unit is SECOND.
};

enum class TypeSyntaxKind {
  kBoolean,
  kTinyInt,
  kSmallInt,
  kInt,
  kBigInt,
  kFloat,
  kDouble,
  kDecimal,
  kChar,
  kVarchar,
  kString,
  kBinary,
  kVarbinary,
  kBytes,
  kDate,
  kTime,
  kTimestamp,
  kTimestampLtz,
  kTimestampTz,
  kInterval,
  kArray,
  kMultiset,
  kMap,
  kRow,
  kRaw,
  kVariant,
  kBitmap,
  kNull,
  kUserDefined,  ///< Any other name: see DataTypeSyntax::name.
};

struct RowFieldSyntax;

/// A type as written; ranges of precision and length are the binder's business.
struct DataTypeSyntax {
  SourcePosition position;
  TypeSyntaxKind kind = TypeSyntaxKind::kNull;
  std::optional<int> precision;           ///< Also the length of CHAR, VARCHAR, BINARY, VARBINARY.
  std::optional<int> scale;               ///< DECIMAL only.
  std::optional<bool> nullable;           ///< true: NULL was written, false: NOT NULL, absent: neither.
  IntervalQualifier interval;             ///< kInterval only.
  std::vector<DataTypeSyntax> arguments;  ///< kArray, kMultiset: element; kMap: key, value.
  std::vector<RowFieldSyntax> fields;     ///< kRow only.
  CompoundIdentifier name;                ///< kUserDefined only.
  std::string raw_class, raw_serializer;  ///< kRaw only.
};

struct RowFieldSyntax {
  Identifier name;
  DataTypeSyntax type;
  std::optional<std::string> comment;
};

/// SQL text of a piece of syntax, in one line, that parses to the same tree.
std::string to_sql(const DataTypeSyntax& type);
std::string to_sql(const IntervalQualifier& qualifier);
/// The name in back-ticks, as Flink prints identifiers.
std::string to_sql(const Identifier& identifier);
std::string to_sql(const CompoundIdentifier& identifier);
/// The SQL keyword: "DAY".
std::string to_string(TimeUnit unit);

}  // namespace yeoul::ast
