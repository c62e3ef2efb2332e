#include "yeoul/sql/parser/keywords.h"
#include "yeoul/sql/parser/precedence.h"
#include "yeoul/sql/parser/syntax_parser.h"

// Names, calls, and the calls that SQL spells with words between their arguments.
namespace yeoul::ast {

// A column, `t.*`, a call, or a function without parentheses.
ExpressionPtr SyntaxParser::parse_name_or_call() {
  SourcePosition position = peek().position;
  bool reserved = !at_name();
  if (reserved && is_niladic_function(peek().text) && !at_symbol("(", 1)) {
    FunctionCall call;
    call.name.position = position;
    call.name.parts.push_back(name_from(take()));
    call.niladic = true;
    return make(position, std::move(call));
  }
  bool callable = at_symbol("(", 1) && (is_callable_reserved_word(peek().text) || is_niladic_function(peek().text));
  if (reserved && !callable) fail_here("an expression");
  CompoundIdentifier name;
  name.position = position;
  name.parts.push_back(name_from(take()));
  while (at_symbol(".")) {
    if (at_symbol("*", 1)) {
      take();
      take();
      return make(position, Star{std::move(name.parts)});
    }
    take();
    name.parts.push_back(parse_name("a name"));
  }
  if (at_symbol("(")) return parse_call(std::move(name));
  return make(position, ColumnReference{std::move(name.parts)});
}

ExpressionPtr SyntaxParser::parse_call(CompoundIdentifier name) {
  SourcePosition position = name.position;
  FunctionCall call;
  call.name = std::move(name);
  expect_symbol("(");
  if (at_symbol("*") && at_symbol(")", 1)) {
    SourcePosition star = take().position;
    call.arguments.push_back({std::nullopt, make(star, Star{})});
  } else if (!at_symbol(")")) {
    call.distinct = accept_word("DISTINCT");
    if (!call.distinct) accept_word("ALL");
    do {
      call.arguments.push_back(parse_argument());
    } while (accept_symbol(","));
    if (accept_words({"ORDER", "BY"})) call.order_by = parse_order_items();
  }
  expect_symbol(")");
  call.clauses = parse_call_clauses();
  return make(position, std::move(call));
}

FunctionArgument SyntaxParser::parse_argument() {
  FunctionArgument argument;
  bool word = peek().kind == TokenKind::kWord || peek().kind == TokenKind::kQuotedName;
  if (word && at_symbol("=>", 1)) {
    argument.name = name_from(take());
    take();
  }
  argument.value = parse_argument_value();
  return argument;
}

ExpressionPtr SyntaxParser::parse_argument_value() {
  SourcePosition position = peek().position;
  if (at_word("TABLE")) {
    take();
    auto query = std::make_unique<Query>();
    query->position = peek().position;
    bool open = accept_symbol("(");
    if (open && at_query()) {
      query = parse_query();
    } else {
      query->body = ExplicitTable{parse_compound_name("a table name")};
    }
    if (open) expect_symbol(")");
    return parse_table_argument(std::move(query), position);
  }
  if (at_query()) return parse_table_argument(parse_query(), position);
  if (at_word("DEFAULT")) {
    take();
    return make(position, DefaultArgument{});
  }
  if (at_word("DESCRIPTOR") && at_symbol("(", 1)) {
    take();
    return make(position, Descriptor{parse_name_list("a column name")});
  }
  ExpressionPtr value = parse_expression();
  Subquery* subquery = value->as<Subquery>();
  if (subquery != nullptr && (at_words({"PARTITION", "BY"}) || at_words({"ORDER", "BY"}))) {
    return parse_table_argument(std::move(subquery->query), position);
  }
  return value;
}

ExpressionPtr SyntaxParser::parse_table_argument(QueryPtr query, const SourcePosition& position) {
  TableArgument argument;
  argument.query = std::move(query);
  if (accept_words({"PARTITION", "BY"})) {
    if (at_symbol("(")) {
      argument.partition_by = parse_parenthesised_list();
    } else {
      argument.partition_by.push_back(parse_expression());
    }
  }
  if (accept_words({"ORDER", "BY"})) {
    bool open = accept_symbol("(");
    argument.order_by = parse_order_items();
    if (open) expect_symbol(")");
  }
  return make(position, std::move(argument));
}

CallClauses SyntaxParser::parse_call_clauses() {
  CallClauses clauses;
  if (at_words({"IGNORE", "NULLS"}) || at_words({"RESPECT", "NULLS"})) {
    clauses.null_treatment = take().is_word("IGNORE") ? NullTreatment::kIgnore : NullTreatment::kRespect;
    take();
  }
  if (accept_words({"WITHIN", "GROUP"})) {
    expect_symbol("(");
    expect_words({"ORDER", "BY"});
    clauses.within_group = parse_order_items();
    expect_symbol(")");
  }
  if (accept_word("FILTER")) {
    expect_symbol("(");
    expect_word("WHERE");
    clauses.filter = parse_expression();
    expect_symbol(")");
  }
  if (accept_word("OVER")) {
    clauses.over = std::make_unique<WindowSpecification>();
    if (at_symbol("(")) {
      *clauses.over = parse_window_specification();
    } else {
      clauses.over->position = peek().position;
      clauses.over->base_window = parse_name("a window name");
    }
  }
  return clauses;
}

WindowSpecification SyntaxParser::parse_window_specification() {
  WindowSpecification window;
  window.position = peek().position;
  expect_symbol("(");
  if (at_name()) window.base_window = name_from(take());
  if (accept_words({"PARTITION", "BY"})) window.partition_by = parse_expression_list();
  if (accept_words({"ORDER", "BY"})) window.order_by = parse_order_items();
  if (at_word("ROWS") || at_word("RANGE")) {
    window.frame = parse_window_frame();
  } else {
    note_expected("ROWS");
    note_expected("RANGE");
  }
  expect_symbol(")");
  return window;
}

WindowFrame SyntaxParser::parse_window_frame() {
  WindowFrame frame;
  frame.unit = take().is_word("ROWS") ? FrameUnit::kRows : FrameUnit::kRange;
  bool between = accept_word("BETWEEN");
  frame.start = parse_frame_bound();
  if (between) {
    expect_word("AND");
    frame.end = parse_frame_bound();
  }
  return frame;
}

FrameBound SyntaxParser::parse_frame_bound() {
  FrameBound bound;
  if (accept_words({"CURRENT", "ROW"})) return bound;
  bool unbounded = accept_word("UNBOUNDED");
  if (!unbounded) bound.offset = parse_expression(kAndPrecedence + 1);
  if (accept_word("PRECEDING")) {
    bound.kind = unbounded ? FrameBoundKind::kUnboundedPreceding : FrameBoundKind::kPreceding;
  } else {
    expect_word("FOLLOWING");
    bound.kind = unbounded ? FrameBoundKind::kUnboundedFollowing : FrameBoundKind::kFollowing;
  }
  return bound;
}

// A call with a grammar of its own, or null. The cursor stands on a word before "(".
ExpressionPtr SyntaxParser::parse_special_call() {
  static constexpr std::pair<std::string_view, ExpressionPtr (SyntaxParser::*)()> kCalls[] = {
      {"EXTRACT", &SyntaxParser::parse_extract},
      {"POSITION", &SyntaxParser::parse_position},
      {"SUBSTRING", &SyntaxParser::parse_substring},
      {"OVERLAY", &SyntaxParser::parse_overlay},
      {"TRIM", &SyntaxParser::parse_trim},
      {"FLOOR", &SyntaxParser::parse_floor_or_ceil},
      {"CEIL", &SyntaxParser::parse_floor_or_ceil},
      {"CEILING", &SyntaxParser::parse_floor_or_ceil},
      {"TIMESTAMPADD", &SyntaxParser::parse_timestamp_arithmetic},
      {"TIMESTAMPDIFF", &SyntaxParser::parse_timestamp_arithmetic},
      {"JSON_VALUE", &SyntaxParser::parse_json_path_call},
      {"JSON_QUERY", &SyntaxParser::parse_json_path_call},
      {"JSON_EXISTS", &SyntaxParser::parse_json_path_call},
      {"JSON_OBJECT", &SyntaxParser::parse_json_object},
      {"JSON_ARRAY", &SyntaxParser::parse_json_array},
      {"JSON_OBJECTAGG", &SyntaxParser::parse_json_object_aggregate},
      {"JSON_ARRAYAGG", &SyntaxParser::parse_json_array_aggregate},
  };
  for (const auto& [name, parse] : kCalls) {
    if (at_word(name)) return (this->*parse)();
  }
  return nullptr;
}

ExpressionPtr SyntaxParser::make_call(const Token& name, std::vector<ExpressionPtr> arguments) {
  FunctionCall call;
  call.name.position = name.position;
  call.name.parts.push_back(name_from(name));
  for (ExpressionPtr& argument : arguments) call.arguments.push_back({std::nullopt, std::move(argument)});
  return make(name.position, std::move(call));
}

ExpressionPtr SyntaxParser::parse_extract() {
  Token name = take();
  expect_symbol("(");
  std::vector<ExpressionPtr> arguments;
  SourcePosition unit = peek().position;
  arguments.push_back(make(unit, TimeUnitSymbol{parse_time_unit()}));
  expect_word("FROM");
  arguments.push_back(parse_expression());
  expect_symbol(")");
  return make_call(name, std::move(arguments));
}

ExpressionPtr SyntaxParser::parse_position() {
  Token name = take();
  expect_symbol("(");
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(parse_expression(kInPrecedence + 1));
  expect_word("IN");
  arguments.push_back(parse_expression());
  if (accept_word("FROM")) arguments.push_back(parse_expression());
  expect_symbol(")");
  return make_call(name, std::move(arguments));
}

ExpressionPtr SyntaxParser::parse_substring() {
  Token name = take();
  expect_symbol("(");
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(parse_expression());
  if (accept_word("FROM")) {
    arguments.push_back(parse_expression());
    if (accept_word("FOR")) arguments.push_back(parse_expression());
  } else {
    while (accept_symbol(",")) arguments.push_back(parse_expression());
  }
  expect_symbol(")");
  return make_call(name, std::move(arguments));
}

ExpressionPtr SyntaxParser::parse_overlay() {
  Token name = take();
  expect_symbol("(");
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(parse_expression());
  if (accept_word("PLACING")) {
    arguments.push_back(parse_expression());
    expect_word("FROM");
    arguments.push_back(parse_expression());
    if (accept_word("FOR")) arguments.push_back(parse_expression());
  } else {
    while (accept_symbol(",")) arguments.push_back(parse_expression());
  }
  expect_symbol(")");
  return make_call(name, std::move(arguments));
}

ExpressionPtr SyntaxParser::parse_trim() {
  SourcePosition position = take().position;
  expect_symbol("(");
  TrimCall trim;
  bool side = true;
  if (accept_word("LEADING")) {
    trim.side = TrimSide::kLeading;
  } else if (accept_word("TRAILING")) {
    trim.side = TrimSide::kTrailing;
  } else {
    side = accept_word("BOTH");
  }
  if (side && accept_word("FROM")) {
    trim.value = parse_expression();
  } else {
    trim.value = parse_expression();
    bool from = accept_word("FROM");
    if (side && !from) fail_here();
    if (from) {
      trim.characters = std::move(trim.value);
      trim.value = parse_expression();
    }
  }
  expect_symbol(")");
  return make(position, std::move(trim));
}

ExpressionPtr SyntaxParser::parse_floor_or_ceil() {
  Token name = take();
  expect_symbol("(");
  std::vector<ExpressionPtr> arguments;
  arguments.push_back(parse_expression());
  if (accept_word("TO")) {
    SourcePosition unit = peek().position;
    arguments.push_back(make(unit, TimeUnitSymbol{parse_time_unit()}));
  } else {
    while (accept_symbol(",")) arguments.push_back(parse_expression());
  }
  expect_symbol(")");
  return make_call(name, std::move(arguments));
}

ExpressionPtr SyntaxParser::parse_timestamp_arithmetic() {
  Token name = take();
  expect_symbol("(");
  std::vector<ExpressionPtr> arguments;
  SourcePosition unit = peek().position;
  arguments.push_back(make(unit, TimeUnitSymbol{parse_time_unit()}));
  while (accept_symbol(",")) arguments.push_back(parse_expression());
  expect_symbol(")");
  return make_call(name, std::move(arguments));
}

}  // namespace yeoul::ast
