#include <fmt/format.h>

#include <algorithm>

#include "yeoul/sql/parser/precedence.h"
#include "yeoul/sql/parser/sql_writer.h"

namespace yeoul::ast {
namespace {

bool same_word(std::string_view word, std::string_view capitals) {
  return std::equal(word.begin(), word.end(), capitals.begin(), capitals.end(),
                    [](char a, char b) { return (a >= 'a' && a <= 'z' ? a - 'a' + 'A' : a) == b; });
}

// What SQL puts before argument `i` of a call; `unit` says whether the argument is a time unit.
std::string_view separator(std::string_view function, size_t i, bool unit) {
  if (unit) return " TO ";
  if (same_word(function, "EXTRACT")) return " FROM ";
  if (same_word(function, "POSITION")) return i == 1 ? " IN " : " FROM ";
  return ", ";
}

}  // namespace

std::string to_string(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kOr:
      return "OR";
    case BinaryOperator::kAnd:
      return "AND";
    case BinaryOperator::kEqual:
      return "=";
    case BinaryOperator::kNotEqual:
      return "<>";
    case BinaryOperator::kLess:
      return "<";
    case BinaryOperator::kLessOrEqual:
      return "<=";
    case BinaryOperator::kGreater:
      return ">";
    case BinaryOperator::kGreaterOrEqual:
      return ">=";
    case BinaryOperator::kIsDistinctFrom:
      return "IS DISTINCT FROM";
    case BinaryOperator::kIsNotDistinctFrom:
      return "IS NOT DISTINCT FROM";
    case BinaryOperator::kConcat:
      return "||";
    case BinaryOperator::kAdd:
      return "+";
    case BinaryOperator::kSubtract:
      return "-";
    case BinaryOperator::kMultiply:
      return "*";
    case BinaryOperator::kDivide:
      return "/";
    case BinaryOperator::kModulo:
      return "%";
    case BinaryOperator::kOverlaps:
      return "OVERLAPS";
    case BinaryOperator::kContains:
      return "CONTAINS";
    case BinaryOperator::kPrecedes:
      return "PRECEDES";
    case BinaryOperator::kImmediatelyPrecedes:
      return "IMMEDIATELY PRECEDES";
    case BinaryOperator::kSucceeds:
      return "SUCCEEDS";
    case BinaryOperator::kImmediatelySucceeds:
      return "IMMEDIATELY SUCCEEDS";
    case BinaryOperator::kPeriodEquals:
      return "EQUALS";
    case BinaryOperator::kMemberOf:
      return "MEMBER OF";
    case BinaryOperator::kSubmultisetOf:
      return "SUBMULTISET OF";
    case BinaryOperator::kMultisetUnion:
      return "MULTISET UNION";
    case BinaryOperator::kMultisetIntersect:
      return "MULTISET INTERSECT";
    case BinaryOperator::kMultisetExcept:
      return "MULTISET EXCEPT";
  }
  return "";
}

int precedence_of(BinaryOperator op) {
  switch (op) {
    case BinaryOperator::kOr:
      return kOrPrecedence;
    case BinaryOperator::kAnd:
      return kAndPrecedence;
    case BinaryOperator::kIsDistinctFrom:
    case BinaryOperator::kIsNotDistinctFrom:
    case BinaryOperator::kAdd:
    case BinaryOperator::kSubtract:
      return 40;
    case BinaryOperator::kMultisetUnion:
    case BinaryOperator::kMultisetExcept:
      return 50;
    case BinaryOperator::kConcat:
    case BinaryOperator::kMultiply:
    case BinaryOperator::kDivide:
    case BinaryOperator::kModulo:
    case BinaryOperator::kMultisetIntersect:
      return 60;
    default:
      return kComparisonPrecedence;
  }
}

int precedence_of(const Expression& expression) {
  if (const auto* node = expression.as<BinaryOperation>()) return precedence_of(node->op);
  if (const auto* node = expression.as<UnaryOperation>()) {
    return node->op == UnaryOperator::kNot ? kNotPrecedence : kSignPrecedence;
  }
  if (expression.as<IsPredicate>() != nullptr) return kIsPrecedence;
  if (expression.as<QuantifiedComparison>() != nullptr) return kComparisonPrecedence;
  if (expression.as<BetweenPredicate>() != nullptr || expression.as<LikePredicate>() != nullptr ||
      expression.as<InPredicate>() != nullptr) {
    return kInPrecedence;
  }
  return kPrimaryPrecedence;
}

void SqlWriter::expression(const Expression& expression, int precedence_min) {
  bool open = precedence_of(expression) < precedence_min;
  if (open) text("(");
  std::visit(*this, expression.node);
  if (open) text(")");
}

void SqlWriter::expressions(const std::vector<ExpressionPtr>& expressions) {
  list(expressions, [&](const ExpressionPtr& each) { expression(*each); });
}

void SqlWriter::order(const std::vector<OrderItem>& items) {
  list(items, [&](const OrderItem& item) {
    expression(*item.expression);
    if (item.order == SortOrder::kDescending) text(" DESC");
    if (item.nulls == NullOrder::kFirst) text(" NULLS FIRST");
    if (item.nulls == NullOrder::kLast) text(" NULLS LAST");
  });
}

void SqlWriter::bound(const FrameBound& bound) {
  switch (bound.kind) {
    case FrameBoundKind::kUnboundedPreceding:
      return text("UNBOUNDED PRECEDING");
    case FrameBoundKind::kUnboundedFollowing:
      return text("UNBOUNDED FOLLOWING");
    case FrameBoundKind::kCurrentRow:
      return text("CURRENT ROW");
    case FrameBoundKind::kPreceding:
    case FrameBoundKind::kFollowing:
      expression(*bound.offset, kAndPrecedence + 1);
      text(bound.kind == FrameBoundKind::kPreceding ? " PRECEDING" : " FOLLOWING");
  }
}

void SqlWriter::window(const WindowSpecification& window) {
  text("(");
  std::string_view separator;
  auto separate = [&] {
    text(separator);
    separator = " ";
  };
  if (window.base_window) {
    separate();
    name(*window.base_window);
  }
  if (!window.partition_by.empty()) {
    separate();
    text("PARTITION BY ");
    expressions(window.partition_by);
  }
  if (!window.order_by.empty()) {
    separate();
    text("ORDER BY ");
    order(window.order_by);
  }
  if (window.frame) {
    separate();
    text(window.frame->unit == FrameUnit::kRows ? "ROWS " : "RANGE ");
    if (window.frame->end) text("BETWEEN ");
    bound(window.frame->start);
    if (window.frame->end) {
      text(" AND ");
      bound(*window.frame->end);
    }
  }
  text(")");
}

void SqlWriter::clauses(const CallClauses& clauses) {
  if (clauses.null_treatment == NullTreatment::kIgnore) text(" IGNORE NULLS");
  if (clauses.null_treatment == NullTreatment::kRespect) text(" RESPECT NULLS");
  if (!clauses.within_group.empty()) {
    text(" WITHIN GROUP (ORDER BY ");
    order(clauses.within_group);
    text(")");
  }
  if (clauses.filter != nullptr) {
    text(" FILTER (WHERE ");
    expression(*clauses.filter);
    text(")");
  }
  if (clauses.over == nullptr) return;
  text(" OVER ");
  const WindowSpecification& over = *clauses.over;
  if (over.base_window && over.partition_by.empty() && over.order_by.empty() && !over.frame) {
    name(*over.base_window);
  } else {
    window(over);
  }
}

void SqlWriter::operator()(const Literal& node) {
  switch (node.kind) {
    case LiteralKind::kString:
      return string(node.text);
    case LiteralKind::kBinary:
      text("x'");
      for (char c : node.text) text(fmt::format("{:02X}", static_cast<uint8_t>(c)));
      return text("'");
    case LiteralKind::kDate:
      text("DATE ");
      return string(node.text);
    case LiteralKind::kTime:
      text("TIME ");
      return string(node.text);
    case LiteralKind::kTimestamp:
      text("TIMESTAMP ");
      return string(node.text);
    case LiteralKind::kTimestampLtz:
      text("TIMESTAMP WITH LOCAL TIME ZONE ");
      return string(node.text);
    case LiteralKind::kInterval:
      text(node.negative ? "INTERVAL -" : "INTERVAL ");
      string(node.text);
      text(" ");
      return qualifier(node.interval);
    default:
      return text(node.text);
  }
}

void SqlWriter::operator()(const IntervalExpression& node) {
  text("INTERVAL (");
  expression(*node.value);
  text(") ");
  qualifier(node.interval);
}

void SqlWriter::operator()(const IntervalDifference& node) {
  int precedence = precedence_of(BinaryOperator::kSubtract);
  text("(");
  expression(*node.left, precedence);
  text(" - ");
  expression(*node.right, precedence + 1);
  text(") ");
  qualifier(node.interval);
}

void SqlWriter::operator()(const ColumnReference& node) {
  compound(node.parts);
}

void SqlWriter::operator()(const Star& node) {
  compound(node.qualifier);
  text(node.qualifier.empty() ? "*" : ".*");
}

void SqlWriter::operator()(const UnaryOperation& node) {
  if (node.op == UnaryOperator::kNot) {
    text("NOT ");
    return expression(*node.operand, kNotPrecedence);
  }
  text(node.op == UnaryOperator::kMinus ? "-" : "+");
  bool sign = node.operand->as<UnaryOperation>() != nullptr;  // never two minus signs: they start a comment
  expression(*node.operand, sign ? kPrimaryPrecedence : kSignPrecedence);
}

void SqlWriter::operator()(const BinaryOperation& node) {
  int precedence = precedence_of(node.op);
  expression(*node.left, precedence);
  text(fmt::format(" {} ", to_string(node.op)));
  expression(*node.right, precedence + 1);
}

void SqlWriter::operator()(const IsPredicate& node) {
  expression(*node.value, kIsPrecedence);
  text(node.negated ? " IS NOT " : " IS ");
  switch (node.condition) {
    case IsCondition::kNull:
      return text("NULL");
    case IsCondition::kTrue:
      return text("TRUE");
    case IsCondition::kFalse:
      return text("FALSE");
    case IsCondition::kUnknown:
      return text("UNKNOWN");
    case IsCondition::kJson:
      return text("JSON");
    case IsCondition::kJsonValue:
      return text("JSON VALUE");
    case IsCondition::kJsonObject:
      return text("JSON OBJECT");
    case IsCondition::kJsonArray:
      return text("JSON ARRAY");
    case IsCondition::kJsonScalar:
      return text("JSON SCALAR");
  }
}

void SqlWriter::operator()(const BetweenPredicate& node) {
  expression(*node.value, kInPrecedence);
  text(node.negated ? " NOT BETWEEN " : " BETWEEN ");
  if (node.symmetric) text("SYMMETRIC ");
  expression(*node.low, kInPrecedence + 1);
  text(" AND ");
  expression(*node.high, kInPrecedence + 1);
}

void SqlWriter::operator()(const LikePredicate& node) {
  expression(*node.value, kInPrecedence);
  text(node.negated ? " NOT " : " ");
  switch (node.kind) {
    case LikeKind::kLike:
      text("LIKE ");
      break;
    case LikeKind::kIlike:
      text("ILIKE ");
      break;
    case LikeKind::kRlike:
      text("RLIKE ");
      break;
    case LikeKind::kSimilarTo:
      text("SIMILAR TO ");
      break;
  }
  expression(*node.pattern, kInPrecedence + 1);
  if (node.escape == nullptr) return;
  text(" ESCAPE ");
  expression(*node.escape, kInPrecedence + 1);
}

void SqlWriter::operator()(const InPredicate& node) {
  expression(*node.value, kInPrecedence);
  text(node.negated ? " NOT IN (" : " IN (");
  node.query != nullptr ? query(*node.query) : expressions(node.list);
  text(")");
}

void SqlWriter::operator()(const QuantifiedComparison& node) {
  expression(*node.left, kComparisonPrecedence);
  text(fmt::format(" {} {} (", to_string(node.op), node.quantifier == Quantifier::kAll ? "ALL" : "SOME"));
  node.query != nullptr ? query(*node.query) : expressions(node.list);
  text(")");
}

void SqlWriter::operator()(const ExistsPredicate& node) {
  text("EXISTS (");
  query(*node.query);
  text(")");
}

void SqlWriter::operator()(const Subquery& node) {
  constexpr std::string_view kWords[] = {"", "ARRAY", "MULTISET", "MAP"};
  text(kWords[static_cast<size_t>(node.kind)]);
  text("(");
  query(*node.query);
  text(")");
}

void SqlWriter::operator()(const FunctionCall& node) {
  // The name as it was written: a built-in in back-ticks would be read as a user's function.
  list(
      node.name.parts, [&](const Identifier& part) { part.quoted ? name(part) : text(part.name); }, ".");
  if (node.niladic) return;
  text("(");
  if (node.distinct) text("DISTINCT ");
  std::string_view name_in_full =
      node.name.simple() && !node.name.parts[0].quoted ? node.name.last() : std::string_view();
  bool position = same_word(name_in_full, "POSITION");
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    const FunctionArgument& argument = node.arguments[i];
    if (i > 0) text(separator(name_in_full, i, argument.value->as<TimeUnitSymbol>() != nullptr));
    if (argument.name) {
      name(*argument.name);
      text(" => ");
    }
    expression(*argument.value, position ? kInPrecedence + 1 : 0);
  }
  if (!node.order_by.empty()) {
    text(" ORDER BY ");
    order(node.order_by);
  }
  text(")");
  clauses(node.clauses);
}

void SqlWriter::operator()(const TimeUnitSymbol& node) {
  text(to_string(node.unit));
}

void SqlWriter::operator()(const TrimCall& node) {
  constexpr std::string_view kSides[] = {"BOTH", "LEADING", "TRAILING"};
  text("TRIM(");
  text(kSides[static_cast<size_t>(node.side)]);
  if (node.characters != nullptr) {
    text(" ");
    expression(*node.characters);
  }
  text(" FROM ");
  expression(*node.value);
  text(")");
}

void SqlWriter::operator()(const CaseExpression& node) {
  text("CASE");
  if (node.operand != nullptr) {
    text(" ");
    expression(*node.operand);
  }
  for (const WhenClause& branch : node.branches) {
    text(" WHEN ");
    expressions(branch.conditions);
    text(" THEN ");
    expression(*branch.result);
  }
  if (node.otherwise != nullptr) {
    text(" ELSE ");
    expression(*node.otherwise);
  }
  text(" END");
}

void SqlWriter::operator()(const CastExpression& node) {
  text(node.is_try ? "TRY_CAST(" : "CAST(");
  expression(*node.value);
  text(" AS ");
  type(node.type);
  text(")");
}

void SqlWriter::operator()(const ArrayConstructor& node) {
  text("ARRAY[");
  expressions(node.elements);
  text("]");
}

void SqlWriter::operator()(const MultisetConstructor& node) {
  text("MULTISET[");
  expressions(node.elements);
  text("]");
}

void SqlWriter::operator()(const MapConstructor& node) {
  text("MAP[");
  expressions(node.elements);
  text("]");
}

void SqlWriter::operator()(const RowConstructor& node) {
  text(node.keyword ? "ROW(" : "(");
  expressions(node.elements);
  text(")");
}

void SqlWriter::operator()(const ElementAccess& node) {
  expression(*node.base, kPrimaryPrecedence);
  text("[");
  expression(*node.index);
  text("]");
}

void SqlWriter::operator()(const FieldAccess& node) {
  bool name_base = node.base->as<ColumnReference>() != nullptr;  // (a).b is no a.b
  if (name_base) text("(");
  expression(*node.base, kPrimaryPrecedence);
  text(name_base ? ")." : ".");
  name(node.field);
}

void SqlWriter::operator()(const Descriptor& node) {
  text("DESCRIPTOR");
  names(node.columns);
}

void SqlWriter::operator()(const TableArgument& node) {
  const auto* table = std::get_if<ExplicitTable>(&node.query->body);
  if (table == nullptr) text("(");
  query(*node.query);
  if (table == nullptr) text(")");
  if (!node.partition_by.empty()) {
    text(" PARTITION BY (");
    expressions(node.partition_by);
    text(")");
  }
  if (node.order_by.empty()) return;
  text(" ORDER BY (");
  order(node.order_by);
  text(")");
}

void SqlWriter::operator()(const DefaultArgument&) {
  text("DEFAULT");
}

std::string to_sql(const Expression& expression) {
  SqlWriter writer;
  writer.expression(expression);
  return writer.take();
}

}  // namespace yeoul::ast
