#include "yeoul/sql/parser/ast.h"

namespace yeoul::ast {
namespace {

// Calls `visit` for each child of a node, in the order of the text.
struct ChildVisitor {
  const std::function<void(const Expression&)>& visit;

  void child(const ExpressionPtr& expression) const {
    if (expression != nullptr) visit(*expression);
  }
  void children(const std::vector<ExpressionPtr>& expressions) const {
    for (const ExpressionPtr& expression : expressions) child(expression);
  }
  void order(const std::vector<OrderItem>& items) const {
    for (const OrderItem& item : items) child(item.expression);
  }
  void clauses(const CallClauses& clauses) const {
    order(clauses.within_group);
    child(clauses.filter);
    if (clauses.over == nullptr) return;
    children(clauses.over->partition_by);
    order(clauses.over->order_by);
    if (clauses.over->frame) {
      child(clauses.over->frame->start.offset);
      if (clauses.over->frame->end) child(clauses.over->frame->end->offset);
    }
  }
  void entry(const JsonEntry& entry) const {
    child(entry.key);
    child(entry.value);
  }

  void operator()(const Literal&) const {}
  void operator()(const ColumnReference&) const {}
  void operator()(const Star&) const {}
  void operator()(const ExistsPredicate&) const {}
  void operator()(const Subquery&) const {}
  void operator()(const TimeUnitSymbol&) const {}
  void operator()(const Descriptor&) const {}
  void operator()(const DefaultArgument&) const {}
  void operator()(const IntervalExpression& node) const { child(node.value); }
  void operator()(const IntervalDifference& node) const {
    child(node.left);
    child(node.right);
  }
  void operator()(const UnaryOperation& node) const { child(node.operand); }
  void operator()(const BinaryOperation& node) const {
    child(node.left);
    child(node.right);
  }
  void operator()(const IsPredicate& node) const { child(node.value); }
  void operator()(const BetweenPredicate& node) const {
    child(node.value);
    child(node.low);
    child(node.high);
  }
  void operator()(const LikePredicate& node) const {
    child(node.value);
    child(node.pattern);
    child(node.escape);
  }
  void operator()(const InPredicate& node) const {
    child(node.value);
    children(node.list);
  }
  void operator()(const QuantifiedComparison& node) const {
    child(node.left);
    children(node.list);
  }
  void operator()(const FunctionCall& node) const {
    for (const FunctionArgument& argument : node.arguments) child(argument.value);
    order(node.order_by);
    clauses(node.clauses);
  }
  void operator()(const TrimCall& node) const {
    child(node.characters);
    child(node.value);
  }
  void operator()(const CaseExpression& node) const {
    child(node.operand);
    for (const WhenClause& branch : node.branches) {
      children(branch.conditions);
      child(branch.result);
    }
    child(node.otherwise);
  }
  void operator()(const CastExpression& node) const { child(node.value); }
  void operator()(const ArrayConstructor& node) const { children(node.elements); }
  void operator()(const MultisetConstructor& node) const { children(node.elements); }
  void operator()(const MapConstructor& node) const { children(node.elements); }
  void operator()(const RowConstructor& node) const { children(node.elements); }
  void operator()(const ElementAccess& node) const {
    child(node.base);
    child(node.index);
  }
  void operator()(const FieldAccess& node) const { child(node.base); }
  void operator()(const TableArgument& node) const {
    children(node.partition_by);
    order(node.order_by);
  }
  void operator()(const JsonPathCall& node) const {
    child(node.input);
    child(node.path);
    child(node.on_empty.default_value);
    child(node.on_error.default_value);
  }
  void operator()(const JsonObjectConstructor& node) const {
    for (const JsonEntry& each : node.entries) entry(each);
  }
  void operator()(const JsonArrayConstructor& node) const {
    for (const JsonEntry& each : node.elements) entry(each);
  }
  void operator()(const JsonAggregate& node) const {
    entry(node.entry);
    order(node.order_by);
    clauses(node.clauses);
  }
};

}  // namespace

Expression::Expression(SourcePosition position, ExpressionNode node) : position(position), node(std::move(node)) {}
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

void for_each_child(const Expression& expression, const std::function<void(const Expression&)>& visit) {
  std::visit(ChildVisitor{visit}, expression.node);
}

const Query* subquery_of(const Expression& expression) {
  if (const auto* node = expression.as<InPredicate>()) return node->query.get();
  if (const auto* node = expression.as<QuantifiedComparison>()) return node->query.get();
  if (const auto* node = expression.as<ExistsPredicate>()) return node->query.get();
  if (const auto* node = expression.as<Subquery>()) return node->query.get();
  if (const auto* node = expression.as<TableArgument>()) return node->query.get();
  return nullptr;
}

}  // namespace yeoul::ast
