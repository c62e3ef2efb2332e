#include <fmt/format.h>

#include "yeoul/sql/parser/syntax_parser.h"

// CREATE TABLE.
namespace yeoul::ast {

// Behind the name; `table` has what stood before it.
CreateTableStatement SyntaxParser::parse_create_table(CreateTableStatement table) {
  if (accept_symbol("(")) {
    do {
      parse_table_element(table);
    } while (accept_symbol(","));
    expect_symbol(")");
  }
  if (accept_word("COMMENT")) table.comment = parse_string("a comment in quotes");
  if (accept_word("DISTRIBUTED")) table.distribution = parse_distribution();
  if (accept_words({"PARTITIONED", "BY"})) table.partitioned_by = parse_name_list("a column name");
  if (accept_word("WITH")) table.options = parse_table_options();
  if (accept_word("LIKE")) {
    table.like = parse_like_clause();
  } else if (accept_word("AS")) {
    table.as_query = parse_query();
  }
  for (const ColumnDefinition& column : table.columns) {
    bool typed = column.type || column.kind == ColumnKind::kComputed || table.as_query != nullptr;
    if (!typed) fail_at(column.name.position, fmt::format("column '{}' has no data type", column.name.name));
  }
  return table;
}

void SyntaxParser::parse_table_element(CreateTableStatement& table) {
  if (at_words({"WATERMARK", "FOR"})) {
    table.watermarks.push_back(parse_watermark());
    return;
  }
  if (parse_key_constraint(table, nullptr)) return;
  parse_column(table);
}

void SyntaxParser::parse_column(CreateTableStatement& table) {
  ColumnDefinition column;
  column.name = parse_name("a column name");
  if (accept_word("AS")) {
    column.kind = ColumnKind::kComputed;
    column.expression = parse_expression();
  } else if (!at_symbol(",") && !at_symbol(")")) {
    column.type = parse_data_type();
    if (accept_word("METADATA")) {
      column.kind = ColumnKind::kMetadata;
      if (accept_word("FROM")) column.metadata_key = parse_string("a metadata key in quotes");
      column.is_virtual = accept_word("VIRTUAL");
    }
    parse_column_constraints(table, column);
  }
  if (accept_word("COMMENT")) column.comment = parse_string("a comment in quotes");
  table.columns.push_back(std::move(column));
}

void SyntaxParser::parse_column_constraints(CreateTableStatement& table, ColumnDefinition& column) {
  while (true) {
    size_t keys = table.keys.size();
    if (!parse_key_constraint(table, &column.name)) return;
    column.primary_key = column.primary_key || table.keys[keys].primary;
  }
}

// [CONSTRAINT name] PRIMARY KEY | UNIQUE, with its columns unless it stands at one.
bool SyntaxParser::parse_key_constraint(CreateTableStatement& table, const Identifier* column) {
  KeyConstraint key;
  key.position = peek().position;
  bool named = accept_word("CONSTRAINT");
  if (named) key.name = parse_name("a constraint name");
  key.primary = accept_words({"PRIMARY", "KEY"});
  if (!key.primary && !accept_word("UNIQUE")) {
    if (named) fail_here();
    return false;
  }
  if (column != nullptr) {
    key.columns.push_back(*column);
  } else {
    key.columns = parse_name_list("a column name");
  }
  if (accept_words({"NOT", "ENFORCED"})) {
    key.enforcement = KeyEnforcement::kNotEnforced;
  } else if (accept_word("ENFORCED")) {
    key.enforcement = KeyEnforcement::kEnforced;
  }
  table.keys.push_back(std::move(key));
  return true;
}

WatermarkDefinition SyntaxParser::parse_watermark() {
  WatermarkDefinition watermark;
  watermark.position = peek().position;
  expect_words({"WATERMARK", "FOR"});
  watermark.column = parse_compound_name("a column name");
  expect_word("AS");
  watermark.expression = parse_expression();
  return watermark;
}

Distribution SyntaxParser::parse_distribution() {
  Distribution distribution;
  if (accept_word("BY")) {
    if (at_word("HASH") || at_word("RANGE")) distribution.kind = take().text;
    distribution.columns = parse_name_list("a column name");
    if (!accept_word("INTO")) return distribution;
  } else {
    expect_word("INTO");
  }
  distribution.buckets = parse_integer("a number of buckets", 2147483647);
  expect_word("BUCKETS");
  return distribution;
}

std::vector<TableOption> SyntaxParser::parse_table_options() {
  std::vector<TableOption> options;
  expect_symbol("(");
  if (at_symbol(")")) {
    take();
    return options;
  }
  do {
    TableOption option;
    option.position = peek().position;
    option.key = parse_one_string("an option's key in quotes");
    expect_symbol("=");
    option.value = parse_one_string("an option's value in quotes");
    options.push_back(std::move(option));
  } while (accept_symbol(","));
  expect_symbol(")");
  return options;
}

LikeClause SyntaxParser::parse_like_clause() {
  LikeClause like;
  like.source = parse_compound_name("a table name");
  if (!accept_symbol("(")) return like;
  while (!accept_symbol(")")) {
    LikeClause::Option option;
    if (!accept_word("INCLUDING") && !accept_word("EXCLUDING") && !accept_word("OVERWRITING")) fail_here();
    option.merging = tokens_[at_ - 1].text;
    bool known = false;
    for (std::string_view feature :
         {"ALL", "CONSTRAINTS", "DISTRIBUTION", "GENERATED", "METADATA", "OPTIONS", "PARTITIONS", "WATERMARKS"}) {
      known = known || accept_word(feature);
    }
    if (!known) fail_here();
    option.feature = tokens_[at_ - 1].text;
    like.options.push_back(std::move(option));
  }
  return like;
}

}  // namespace yeoul::ast
