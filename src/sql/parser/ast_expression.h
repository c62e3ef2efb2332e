#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "yeoul/sql/parser/ast_data_type.h"

namespace yeoul::ast {

struct Expression;
struct Query;
using ExpressionPtr = std::unique_ptr<Expression>;
using QueryPtr = std::unique_ptr<Query>;

enum class LiteralKind {
  kNull,
  kUnknown,      ///< The BOOLEAN null.
  kBoolean,      ///< text is "TRUE" or "FALSE".
  kInteger,      ///< Digits only, of any length; a sign is a UnaryOperation.
  kDecimal,      ///< Has a point, no exponent: "1.50", ".5", "5.".
  kApproximate,  ///< Has an exponent: "1e3".
  kString,       ///< text is the value in UTF-8, escapes resolved.
  kBinary,       ///< text is the bytes.
  kDate,
  kTime,
  kTimestamp,     ///< TIMESTAMP '…'
  kTimestampLtz,  ///< TIMESTAMP WITH LOCAL TIME ZONE '…'
  kInterval,      ///< text is what stands in the quotes.
};

/// Dates, times and intervals are kept as written: whether they are valid is for the binder to say.
struct Literal {
  LiteralKind kind = LiteralKind::kNull;
  std::string text;
  bool negative = false;       ///< kInterval only: INTERVAL -'1' DAY.
  IntervalQualifier interval;  ///< kInterval only.
};

/// `INTERVAL <number, column or (expression)> unit`, where the amount is no string literal.
struct IntervalExpression {
  ExpressionPtr value;
  IntervalQualifier interval;
};

/// `(left - right) DAY TO SECOND`: the difference of two points in time as an interval.
struct IntervalDifference {
  ExpressionPtr left, right;
  IntervalQualifier interval;
};

/// A dotted name. Which parts are table, column or nested fields is for the binder to say.
struct ColumnReference {
  std::vector<Identifier> parts;
};

/// `*` or `t.*`, in a SELECT list or COUNT(*).
struct Star {
  std::vector<Identifier> qualifier;
};

enum class UnaryOperator { kNot, kMinus, kPlus };
struct UnaryOperation {
  UnaryOperator op = UnaryOperator::kNot;
  ExpressionPtr operand;
};

enum class BinaryOperator {
  kOr,
  kAnd,
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kIsDistinctFrom,
  kIsNotDistinctFrom,
  kConcat,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kOverlaps,
  kContains,
  kPrecedes,
  kImmediatelyPrecedes,
  kSucceeds,
  kImmediatelySucceeds,
  kPeriodEquals,
  kMemberOf,
  kSubmultisetOf,
  kMultisetUnion,
  kMultisetIntersect,
  kMultisetExcept,
};
struct BinaryOperation {
  BinaryOperator op = BinaryOperator::kAnd;
  ExpressionPtr left, right;
};

enum class IsCondition { kNull, kTrue, kFalse, kUnknown, kJson, kJsonValue, kJsonObject, kJsonArray, kJsonScalar };
/// `value IS [NOT] NULL`, `IS [NOT] TRUE`, `IS [NOT] JSON OBJECT`, …
struct IsPredicate {
  ExpressionPtr value;
  IsCondition condition = IsCondition::kNull;
  bool negated = false;
};

struct BetweenPredicate {
  ExpressionPtr value, low, high;
  bool negated = false;
  bool symmetric = false;
};

enum class LikeKind { kLike, kIlike, kRlike, kSimilarTo };
struct LikePredicate {
  ExpressionPtr value, pattern;
  ExpressionPtr escape;  ///< May be null.
  LikeKind kind = LikeKind::kLike;
  bool negated = false;
};

/// `value [NOT] IN (list)` or `value [NOT] IN (query)`: `query` is null for a list.
struct InPredicate {
  ExpressionPtr value;
  std::vector<ExpressionPtr> list;
  QueryPtr query;
  bool negated = false;
};

enum class Quantifier { kSome, kAll };
/// `left op SOME|ANY|ALL (query or list)`.
struct QuantifiedComparison {
  ExpressionPtr left;
  BinaryOperator op = BinaryOperator::kEqual;
  Quantifier quantifier = Quantifier::kSome;
  std::vector<ExpressionPtr> list;
  QueryPtr query;
};

struct ExistsPredicate {
  QueryPtr query;
};

enum class SubqueryKind { kScalar, kArray, kMultiset, kMap };
/// A query as a value: `(SELECT …)`, `ARRAY(SELECT …)`, `MULTISET(SELECT …)`, `MAP(SELECT …)`.
struct Subquery {
  SubqueryKind kind = SubqueryKind::kScalar;
  QueryPtr query;
};

enum class SortOrder { kAscending, kDescending };
enum class NullOrder { kUnspecified, kFirst, kLast };
struct OrderItem {
  ExpressionPtr expression;
  SortOrder order = SortOrder::kAscending;
  NullOrder nulls = NullOrder::kUnspecified;
};

enum class FrameUnit { kRows, kRange };
enum class FrameBoundKind { kUnboundedPreceding, kPreceding, kCurrentRow, kFollowing, kUnboundedFollowing };
struct FrameBound {
  FrameBoundKind kind = FrameBoundKind::kCurrentRow;
  ExpressionPtr offset;  ///< kPreceding and kFollowing only.
};
struct WindowFrame {
  FrameUnit unit = FrameUnit::kRange;
  FrameBound start;
  std::optional<FrameBound> end;  ///< Absent where BETWEEN was not written; means CURRENT ROW.
};

/// What stands behind OVER or `WINDOW w AS`. `OVER w` has base_window alone.
struct WindowSpecification {
  SourcePosition position;
  std::optional<Identifier> base_window;
  std::vector<ExpressionPtr> partition_by;
  std::vector<OrderItem> order_by;
  std::optional<WindowFrame> frame;
};

struct FunctionArgument {
  std::optional<Identifier> name;  ///< name => value
  ExpressionPtr value;
};

enum class NullTreatment { kUnspecified, kIgnore, kRespect };
/// What may follow the parentheses of an aggregate call.
struct CallClauses {
  NullTreatment null_treatment = NullTreatment::kUnspecified;
  std::vector<OrderItem> within_group;
  ExpressionPtr filter;                       ///< FILTER (WHERE …); may be null.
  std::unique_ptr<WindowSpecification> over;  ///< May be null.
};

/// Every call with a name. Special spellings come as plain arguments: SUBSTRING(x FROM a FOR b) is (x, a, b),
/// POSITION(a IN b [FROM n]) is (a, b, n), OVERLAY(x PLACING y FROM a FOR b) is (x, y, a, b), EXTRACT(u FROM x) is (u,
/// x), FLOOR(x TO u) is (x, u), TIMESTAMPADD(u, n, x); their unit u is a TimeUnitSymbol.
struct FunctionCall {
  CompoundIdentifier name;  ///< As written, so compare the last part without case.
  std::vector<FunctionArgument> arguments;
  bool distinct = false;
  bool niladic = false;             ///< Written without parentheses: CURRENT_TIMESTAMP.
  std::vector<OrderItem> order_by;  ///< Inside the parentheses: ARRAY_AGG(x ORDER BY y).
  CallClauses clauses;
};

/// A time unit as an argument of FunctionCall.
struct TimeUnitSymbol {
  TimeUnit unit = TimeUnit::kDay;
};

enum class TrimSide { kBoth, kLeading, kTrailing };
struct TrimCall {
  TrimSide side = TrimSide::kBoth;
  ExpressionPtr characters;  ///< Null: blanks.
  ExpressionPtr value;
};

struct WhenClause {
  std::vector<ExpressionPtr> conditions;  ///< One; more only in the simple form: CASE x WHEN 1, 2 THEN …
  ExpressionPtr result;
};
struct CaseExpression {
  ExpressionPtr operand;  ///< Null in the searched form.
  std::vector<WhenClause> branches;
  ExpressionPtr otherwise;  ///< Null: NULL.
};

struct CastExpression {
  ExpressionPtr value;
  DataTypeSyntax type;
  bool is_try = false;  ///< TRY_CAST
};

struct ArrayConstructor {
  std::vector<ExpressionPtr> elements;
};
struct MultisetConstructor {
  std::vector<ExpressionPtr> elements;
};
/// `MAP[k1, v1, k2, v2]`: keys and values by turns.
struct MapConstructor {
  std::vector<ExpressionPtr> elements;
};
struct RowConstructor {
  std::vector<ExpressionPtr> elements;
  bool keyword = false;  ///< ROW(a, b) rather than (a, b).
};

/// `base[index]`: an array element, a map value, or a row field.
struct ElementAccess {
  ExpressionPtr base, index;
};
/// `base.field` where base is no plain name, as in `f(x).field` or `a[1].field`.
struct FieldAccess {
  ExpressionPtr base;
  Identifier field;
};

/// `DESCRIPTOR(a, b)`, an argument of a table function.
struct Descriptor {
  std::vector<Identifier> columns;
};
/// `TABLE t [PARTITION BY …] [ORDER BY …]` or a query, as an argument of a table function.
struct TableArgument {
  std::unique_ptr<Query> query;
  std::vector<ExpressionPtr> partition_by;
  std::vector<OrderItem> order_by;
};
/// `DEFAULT` as an argument.
struct DefaultArgument {};

enum class JsonBehavior {
  kUnspecified,
  kNull,
  kError,
  kEmptyArray,
  kEmptyObject,
  kEmpty,
  kTrue,
  kFalse,
  kUnknown,
  kDefault
};
struct JsonBehaviorClause {
  JsonBehavior behavior = JsonBehavior::kUnspecified;
  ExpressionPtr default_value;  ///< kDefault only.
};
enum class JsonOnNull { kUnspecified, kNull, kAbsent };
enum class JsonWrapper { kUnspecified, kWithout, kConditional, kUnconditional };

enum class JsonFunction { kValue, kQuery, kExists };
/// JSON_VALUE, JSON_QUERY, JSON_EXISTS.
struct JsonPathCall {
  JsonFunction function = JsonFunction::kValue;
  ExpressionPtr input, path;
  std::optional<DataTypeSyntax> returning;
  JsonWrapper wrapper = JsonWrapper::kUnspecified;  ///< kQuery only.
  JsonBehaviorClause on_empty, on_error;
};

struct JsonEntry {
  ExpressionPtr key;
  ExpressionPtr value;
  bool format_json = false;
};
struct JsonObjectConstructor {
  std::vector<JsonEntry> entries;
  JsonOnNull on_null = JsonOnNull::kUnspecified;
};
struct JsonArrayConstructor {
  std::vector<JsonEntry> elements;  ///< Keys are null.
  JsonOnNull on_null = JsonOnNull::kUnspecified;
};
/// JSON_OBJECTAGG (entry.key is set) or JSON_ARRAYAGG (entry.key is null).
struct JsonAggregate {
  JsonEntry entry;
  std::vector<OrderItem> order_by;  ///< JSON_ARRAYAGG only.
  JsonOnNull on_null = JsonOnNull::kUnspecified;
  CallClauses clauses;
};

using ExpressionNode =
    std::variant<Literal, IntervalExpression, IntervalDifference, ColumnReference, Star, UnaryOperation,
                 BinaryOperation, IsPredicate, BetweenPredicate, LikePredicate, InPredicate, QuantifiedComparison,
                 ExistsPredicate, Subquery, FunctionCall, TimeUnitSymbol, TrimCall, CaseExpression, CastExpression,
                 ArrayConstructor, MultisetConstructor, MapConstructor, RowConstructor, ElementAccess, FieldAccess,
                 Descriptor, TableArgument, DefaultArgument, JsonPathCall, JsonObjectConstructor, JsonArrayConstructor,
                 JsonAggregate>;

/// One node of an expression tree: `std::visit` on `node`, or `expression.as<Literal>()`.
struct Expression {
  Expression(SourcePosition position, ExpressionNode node);
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  template <class T>
  const T* as() const {
    return std::get_if<T>(&node);
  }
  template <class T>
  T* as() {
    return std::get_if<T>(&node);
  }

  /// The first character of the expression; of an operation with an operator behind its first operand, the operator.
  SourcePosition position;
  /// At least the levels of the tree, subqueries included. The parser bounds it (kSyntaxDepthMax), so recursion over a
  /// tree is safe.
  int depth = 1;
  ExpressionNode node;
};

/// SQL text in one line that parses to the same tree: identifiers in back-ticks, keywords in capitals, parentheses only
/// where precedence needs them.
std::string to_sql(const Expression& expression);
/// The operator as SQL writes it: "<>", "IS DISTINCT FROM".
std::string to_string(BinaryOperator op);

/// Calls `visit` for each direct sub-expression in the order of the text; subqueries are not entered.
void for_each_child(const Expression& expression, const std::function<void(const Expression&)>& visit);
/// The query that the node itself holds (IN, EXISTS, a subquery, …), or null.
const Query* subquery_of(const Expression& expression);

}  // namespace yeoul::ast
