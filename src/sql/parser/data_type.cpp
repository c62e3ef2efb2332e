#include "yeoul/sql/parser/syntax_parser.h"

// Types as written in CREATE TABLE and CAST.
namespace yeoul::ast {
namespace {

struct TypeName {
  std::string_view word;
  TypeSyntaxKind kind;
};

constexpr TypeName kTypeNames[] = {
    {"BOOLEAN", TypeSyntaxKind::kBoolean},
    {"TINYINT", TypeSyntaxKind::kTinyInt},
    {"SMALLINT", TypeSyntaxKind::kSmallInt},
    {"INT", TypeSyntaxKind::kInt},
    {"INTEGER", TypeSyntaxKind::kInt},
    {"BIGINT", TypeSyntaxKind::kBigInt},
    {"FLOAT", TypeSyntaxKind::kFloat},
    {"REAL", TypeSyntaxKind::kFloat},
    {"DOUBLE", TypeSyntaxKind::kDouble},
    {"DECIMAL", TypeSyntaxKind::kDecimal},
    {"DEC", TypeSyntaxKind::kDecimal},
    {"NUMERIC", TypeSyntaxKind::kDecimal},
    {"CHAR", TypeSyntaxKind::kChar},
    {"CHARACTER", TypeSyntaxKind::kChar},
    {"VARCHAR", TypeSyntaxKind::kVarchar},
    {"STRING", TypeSyntaxKind::kString},
    {"BINARY", TypeSyntaxKind::kBinary},
    {"VARBINARY", TypeSyntaxKind::kVarbinary},
    {"BYTES", TypeSyntaxKind::kBytes},
    {"DATE", TypeSyntaxKind::kDate},
    {"TIME", TypeSyntaxKind::kTime},
    {"TIMESTAMP", TypeSyntaxKind::kTimestamp},
    {"TIMESTAMP_LTZ", TypeSyntaxKind::kTimestampLtz},
    {"INTERVAL", TypeSyntaxKind::kInterval},
    {"ARRAY", TypeSyntaxKind::kArray},
    {"MULTISET", TypeSyntaxKind::kMultiset},
    {"MAP", TypeSyntaxKind::kMap},
    {"ROW", TypeSyntaxKind::kRow},
    {"RAW", TypeSyntaxKind::kRaw},
    {"VARIANT", TypeSyntaxKind::kVariant},
    {"BITMAP", TypeSyntaxKind::kBitmap},
    {"NULL", TypeSyntaxKind::kNull},
};

constexpr int64_t kLengthMax = 2147483647;

}  // namespace

DataTypeSyntax SyntaxParser::parse_data_type() {
  Nesting nesting(*this);
  DataTypeSyntax type = parse_base_type();
  parse_nullability(type);
  for (int wrapped = 0; at_word("ARRAY") || at_word("MULTISET"); ++wrapped) {
    if (wrapped >= kNestingMax) fail_here("a type with fewer levels");
    DataTypeSyntax collection;
    collection.position = peek().position;
    collection.kind = take().is_word("ARRAY") ? TypeSyntaxKind::kArray : TypeSyntaxKind::kMultiset;
    collection.arguments.push_back(std::move(type));
    type = std::move(collection);
    parse_nullability(type);
  }
  return type;
}

void SyntaxParser::parse_nullability(DataTypeSyntax& type) {
  if (at_words({"NOT", "NULL"})) {
    take();
    take();
    type.nullable = false;
  } else if (at_word("NULL") && !at_word("ON", 1)) {  // RETURNING INT NULL ON ERROR says nothing of the type
    take();
    type.nullable = true;
  }
}

DataTypeSyntax SyntaxParser::parse_base_type() {
  DataTypeSyntax type;
  type.position = peek().position;
  if (peek().kind == TokenKind::kWord && !at_symbol(".", 1)) {
    for (const TypeName& candidate : kTypeNames) {
      if (!at_word(candidate.word)) continue;
      take();
      type.kind = candidate.kind;
      parse_type_arguments(type);
      return type;
    }
  }
  type.kind = TypeSyntaxKind::kUserDefined;
  if (!at_name()) fail_here("a data type");
  type.name = parse_compound_name("a data type");
  return type;
}

void SyntaxParser::parse_type_arguments(DataTypeSyntax& type) {
  switch (type.kind) {
    case TypeSyntaxKind::kDouble:
      accept_word("PRECISION");
      break;
    case TypeSyntaxKind::kChar:
    case TypeSyntaxKind::kBinary:
      if (accept_word("VARYING")) {
        type.kind = type.kind == TypeSyntaxKind::kChar ? TypeSyntaxKind::kVarchar : TypeSyntaxKind::kVarbinary;
      }
      [[fallthrough]];
    case TypeSyntaxKind::kVarchar:
    case TypeSyntaxKind::kVarbinary:
    case TypeSyntaxKind::kDecimal:
    case TypeSyntaxKind::kTime:
    case TypeSyntaxKind::kTimestamp:
    case TypeSyntaxKind::kTimestampLtz:
      if (accept_symbol("(")) {
        type.precision = static_cast<int>(parse_integer("a length or precision", kLengthMax));
        if (type.kind == TypeSyntaxKind::kDecimal && accept_symbol(",")) {
          type.scale = static_cast<int>(parse_integer("a scale", kLengthMax));
        }
        expect_symbol(")");
      }
      parse_time_zone(type);
      break;
    case TypeSyntaxKind::kInterval:
      type.interval = parse_interval_qualifier();
      break;
    case TypeSyntaxKind::kArray:
    case TypeSyntaxKind::kMultiset:
    case TypeSyntaxKind::kMap:
      expect_symbol("<");
      type.arguments.push_back(parse_data_type());
      if (type.kind == TypeSyntaxKind::kMap) {
        expect_symbol(",");
        type.arguments.push_back(parse_data_type());
      }
      expect_symbol(">");
      break;
    case TypeSyntaxKind::kRow:
      parse_row_fields(type);
      break;
    case TypeSyntaxKind::kRaw:
      expect_symbol("(");
      type.raw_class = parse_string("a class name in quotes");
      expect_symbol(",");
      type.raw_serializer = parse_string("a serializer in quotes");
      expect_symbol(")");
      break;
    default:
      break;
  }
}

void SyntaxParser::parse_time_zone(DataTypeSyntax& type) {
  if (type.kind != TypeSyntaxKind::kTime && type.kind != TypeSyntaxKind::kTimestamp) return;
  if (accept_words({"WITHOUT", "TIME", "ZONE"}) || type.kind == TypeSyntaxKind::kTime) return;
  if (accept_words({"WITH", "LOCAL", "TIME", "ZONE"})) {
    type.kind = TypeSyntaxKind::kTimestampLtz;
  } else if (accept_words({"WITH", "TIME", "ZONE"})) {
    type.kind = TypeSyntaxKind::kTimestampTz;
  }
}

// ROW<a INT NOT NULL 'comment', b STRING> or with parentheses.
void SyntaxParser::parse_row_fields(DataTypeSyntax& type) {
  if (at_symbol("<>")) {
    take();
    return;
  }
  bool angle = accept_symbol("<");
  if (!angle) expect_symbol("(");
  std::string_view close = angle ? ">" : ")";
  if (!at_symbol(close)) {
    do {
      RowFieldSyntax field;
      field.name = parse_name("a field name");
      field.type = parse_data_type();
      if (peek().kind == TokenKind::kString) field.comment = parse_string("a comment");
      type.fields.push_back(std::move(field));
    } while (accept_symbol(","));
  }
  expect_symbol(close);
}

}  // namespace yeoul::ast
