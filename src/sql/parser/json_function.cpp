#include "yeoul/sql/parser/syntax_parser.h"

// The SQL/JSON functions, whose arguments have clauses of their own.
namespace yeoul::ast {

ExpressionPtr SyntaxParser::parse_json_path_call() {
  Token name = take();
  JsonPathCall call;
  call.function = name.is_word("JSON_VALUE")   ? JsonFunction::kValue
                  : name.is_word("JSON_QUERY") ? JsonFunction::kQuery
                                               : JsonFunction::kExists;
  expect_symbol("(");
  call.input = parse_expression();
  if (accept_word("FORMAT")) expect_word("JSON");
  expect_symbol(",");
  call.path = parse_expression();
  if (call.function != JsonFunction::kExists && accept_word("RETURNING")) call.returning = parse_data_type();
  if (call.function == JsonFunction::kQuery) call.wrapper = parse_json_wrapper();
  parse_json_behaviors(call);
  expect_symbol(")");
  return make(name.position, std::move(call));
}

JsonWrapper SyntaxParser::parse_json_wrapper() {
  JsonWrapper wrapper = JsonWrapper::kUnspecified;
  if (accept_word("WITHOUT")) {
    wrapper = JsonWrapper::kWithout;
  } else if (accept_word("WITH")) {
    wrapper = accept_word("CONDITIONAL") ? JsonWrapper::kConditional : JsonWrapper::kUnconditional;
    if (wrapper == JsonWrapper::kUnconditional) accept_word("UNCONDITIONAL");
  } else {
    return wrapper;
  }
  accept_word("ARRAY");
  expect_word("WRAPPER");
  return wrapper;
}

// { NULL | ERROR | EMPTY [ARRAY | OBJECT] | DEFAULT e | TRUE | FALSE | UNKNOWN } ON { EMPTY | ERROR }, repeated.
void SyntaxParser::parse_json_behaviors(JsonPathCall& call) {
  bool exists = call.function == JsonFunction::kExists;
  while (!at_symbol(")")) {
    JsonBehaviorClause clause;
    if (accept_word("ERROR")) {
      clause.behavior = JsonBehavior::kError;
    } else if (!exists && accept_word("NULL")) {
      clause.behavior = JsonBehavior::kNull;
    } else if (call.function == JsonFunction::kQuery && accept_word("EMPTY")) {
      clause.behavior = accept_word("ARRAY")    ? JsonBehavior::kEmptyArray
                        : accept_word("OBJECT") ? JsonBehavior::kEmptyObject
                                                : JsonBehavior::kEmpty;
    } else if (call.function == JsonFunction::kValue && accept_word("DEFAULT")) {
      clause.behavior = JsonBehavior::kDefault;
      clause.default_value = parse_expression();
    } else if (exists && accept_word("TRUE")) {
      clause.behavior = JsonBehavior::kTrue;
    } else if (exists && accept_word("FALSE")) {
      clause.behavior = JsonBehavior::kFalse;
    } else if (exists && accept_word("UNKNOWN")) {
      clause.behavior = JsonBehavior::kUnknown;
    } else {
      return;
    }
    expect_word("ON");
    bool empty = !exists && accept_word("EMPTY");
    if (!empty) expect_word("ERROR");
    (empty ? call.on_empty : call.on_error) = std::move(clause);
  }
}

JsonOnNull SyntaxParser::parse_json_on_null() {
  if (accept_words({"NULL", "ON", "NULL"})) return JsonOnNull::kNull;
  if (accept_words({"ABSENT", "ON", "NULL"})) return JsonOnNull::kAbsent;
  return JsonOnNull::kUnspecified;
}

// [KEY] key VALUE value, or key : value
JsonEntry SyntaxParser::parse_json_pair() {
  bool named_key = at_word("VALUE", 1) || at_symbol(":", 1) || at_symbol(".", 1);  // a column called key
  if (at_word("KEY") && !named_key) take();
  JsonEntry entry;
  entry.key = parse_expression();
  if (!accept_symbol(":")) expect_word("VALUE");
  JsonEntry value = parse_json_element();
  entry.value = std::move(value.value);
  entry.format_json = value.format_json;
  return entry;
}

JsonEntry SyntaxParser::parse_json_element() {
  JsonEntry entry;
  entry.value = parse_expression();
  entry.format_json = accept_words({"FORMAT", "JSON"});
  return entry;
}

ExpressionPtr SyntaxParser::parse_json_object() {
  SourcePosition position = take().position;
  JsonObjectConstructor object;
  expect_symbol("(");
  bool clause_only = at_words({"NULL", "ON", "NULL"}) || at_words({"ABSENT", "ON", "NULL"});
  if (!at_symbol(")") && !clause_only) {
    do {
      object.entries.push_back(parse_json_pair());
    } while (accept_symbol(","));
  }
  object.on_null = parse_json_on_null();
  expect_symbol(")");
  return make(position, std::move(object));
}

ExpressionPtr SyntaxParser::parse_json_array() {
  SourcePosition position = take().position;
  JsonArrayConstructor array;
  expect_symbol("(");
  bool clause_only = at_words({"NULL", "ON", "NULL"}) || at_words({"ABSENT", "ON", "NULL"});
  if (!at_symbol(")") && !clause_only) {
    do {
      array.elements.push_back(parse_json_element());
    } while (accept_symbol(","));
  }
  array.on_null = parse_json_on_null();
  expect_symbol(")");
  return make(position, std::move(array));
}

ExpressionPtr SyntaxParser::parse_json_object_aggregate() {
  SourcePosition position = take().position;
  JsonAggregate aggregate;
  expect_symbol("(");
  aggregate.entry = parse_json_pair();
  aggregate.on_null = parse_json_on_null();
  expect_symbol(")");
  aggregate.clauses = parse_call_clauses();
  return make(position, std::move(aggregate));
}

ExpressionPtr SyntaxParser::parse_json_array_aggregate() {
  SourcePosition position = take().position;
  JsonAggregate aggregate;
  expect_symbol("(");
  aggregate.entry = parse_json_element();
  if (accept_words({"ORDER", "BY"})) aggregate.order_by = parse_order_items();
  aggregate.on_null = parse_json_on_null();
  expect_symbol(")");
  aggregate.clauses = parse_call_clauses();
  return make(position, std::move(aggregate));
}

}  // namespace yeoul::ast
