#pragma once

#include <cstdint>

#include "yeoul/sql/parser/ast_expression.h"

namespace yeoul::ast {

struct TableReference;
using TableReferencePtr = std::unique_ptr<TableReference>;

/// One of `/*+ OPTIONS('k'='v'), STATE_TTL('a'='1d') */`. Arguments of the forms NAME(a, 'b') have an empty value.
struct HintArgument {
  std::string key;
  std::optional<std::string> value;
};
struct Hint {
  Identifier name;
  std::vector<HintArgument> arguments;
};

/// `expression [[AS] alias]`; `*` and `t.*` come as a Star expression.
struct SelectItem {
  ExpressionPtr expression;
  std::optional<Identifier> alias;
};

enum class GroupingKind {
  kExpressions,   ///< `a`, or `(a, b)` as one element, or `()`.
  kRollup,        ///< Each element is kExpressions.
  kCube,          ///< Each element is kExpressions.
  kGroupingSets,  ///< Elements of any kind.
};
struct GroupingElement {
  SourcePosition position;
  GroupingKind kind = GroupingKind::kExpressions;
  std::vector<ExpressionPtr> expressions;  ///< kExpressions only.
  std::vector<GroupingElement> elements;   ///< The other kinds.
};

struct NamedWindow {
  Identifier name;
  WindowSpecification window;
};

struct Select {
  std::vector<Hint> hints;
  bool distinct = false;
  std::vector<SelectItem> items;
  TableReferencePtr from;  ///< Null: one row without columns.
  ExpressionPtr where;     ///< May be null, as having and qualify.
  bool has_group_by = false;
  std::vector<GroupingElement> group_by;
  ExpressionPtr having;
  std::vector<NamedWindow> windows;
  ExpressionPtr qualify;
};

/// `VALUES (1, 'a'), (2, 'b')`; a row without parentheses has one cell.
struct Values {
  std::vector<std::vector<ExpressionPtr>> rows;
};

enum class SetOperator { kUnion, kIntersect, kExcept };
struct SetOperation {
  SetOperator op = SetOperator::kUnion;
  bool all = false;
  QueryPtr left, right;
};

/// `TABLE t`.
struct ExplicitTable {
  CompoundIdentifier name;
};

struct CommonTableExpression {
  Identifier name;
  std::vector<Identifier> columns;
  QueryPtr query;
};

/// A query in parentheses with clauses of its own, where more clauses follow: `(SELECT … LIMIT 5) ORDER BY a`.
struct NestedQuery {
  QueryPtr query;
};

using QueryBody = std::variant<Select, Values, SetOperation, ExplicitTable, NestedQuery>;

/// A query with what may surround it. Other parentheses leave no trace than NestedQuery.
struct Query {
  SourcePosition position;
  int depth = 1;  ///< As Expression::depth.
  bool recursive = false;
  std::vector<CommonTableExpression> with;
  QueryBody body;
  std::vector<OrderItem> order_by;
  std::optional<int64_t> offset;
  std::optional<int64_t> limit;  ///< LIMIT n or FETCH FIRST n ROWS ONLY; absent for LIMIT ALL.
};

/// `t /*+ OPTIONS(…) */ FOR SYSTEM_TIME AS OF e`.
struct NamedTable {
  CompoundIdentifier name;
  std::vector<Hint> hints;
  ExpressionPtr system_time;  ///< Null without FOR SYSTEM_TIME AS OF.
};
/// `(query)`, `LATERAL (query)`, `(VALUES …)`.
struct DerivedTable {
  bool lateral = false;
  QueryPtr query;
};
/// `TABLE(f(…))`, `LATERAL TABLE(f(…))`, `f(…)`; `call` holds a FunctionCall.
struct TableFunction {
  bool lateral = false;
  ExpressionPtr call;
};
struct Unnest {
  std::vector<ExpressionPtr> collections;
  bool with_ordinality = false;
};
enum class JoinKind { kComma, kCross, kInner, kLeft, kRight, kFull, kLeftSemi, kLeftAnti };
struct Join {
  JoinKind kind = JoinKind::kInner;
  bool natural = false;
  TableReferencePtr left, right;
  ExpressionPtr on;                     ///< Null without ON.
  std::vector<Identifier> using_names;  ///< Empty without USING.
};
/// `t MATCH_RECOGNIZE (…)`: recognised, so that the binder can name it; its inside is kept as text.
struct MatchRecognize {
  TableReferencePtr input;
  std::string text;
};

/// One item of FROM, with its alias.
struct TableReference {
  SourcePosition position;
  std::variant<NamedTable, DerivedTable, TableFunction, Unnest, Join, MatchRecognize> node;
  std::optional<Identifier> alias;
  std::vector<Identifier> column_aliases;
};

/// SQL text in one line that parses to the same tree.
std::string to_sql(const Query& query);
std::string to_sql(const TableReference& table);

}  // namespace yeoul::ast
