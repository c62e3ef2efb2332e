#include <algorithm>
#include <utility>

#include "yeoul/sql/parser/syntax_parser.h"

// FROM: tables, subqueries, table functions and joins.
namespace yeoul::ast {

TableReferencePtr SyntaxParser::parse_from() {
  TableReferencePtr left = parse_join_chain();
  while (at_symbol(",")) {
    SourcePosition position = take().position;
    Join join;
    join.kind = JoinKind::kComma;
    join.left = std::move(left);
    join.right = parse_join_chain();
    left = make_join(std::move(join), position);
  }
  note_expected("\",\"");
  return left;
}

TableReferencePtr SyntaxParser::make_join(Join join, const SourcePosition& position) {
  check_depth(++depth_seen_, position);
  auto table = std::make_unique<TableReference>();
  table->position = position;
  table->node = std::move(join);
  return table;
}

TableReferencePtr SyntaxParser::parse_join_chain() {
  Nesting nesting(*this);
  TableReferencePtr left = parse_table_reference();
  while (true) {
    SourcePosition position = peek().position;
    Join join;
    join.natural = at_word("NATURAL");
    if (join.natural) take();
    std::optional<JoinKind> kind = parse_join_kind();
    if (!kind && !join.natural) return left;
    if (!kind) fail_here("JOIN");
    join.kind = *kind;
    join.left = std::move(left);
    join.right = parse_table_reference();
    if (accept_word("ON")) {
      join.on = parse_expression();
    } else if (accept_word("USING")) {
      join.using_names = parse_name_list("a column name");
    }
    left = make_join(std::move(join), position);
  }
}

std::optional<JoinKind> SyntaxParser::parse_join_kind() {
  if (accept_word("JOIN")) return JoinKind::kInner;
  static constexpr std::pair<std::string_view, JoinKind> kKinds[] = {{"INNER", JoinKind::kInner},
                                                                     {"CROSS", JoinKind::kCross},
                                                                     {"LEFT", JoinKind::kLeft},
                                                                     {"RIGHT", JoinKind::kRight},
                                                                     {"FULL", JoinKind::kFull}};
  std::optional<JoinKind> kind;
  for (const auto& [word, candidate] : kKinds) {
    if (at_word(word)) kind = candidate;
  }
  if (!kind) return kind;
  take();
  if (kind == JoinKind::kLeft && accept_word("SEMI")) {
    kind = JoinKind::kLeftSemi;
  } else if (kind == JoinKind::kLeft && accept_word("ANTI")) {
    kind = JoinKind::kLeftAnti;
  } else if (kind != JoinKind::kInner && kind != JoinKind::kCross) {
    accept_word("OUTER");
  }
  expect_word("JOIN");
  return kind;
}

TableReferencePtr SyntaxParser::parse_table_reference() {
  TableReferencePtr table = parse_table_primary();
  if (at_word("MATCH_RECOGNIZE")) parse_match_recognize(table);
  return table;
}

TableReferencePtr SyntaxParser::parse_table_primary() {
  SourcePosition position = peek().position;
  bool lateral = accept_word("LATERAL");
  auto table = std::make_unique<TableReference>();
  table->position = position;
  if (at_symbol("(")) {
    table = parse_parenthesised_table(position, lateral);
  } else if (at_word("UNNEST")) {
    take();
    Unnest unnest;
    expect_symbol("(");
    unnest.collections = parse_expression_list();
    expect_symbol(")");
    unnest.with_ordinality = accept_words({"WITH", "ORDINALITY"});
    table->node = std::move(unnest);
    parse_table_alias(*table);
  } else if (at_word("TABLE") && at_symbol("(", 1)) {
    take();
    take();
    TableFunction function;
    function.lateral = lateral;
    if (at_name() && !at_symbol("(", 1) && !at_symbol(".", 1)) fail_here("a function call");
    function.call = parse_name_or_call();
    if (function.call->as<FunctionCall>() == nullptr) fail_here("\"(\"");
    expect_symbol(")");
    table->node = std::move(function);
    parse_table_alias(*table);
  } else {
    table = parse_named_table(position, lateral);
  }
  return table;
}

// A table, or a table function without TABLE(…).
TableReferencePtr SyntaxParser::parse_named_table(const SourcePosition& position, bool lateral) {
  auto table = std::make_unique<TableReference>();
  table->position = position;
  accept_word("TABLE");
  if (!at_name()) fail_here("a table name");
  CompoundIdentifier name = parse_compound_name("a table name");
  if (at_symbol("(")) {
    TableFunction function;
    function.lateral = lateral;
    function.call = parse_call(std::move(name));
    table->node = std::move(function);
  } else {
    NamedTable named;
    named.name = std::move(name);
    if (peek().kind == TokenKind::kHintStart) named.hints = parse_hints();
    if (at_word("FOR")) {
      expect_words({"FOR", "SYSTEM_TIME", "AS", "OF"});
      named.system_time = parse_expression();
    }
    table->node = std::move(named);
  }
  parse_table_alias(*table);
  return table;
}

// A subquery, or tables in parentheses; (( SELECT …) UNION …) shows what it is only behind its first operand.
TableReferencePtr SyntaxParser::parse_parenthesised_table(const SourcePosition& position, bool lateral) {
  Nesting nesting(*this);
  expect_symbol("(");
  auto table = std::make_unique<TableReference>();
  table->position = position;
  if (at_query()) {
    table->node = DerivedTable{lateral, parse_query()};
  } else {
    TableReferencePtr inner = parse_from();
    DerivedTable* derived = std::get_if<DerivedTable>(&inner->node);
    bool bare = derived != nullptr && !inner->alias && !derived->lateral;
    if (!bare || !at_query_clause()) {
      expect_symbol(")");
      if (!inner->alias) parse_table_alias(*inner);
      return inner;
    }
    table->node = DerivedTable{lateral, parse_query_after(std::move(derived->query))};
  }
  expect_symbol(")");
  parse_table_alias(*table);
  return table;
}

void SyntaxParser::parse_table_alias(TableReference& table) {
  bool as = accept_word("AS");
  if (!as && !at_name()) return;
  table.alias = parse_name("a name");
  if (at_symbol("(")) table.column_aliases = parse_name_list("a column name");
}

void SyntaxParser::parse_match_recognize(TableReferencePtr& table) {
  SourcePosition position = take().position;
  MatchRecognize match;
  match.input = std::move(table);
  size_t start = peek().position.offset - origin_.offset;
  int open = 0;
  do {
    if (peek().kind == TokenKind::kEnd) fail_here("\")\"");
    if (at_symbol("(")) ++open;
    if (at_symbol(")")) --open;
    if (open == 0 && !at_symbol(")")) fail_here("\"(\"");
    take();
  } while (open > 0);
  const Token& last = tokens_[at_ - 1];
  match.text = sql_.substr(start, last.position.offset - origin_.offset + last.raw.size() - start);
  check_depth(++depth_seen_, position);
  table = std::make_unique<TableReference>();
  table->position = position;
  table->node = std::move(match);
  parse_table_alias(*table);
}

}  // namespace yeoul::ast
