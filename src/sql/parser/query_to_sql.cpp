#include <fmt/format.h>

#include "yeoul/sql/parser/sql_writer.h"

namespace yeoul::ast {
namespace {

bool has_clauses(const Query& query) {
  return !query.with.empty() || !query.order_by.empty() || query.offset || query.limit;
}

}  // namespace

void SqlWriter::query(const Query& query) {
  if (!query.with.empty()) {
    text(query.recursive ? "WITH RECURSIVE " : "WITH ");
    list(query.with, [&](const CommonTableExpression& table) {
      name(table.name);
      if (!table.columns.empty()) names(table.columns);
      text(" AS (");
      this->query(*table.query);
      text(")");
    });
    text(" ");
  }
  std::visit(*this, query.body);
  if (!query.order_by.empty()) {
    text(" ORDER BY ");
    order(query.order_by);
  }
  if (query.limit) text(fmt::format(" LIMIT {}", *query.limit));
  if (query.offset) text(fmt::format(" OFFSET {}", *query.offset));
}

// An operand of a set operation, in parentheses where it would be read differently without.
void SqlWriter::operand(const Query& query, bool right, SetOperator op) {
  const auto* inner = std::get_if<SetOperation>(&query.body);
  bool looser = inner != nullptr && op == SetOperator::kIntersect && inner->op != SetOperator::kIntersect;
  bool same = inner != nullptr && (op == SetOperator::kIntersect) == (inner->op == SetOperator::kIntersect);
  bool open = has_clauses(query) || looser || (right && same);
  if (open) text("(");
  this->query(query);
  if (open) text(")");
}

void SqlWriter::operator()(const SetOperation& node) {
  constexpr std::string_view kWords[] = {" UNION ", " INTERSECT ", " EXCEPT "};
  operand(*node.left, false, node.op);
  text(kWords[static_cast<size_t>(node.op)]);
  if (node.all) text("ALL ");
  operand(*node.right, true, node.op);
}

void SqlWriter::operator()(const NestedQuery& node) {
  text("(");
  query(*node.query);
  text(")");
}

void SqlWriter::operator()(const ExplicitTable& node) {
  text("TABLE ");
  compound(node.name.parts);
}

void SqlWriter::operator()(const Values& node) {
  text("VALUES ");
  list(node.rows, [&](const std::vector<ExpressionPtr>& row) {
    text("(");
    expressions(row);
    text(")");
  });
}

void SqlWriter::hints(const std::vector<Hint>& hints) {
  if (hints.empty()) return;
  text(" /*+ ");
  list(hints, [&](const Hint& hint) {
    name(hint.name);
    if (hint.arguments.empty()) return;
    text("(");
    list(hint.arguments, [&](const HintArgument& argument) {
      string(argument.key);
      if (!argument.value) return;
      text("=");
      string(*argument.value);
    });
    text(")");
  });
  text(" */");
}

void SqlWriter::grouping(const GroupingElement& element) {
  constexpr std::string_view kWords[] = {"", "ROLLUP ", "CUBE ", "GROUPING SETS "};
  if (element.kind == GroupingKind::kExpressions && element.expressions.size() == 1) {
    return expression(*element.expressions[0]);
  }
  text(kWords[static_cast<size_t>(element.kind)]);
  text("(");
  expressions(element.expressions);
  list(element.elements, [&](const GroupingElement& inner) { grouping(inner); });
  text(")");
}

void SqlWriter::operator()(const Select& node) {
  text("SELECT");
  hints(node.hints);
  text(node.distinct ? " DISTINCT " : " ");
  list(node.items, [&](const SelectItem& item) {
    expression(*item.expression);
    if (!item.alias) return;
    text(" AS ");
    name(*item.alias);
  });
  if (node.from != nullptr) {
    text(" FROM ");
    table(*node.from);
  }
  auto clause = [&](std::string_view word, const ExpressionPtr& condition) {
    if (condition == nullptr) return;
    text(word);
    expression(*condition);
  };
  clause(" WHERE ", node.where);
  if (node.has_group_by) {
    text(" GROUP BY ");
    list(node.group_by, [&](const GroupingElement& element) { grouping(element); });
  }
  clause(" HAVING ", node.having);
  if (!node.windows.empty()) {
    text(" WINDOW ");
    list(node.windows, [&](const NamedWindow& named) {
      name(named.name);
      text(" AS ");
      window(named.window);
    });
  }
  clause(" QUALIFY ", node.qualify);
}

void SqlWriter::table(const TableReference& table) {
  const bool grouped = table.alias && std::holds_alternative<Join>(table.node);
  if (grouped) text("(");
  std::visit(*this, table.node);
  if (grouped) text(")");
  if (!table.alias) return;
  text(" AS ");
  name(*table.alias);
  if (!table.column_aliases.empty()) names(table.column_aliases);
}

void SqlWriter::operator()(const NamedTable& node) {
  compound(node.name.parts);
  hints(node.hints);
  if (node.system_time == nullptr) return;
  text(" FOR SYSTEM_TIME AS OF ");
  expression(*node.system_time);
}

void SqlWriter::operator()(const DerivedTable& node) {
  text(node.lateral ? "LATERAL (" : "(");
  query(*node.query);
  text(")");
}

void SqlWriter::operator()(const TableFunction& node) {
  text(node.lateral ? "LATERAL TABLE(" : "TABLE(");
  expression(*node.call);
  text(")");
}

void SqlWriter::operator()(const Unnest& node) {
  text("UNNEST(");
  expressions(node.collections);
  text(node.with_ordinality ? ") WITH ORDINALITY" : ")");
}

void SqlWriter::operator()(const Join& node) {
  constexpr std::string_view kWords[] = {", ",           " CROSS JOIN ", " JOIN ",           " LEFT JOIN ",
                                         " RIGHT JOIN ", " FULL JOIN ",  " LEFT SEMI JOIN ", " LEFT ANTI JOIN "};
  auto side = [&](const TableReference& table, bool right) {
    const auto* join = std::get_if<Join>(&table.node);
    bool open =
        join != nullptr && !table.alias && (right || (join->kind == JoinKind::kComma && node.kind != JoinKind::kComma));
    // The right side of a comma may be a chain of joins.
    if (right && node.kind == JoinKind::kComma && join != nullptr && join->kind != JoinKind::kComma) open = false;
    if (open) text("(");
    this->table(table);
    if (open) text(")");
  };
  side(*node.left, false);
  if (node.natural) text(" NATURAL");
  text(kWords[static_cast<size_t>(node.kind)]);
  side(*node.right, true);
  if (node.on != nullptr) {
    text(" ON ");
    expression(*node.on);
  }
  if (node.using_names.empty()) return;
  text(" USING ");
  names(node.using_names);
}

void SqlWriter::operator()(const MatchRecognize& node) {
  table(*node.input);
  text(" MATCH_RECOGNIZE ");
  text(node.text);
}

std::string to_sql(const Query& query) {
  SqlWriter writer;
  writer.query(query);
  return writer.take();
}

std::string to_sql(const TableReference& table) {
  SqlWriter writer;
  writer.table(table);
  return writer.take();
}

}  // namespace yeoul::ast
