#include "yeoul/sql/parser/syntax_parser.h"

// SELECT with its clauses.
namespace yeoul::ast {

Select SyntaxParser::parse_select() {
  Select select;
  if (peek().kind == TokenKind::kHintStart) select.hints = parse_hints();
  select.distinct = accept_word("DISTINCT");
  if (!select.distinct) accept_word("ALL");
  do {
    select.items.push_back(parse_select_item());
  } while (accept_symbol(","));
  if (accept_word("FROM")) {
    select.from = parse_from();
    parse_select_clauses(select);
  }
  return select;
}

SelectItem SyntaxParser::parse_select_item() {
  SelectItem item;
  if (at_symbol("*")) {
    item.expression = make(take().position, Star{});
    return item;
  }
  item.expression = parse_expression();
  if (item.expression->as<Star>() != nullptr) return item;
  if (accept_word("AS")) {
    item.alias = parse_name("a name");
  } else if (at_name()) {
    item.alias = name_from(take());
  }
  return item;
}

void SyntaxParser::parse_select_clauses(Select& select) {
  if (accept_word("WHERE")) select.where = parse_expression();
  if (accept_word("GROUP")) {
    expect_word("BY");
    select.has_group_by = true;
    do {
      select.group_by.push_back(parse_grouping_element());
    } while (accept_symbol(","));
  }
  if (accept_word("HAVING")) select.having = parse_expression();
  if (accept_word("WINDOW")) {
    do {
      NamedWindow window;
      window.name = parse_name("a window name");
      expect_word("AS");
      window.window = parse_window_specification();
      select.windows.push_back(std::move(window));
    } while (accept_symbol(","));
  }
  if (accept_word("QUALIFY")) select.qualify = parse_expression();
}

GroupingElement SyntaxParser::parse_grouping_element() {
  Nesting nesting(*this);
  GroupingElement element;
  element.position = peek().position;
  if (accept_words({"GROUPING", "SETS"})) {
    element.kind = GroupingKind::kGroupingSets;
  } else if (at_symbol("(", 1) && (at_word("ROLLUP") || at_word("CUBE"))) {
    element.kind = take().is_word("ROLLUP") ? GroupingKind::kRollup : GroupingKind::kCube;
  } else if (at_symbol("(") && at_symbol(")", 1)) {
    take();
    take();
    return element;
  } else {
    ExpressionPtr expression = parse_expression();
    RowConstructor* list = expression->as<RowConstructor>();
    if (list != nullptr && !list->keyword) {
      element.expressions = std::move(list->elements);
    } else {
      element.expressions.push_back(std::move(expression));
    }
    return element;
  }
  expect_symbol("(");
  do {
    element.elements.push_back(parse_grouping_element());
  } while (accept_symbol(","));
  expect_symbol(")");
  return element;
}

// The cursor stands on the opening of a hint comment.
std::vector<Hint> SyntaxParser::parse_hints() {
  std::vector<Hint> hints;
  take();
  do {
    Hint hint;
    hint.name = parse_name("a hint name");
    if (accept_symbol("(")) {
      while (!at_symbol(")")) {
        HintArgument argument;
        if (peek().kind == TokenKind::kString) {
          argument.key = parse_string("an option");
        } else if (peek().kind == TokenKind::kInteger) {
          argument.key = take().raw;
        } else {
          for (const Identifier& part : parse_compound_name("an option").parts) {
            argument.key += argument.key.empty() ? part.name : "." + part.name;
          }
        }
        if (accept_symbol("=")) argument.value = parse_string("a value in quotes");
        hint.arguments.push_back(std::move(argument));
        if (!accept_symbol(",")) break;
      }
      expect_symbol(")");
    }
    hints.push_back(std::move(hint));
    accept_symbol(",");
  } while (peek().kind != TokenKind::kHintEnd && peek().kind != TokenKind::kEnd);
  if (peek().kind != TokenKind::kHintEnd) fail_here("\"*/\"");
  take();
  return hints;
}

}  // namespace yeoul::ast
