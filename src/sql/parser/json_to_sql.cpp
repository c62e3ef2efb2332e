#include "yeoul/sql/parser/sql_writer.h"

namespace yeoul::ast {

void SqlWriter::behavior(const JsonBehaviorClause& clause, std::string_view event) {
  switch (clause.behavior) {
    case JsonBehavior::kUnspecified:
      return;
    case JsonBehavior::kNull:
      text(" NULL");
      break;
    case JsonBehavior::kError:
      text(" ERROR");
      break;
    case JsonBehavior::kEmptyArray:
      text(" EMPTY ARRAY");
      break;
    case JsonBehavior::kEmptyObject:
      text(" EMPTY OBJECT");
      break;
    case JsonBehavior::kEmpty:
      text(" EMPTY");
      break;
    case JsonBehavior::kTrue:
      text(" TRUE");
      break;
    case JsonBehavior::kFalse:
      text(" FALSE");
      break;
    case JsonBehavior::kUnknown:
      text(" UNKNOWN");
      break;
    case JsonBehavior::kDefault:
      text(" DEFAULT ");
      expression(*clause.default_value);
  }
  text(" ON ");
  text(event);
}

void SqlWriter::on_null(JsonOnNull on_null) {
  if (on_null == JsonOnNull::kNull) text(" NULL ON NULL");
  if (on_null == JsonOnNull::kAbsent) text(" ABSENT ON NULL");
}

void SqlWriter::entry(const JsonEntry& entry) {
  if (entry.key != nullptr) {
    text("KEY ");
    expression(*entry.key);
    text(" VALUE ");
  }
  expression(*entry.value);
  if (entry.format_json) text(" FORMAT JSON");
}

void SqlWriter::operator()(const JsonPathCall& node) {
  constexpr std::string_view kNames[] = {"JSON_VALUE(", "JSON_QUERY(", "JSON_EXISTS("};
  text(kNames[static_cast<size_t>(node.function)]);
  expression(*node.input);
  text(", ");
  expression(*node.path);
  if (node.returning) {
    text(" RETURNING ");
    type(*node.returning);
  }
  if (node.wrapper == JsonWrapper::kWithout) text(" WITHOUT ARRAY WRAPPER");
  if (node.wrapper == JsonWrapper::kConditional) text(" WITH CONDITIONAL ARRAY WRAPPER");
  if (node.wrapper == JsonWrapper::kUnconditional) text(" WITH UNCONDITIONAL ARRAY WRAPPER");
  behavior(node.on_empty, "EMPTY");
  behavior(node.on_error, "ERROR");
  text(")");
}

void SqlWriter::operator()(const JsonObjectConstructor& node) {
  text("JSON_OBJECT(");
  list(node.entries, [&](const JsonEntry& each) { entry(each); });
  on_null(node.on_null);
  text(")");
}

void SqlWriter::operator()(const JsonArrayConstructor& node) {
  text("JSON_ARRAY(");
  list(node.elements, [&](const JsonEntry& each) { entry(each); });
  on_null(node.on_null);
  text(")");
}

void SqlWriter::operator()(const JsonAggregate& node) {
  text(node.entry.key != nullptr ? "JSON_OBJECTAGG(" : "JSON_ARRAYAGG(");
  entry(node.entry);
  if (!node.order_by.empty()) {
    text(" ORDER BY ");
    order(node.order_by);
  }
  on_null(node.on_null);
  text(")");
  clauses(node.clauses);
}

}  // namespace yeoul::ast
