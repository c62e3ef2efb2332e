#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/sql/parser/ast.h"

namespace yeoul::ast {

/// Builds the text of to_sql(): appends syntax to one string.
class SqlWriter {
 public:
  std::string take() { return std::move(out_); }

  void text(std::string_view text) { out_ += text; }
  void string(std::string_view value);
  void name(const Identifier& name);
  void names(const std::vector<Identifier>& names);
  void compound(const std::vector<Identifier>& parts);
  void qualifier(const IntervalQualifier& qualifier);
  void type(const DataTypeSyntax& type);
  void type_name(const DataTypeSyntax& type);
  /// In parentheses if its operator binds less tightly than `precedence_min`.
  void expression(const Expression& expression, int precedence_min = 0);
  void expressions(const std::vector<ExpressionPtr>& expressions);
  void order(const std::vector<OrderItem>& items);
  void window(const WindowSpecification& window);
  void bound(const FrameBound& bound);
  void query(const Query& query);
  void operand(const Query& query, bool right, SetOperator op);
  void table(const TableReference& table);
  void hints(const std::vector<Hint>& hints);
  void grouping(const GroupingElement& element);
  void statement(const Statement& statement);

  // One for each alternative of ExpressionNode; expression() visits them.
  void operator()(const Literal& node);
  void operator()(const IntervalExpression& node);
  void operator()(const IntervalDifference& node);
  void operator()(const ColumnReference& node);
  void operator()(const Star& node);
  void operator()(const UnaryOperation& node);
  void operator()(const BinaryOperation& node);
  void operator()(const IsPredicate& node);
  void operator()(const BetweenPredicate& node);
  void operator()(const LikePredicate& node);
  void operator()(const InPredicate& node);
  void operator()(const QuantifiedComparison& node);
  void operator()(const ExistsPredicate& node);
  void operator()(const Subquery& node);
  void operator()(const FunctionCall& node);
  void operator()(const TimeUnitSymbol& node);
  void operator()(const TrimCall& node);
  void operator()(const CaseExpression& node);
  void operator()(const CastExpression& node);
  void operator()(const ArrayConstructor& node);
  void operator()(const MultisetConstructor& node);
  void operator()(const MapConstructor& node);
  void operator()(const RowConstructor& node);
  void operator()(const ElementAccess& node);
  void operator()(const FieldAccess& node);
  void operator()(const Descriptor& node);
  void operator()(const TableArgument& node);
  void operator()(const DefaultArgument& node);
  void operator()(const JsonPathCall& node);
  void operator()(const JsonObjectConstructor& node);
  void operator()(const JsonArrayConstructor& node);
  void operator()(const JsonAggregate& node);

  // One for each alternative of QueryBody, then of TableReference, then of StatementNode.
  void operator()(const Select& node);
  void operator()(const Values& node);
  void operator()(const SetOperation& node);
  void operator()(const ExplicitTable& node);
  void operator()(const NestedQuery& node);
  void operator()(const NamedTable& node);
  void operator()(const DerivedTable& node);
  void operator()(const TableFunction& node);
  void operator()(const Unnest& node);
  void operator()(const Join& node);
  void operator()(const MatchRecognize& node);
  void operator()(const CreateTableStatement& node);
  void operator()(const CreateViewStatement& node);
  void operator()(const DropStatement& node);
  void operator()(const InsertStatement& node);
  void operator()(const StatementSet& node);
  void operator()(const QueryStatement& node);
  void operator()(const SetStatement& node);
  void operator()(const ResetStatement& node);
  void operator()(const ShowStatement& node);
  void operator()(const DescribeStatement& node);
  void operator()(const ExplainStatement& node);
  void operator()(const UseStatement& node);
  void operator()(const UnsupportedStatement& node);

 private:
  /// Calls write(item) for each item, with a separator between them.
  template <class Items, class Write>
  void list(const Items& items, Write write, std::string_view separator = ", ") {
    bool first = true;
    for (const auto& item : items) {
      if (!first) text(separator);
      first = false;
      write(item);
    }
  }
  void clauses(const CallClauses& clauses);
  void behavior(const JsonBehaviorClause& clause, std::string_view event);
  void entry(const JsonEntry& entry);
  void on_null(JsonOnNull on_null);
  void column(const ColumnDefinition& column);
  void key(const KeyConstraint& key);
  void create_table_tail(const CreateTableStatement& node);

  std::string out_;
};

}  // namespace yeoul::ast
