#include <fmt/format.h>

#include "yeoul/sql/parser/sql_writer.h"

namespace yeoul::ast {
namespace {

std::string_view type_word(TypeSyntaxKind kind) {
  switch (kind) {
    case TypeSyntaxKind::kBoolean:
      return "BOOLEAN";
    case TypeSyntaxKind::kTinyInt:
      return "TINYINT";
    case TypeSyntaxKind::kSmallInt:
      return "SMALLINT";
    case TypeSyntaxKind::kInt:
      return "INT";
    case TypeSyntaxKind::kBigInt:
      return "BIGINT";
    case TypeSyntaxKind::kFloat:
      return "FLOAT";
    case TypeSyntaxKind::kDouble:
      return "DOUBLE";
    case TypeSyntaxKind::kDecimal:
      return "DECIMAL";
    case TypeSyntaxKind::kChar:
      return "CHAR";
    case TypeSyntaxKind::kVarchar:
      return "VARCHAR";
    case TypeSyntaxKind::kString:
      return "STRING";
    case TypeSyntaxKind::kBinary:
      return "BINARY";
    case TypeSyntaxKind::kVarbinary:
      return "VARBINARY";
    case TypeSyntaxKind::kBytes:
      return "BYTES";
    case TypeSyntaxKind::kDate:
      return "DATE";
    case TypeSyntaxKind::kTime:
      return "TIME";
    case TypeSyntaxKind::kTimestamp:
      return "TIMESTAMP";
    case TypeSyntaxKind::kTimestampTz:
      return "TIMESTAMP";
    case TypeSyntaxKind::kTimestampLtz:
      return "TIMESTAMP_LTZ";
    case TypeSyntaxKind::kInterval:
      return "INTERVAL";
    case TypeSyntaxKind::kArray:
      return "ARRAY";
    case TypeSyntaxKind::kMultiset:
      return "MULTISET";
    case TypeSyntaxKind::kMap:
      return "MAP";
    case TypeSyntaxKind::kRow:
      return "ROW";
    case TypeSyntaxKind::kRaw:
      return "RAW";
    case TypeSyntaxKind::kVariant:
      return "VARIANT";
    case TypeSyntaxKind::kBitmap:
      return "BITMAP";
    case TypeSyntaxKind::kNull:
      return "NULL";
    case TypeSyntaxKind::kUserDefined:
      return "";
  }
  return "";
}

}  // namespace

void SqlWriter::string(std::string_view value) {
  text("'");
  for (char c : value) out_ += c == '\'' ? std::string("''") : std::string(1, c);
  text("'");
}

void SqlWriter::name(const Identifier& name) {
  text("`");
  for (char c : name.name) out_ += c == '`' ? std::string("``") : std::string(1, c);
  text("`");
}

void SqlWriter::names(const std::vector<Identifier>& names) {
  text("(");
  list(names, [&](const Identifier& each) { name(each); });
  text(")");
}

void SqlWriter::compound(const std::vector<Identifier>& parts) {
  list(
      parts, [&](const Identifier& part) { name(part); }, ".");
}

void SqlWriter::qualifier(const IntervalQualifier& qualifier) {
  text(to_string(qualifier.start));
  bool fraction_first = qualifier.fractional_precision && !qualifier.end;
  if (qualifier.leading_precision) {
    text(fmt::format("({}", *qualifier.leading_precision));
    if (fraction_first) text(fmt::format(", {}", *qualifier.fractional_precision));
    text(")");
  }
  if (!qualifier.end) return;
  text(fmt::format(" TO {}", to_string(*qualifier.end)));
  if (qualifier.fractional_precision) text(fmt::format("({})", *qualifier.fractional_precision));
}

void SqlWriter::type_name(const DataTypeSyntax& type) {
  text(type_word(type.kind));
  if (type.precision && type.scale) {
    text(fmt::format("({}, {})", *type.precision, *type.scale));
  } else if (type.precision) {
    text(fmt::format("({})", *type.precision));
  }
  if (type.kind == TypeSyntaxKind::kTimestampTz) text(" WITH TIME ZONE");
  if (type.kind == TypeSyntaxKind::kUserDefined) compound(type.name.parts);
  if (type.kind == TypeSyntaxKind::kInterval) {
    text(" ");
    qualifier(type.interval);
  }
  if (type.kind == TypeSyntaxKind::kRaw) {
    text("(");
    string(type.raw_class);
    text(", ");
    string(type.raw_serializer);
    text(")");
  }
  if (!type.arguments.empty()) {
    text("<");
    list(type.arguments, [&](const DataTypeSyntax& argument) { this->type(argument); });
    text(">");
  }
  if (type.kind != TypeSyntaxKind::kRow) return;
  text("<");
  list(type.fields, [&](const RowFieldSyntax& field) {
    name(field.name);
    text(" ");
    this->type(field.type);
    if (!field.comment) return;
    text(" ");
    string(*field.comment);
  });
  text(">");
}

void SqlWriter::type(const DataTypeSyntax& type) {
  type_name(type);
  if (type.nullable) text(*type.nullable ? " NULL" : " NOT NULL");
}

std::string to_string(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kYear:
      return "YEAR";
    case TimeUnit::kQuarter:
      return "QUARTER";
    case TimeUnit::kMonth:
      return "MONTH";
    case TimeUnit::kWeek:
      return "WEEK";
    case TimeUnit::kDay:
      return "DAY";
    case TimeUnit::kHour:
      return "HOUR";
    case TimeUnit::kMinute:
      return "MINUTE";
    case TimeUnit::kSecond:
      return "SECOND";
    case TimeUnit::kMillisecond:
      return "MILLISECOND";
    case TimeUnit::kMicrosecond:
      return "MICROSECOND";
    case TimeUnit::kNanosecond:
      return "NANOSECOND";
    case TimeUnit::kDow:
      return "DOW";
    case TimeUnit::kIsoDow:
      return "ISODOW";
    case TimeUnit::kDoy:
      return "DOY";
    case TimeUnit::kIsoYear:
      return "ISOYEAR";
    case TimeUnit::kEpoch:
      return "EPOCH";
    case TimeUnit::kDecade:
      return "DECADE";
    case TimeUnit::kCentury:
      return "CENTURY";
    case TimeUnit::kMillennium:
      return "MILLENNIUM";
  }
  return "";
}

std::string to_sql(const DataTypeSyntax& type) {
  SqlWriter writer;
  writer.type(type);
  return writer.take();
}

std::string to_sql(const IntervalQualifier& qualifier) {
  SqlWriter writer;
  writer.qualifier(qualifier);
  return writer.take();
}

std::string to_sql(const Identifier& identifier) {
  SqlWriter writer;
  writer.name(identifier);
  return writer.take();
}

std::string to_sql(const CompoundIdentifier& identifier) {
  SqlWriter writer;
  writer.compound(identifier.parts);
  return writer.take();
}

}  // namespace yeoul::ast
