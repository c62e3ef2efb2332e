#include <algorithm>
#include <limits>
#include <utility>

#include "yeoul/sql/parser/syntax_parser.h"

// Queries around SELECT: WITH, set operations, VALUES, ORDER BY and LIMIT.
namespace yeoul::ast {

bool SyntaxParser::at_query(size_t ahead) const {
  const Token& token = peek(ahead);
  if (token.is_word("SELECT") || token.is_word("WITH") || token.is_word("VALUES")) return true;
  return token.is_word("TABLE") && at_name(ahead + 1);
}

bool SyntaxParser::at_query_clause() const {
  return at_word("UNION") || at_word("INTERSECT") || at_word("EXCEPT") || at_word("MINUS") || at_word("ORDER") ||
         at_word("LIMIT") || at_word("OFFSET") || at_word("FETCH");
}

QueryPtr SyntaxParser::parse_query() {
  Nesting nesting(*this);
  SourcePosition position = peek().position;
  int outer_depth = std::exchange(depth_seen_, 0);
  std::vector<CommonTableExpression> with;
  bool recursive = false;
  if (accept_word("WITH")) {
    recursive = accept_word("RECURSIVE");
    do {
      with.push_back(parse_common_table_expression());
    } while (accept_symbol(","));
  }
  QueryPtr query = parse_query_after(parse_query_operand());
  if (!with.empty()) {
    if (!query->with.empty()) {
      auto outer = std::make_unique<Query>();
      outer->depth = query->depth + 1;
      outer->body = NestedQuery{std::move(query)};
      query = std::move(outer);
    }
    query->with = std::move(with);
    query->recursive = recursive;
    query->position = position;
  }
  query->depth = std::max(query->depth, depth_seen_ + 1);
  check_depth(query->depth, position);
  depth_seen_ = std::max(outer_depth, query->depth);
  return query;
}

// What may follow a query that is parsed already: set operations, ORDER BY, LIMIT.
QueryPtr SyntaxParser::parse_query_after(QueryPtr first) {
  QueryPtr query = parse_set_operations(std::move(first), false);
  if (!at_query_clause()) return query;
  bool nested = !query->order_by.empty() || query->limit || query->offset || !query->with.empty();
  if (nested) {
    auto outer = std::make_unique<Query>();
    outer->position = query->position;
    outer->depth = query->depth + 1;
    outer->body = NestedQuery{std::move(query)};
    query = std::move(outer);
  }
  parse_order_and_limit(*query);
  query->depth = std::max(query->depth, depth_seen_ + 1);
  depth_seen_ = std::max(depth_seen_, query->depth);
  return query;
}

// INTERSECT binds tighter than UNION and EXCEPT; all associate to the left.
QueryPtr SyntaxParser::parse_set_operations(QueryPtr left, bool intersect_only) {
  while (true) {
    bool intersect = accept_word("INTERSECT");
    bool other = !intersect && !intersect_only && (accept_word("UNION") || at_word("EXCEPT") || at_word("MINUS"));
    if (!intersect && !other) {
      if (!intersect_only) note_expected("EXCEPT");
      return left;
    }
    SetOperation operation;
    operation.op = intersect ? SetOperator::kIntersect : SetOperator::kUnion;
    if (at_word("EXCEPT") || at_word("MINUS")) {
      take();
      operation.op = SetOperator::kExcept;
    }
    operation.all = accept_word("ALL");
    if (!operation.all) accept_word("DISTINCT");
    QueryPtr right = parse_query_operand();
    if (!intersect) right = parse_set_operations(std::move(right), true);
    auto query = std::make_unique<Query>();
    query->position = left->position;
    query->depth = std::max(left->depth, right->depth) + 1;
    check_depth(query->depth, query->position);
    depth_seen_ = std::max(depth_seen_, query->depth);
    operation.left = std::move(left);
    operation.right = std::move(right);
    query->body = std::move(operation);
    left = std::move(query);
  }
}

QueryPtr SyntaxParser::parse_query_operand() {
  SourcePosition position = peek().position;
  if (accept_symbol("(")) {
    QueryPtr query = parse_query();
    expect_symbol(")");
    return query;
  }
  int outer_depth = std::exchange(depth_seen_, 0);
  auto query = std::make_unique<Query>();
  query->position = position;
  if (accept_word("SELECT")) {
    query->body = parse_select();
  } else if (accept_word("VALUES")) {
    query->body = parse_values();
  } else if (accept_word("TABLE")) {
    query->body = ExplicitTable{parse_compound_name("a table name")};
  } else {
    fail_here();
  }
  query->depth = depth_seen_ + 1;
  depth_seen_ = std::max(outer_depth, query->depth);
  return query;
}

CommonTableExpression SyntaxParser::parse_common_table_expression() {
  CommonTableExpression table;
  table.name = parse_name("a name");
  if (at_symbol("(")) table.columns = parse_name_list("a column name");
  expect_word("AS");
  expect_symbol("(");
  table.query = parse_query();
  expect_symbol(")");
  return table;
}

void SyntaxParser::parse_order_and_limit(Query& query) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  if (accept_word("ORDER")) {
    expect_word("BY");
    query.order_by = parse_order_items();
  }
  if (accept_word("LIMIT")) {
    if (!accept_word("ALL")) query.limit = parse_integer("a number of rows", kMax);
  }
  if (accept_word("OFFSET")) {
    query.offset = parse_integer("a number of rows", kMax);
    if (!accept_word("ROWS")) accept_word("ROW");
  }
  if (!query.limit && accept_word("FETCH")) {
    if (!accept_word("FIRST")) expect_word("NEXT");
    query.limit = peek().kind == TokenKind::kInteger ? parse_integer("a number of rows", kMax) : 1;
    if (!accept_word("ROWS")) expect_word("ROW");
    expect_word("ONLY");
  }
}

std::vector<OrderItem> SyntaxParser::parse_order_items() {
  std::vector<OrderItem> items;
  do {
    OrderItem item;
    item.expression = parse_expression();
    if (accept_word("DESC")) {
      item.order = SortOrder::kDescending;
    } else {
      accept_word("ASC");
    }
    if (accept_words({"NULLS", "FIRST"})) {
      item.nulls = NullOrder::kFirst;
    } else if (accept_words({"NULLS", "LAST"})) {
      item.nulls = NullOrder::kLast;
    }
    items.push_back(std::move(item));
  } while (accept_symbol(","));
  return items;
}

Values SyntaxParser::parse_values() {
  Values values;
  do {
    ExpressionPtr row = parse_expression();
    RowConstructor* constructor = row->as<RowConstructor>();
    std::vector<ExpressionPtr> cells;
    if (constructor != nullptr) {
      cells = std::move(constructor->elements);
    } else {
      cells.push_back(std::move(row));
    }
    values.rows.push_back(std::move(cells));
  } while (accept_symbol(","));
  return values;
}

}  // namespace yeoul::ast
