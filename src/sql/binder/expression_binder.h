#pragma once

#include <optional>
#include <string>
#include <vector>

#include "yeoul/sql/binder/binder.h"
#include "yeoul/sql/functions/aggregate_call.h"
#include "yeoul/sql/functions/expression.h"
#include "yeoul/sql/parser/ast_expression.h"

namespace yeoul {

/// A column that names can be resolved to.
struct ScopeColumn {
  std::string table;  ///< alias or name; empty: none
  std::string name;
  LogicalType type;
};

/// The columns of a FROM clause, in the order of the input row.
struct Scope {
  std::vector<ScopeColumn> columns;
  std::vector<std::string> names() const;
};

/// An aggregate call found while binding, its arguments and filter still expressions over the input.
struct PendingAggregate {
  AggregateCall call;
  std::vector<ExpressionPtr> arguments;
  ExpressionPtr filter;
};

/// Binds expressions over a scope. In a query with aggregation, aggregate calls are collected and stand as input refs
/// behind the scope's columns. Threads: one.
class ExpressionBinder {
 public:
  ExpressionBinder(const BinderContext& context, const Scope& scope) : context_(context), scope_(scope) {}

  /// Allows aggregate calls and collects them. `grouped`: there are grouping keys.
  void collect_aggregates(std::vector<PendingAggregate>& aggregates, bool grouped) {
    aggregates_ = &aggregates;
    grouped_ = grouped;
  }

  /// @throws user errors 1102 (no such column), 1109 (ambiguous), 1111 (aggregate in a wrong place), 1199 (not
  ///         supported), and those of make_call, each with line and column.
  ExpressionPtr bind(const ast::Expression& expression);
  /// As bind, and BOOLEAN. `clause` is WHERE, HAVING, …
  ExpressionPtr bind_condition(const ast::Expression& expression, std::string_view clause);

 private:
  struct Visitor;
  friend struct Visitor;

  const BinderContext& context_;
  const Scope& scope_;
  std::vector<PendingAggregate>* aggregates_ = nullptr;
  bool grouped_ = false;
  bool inside_aggregate_ = false;
};

/// True when the expression has an aggregate call outside subqueries.
bool has_aggregate(const ast::Expression& expression);
/// Same expression: kinds, types, values and arguments.
bool same_expression(const Expression& a, const Expression& b);
/// Puts "line …, column …" in front of an error that has no place yet.
void add_position(Error& error, const ast::SourcePosition& position);

}  // namespace yeoul
