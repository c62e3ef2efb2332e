#include <algorithm>
#include <optional>

#include "yeoul/sql/parser/precedence.h"
#include "yeoul/sql/parser/syntax_parser.h"

// Expressions but for calls: operators by precedence climbing, then what they work on.
namespace yeoul::ast {
namespace {

struct InfixOperator {
  std::string_view words[2];  // the second may be empty
  BinaryOperator op;
};

constexpr InfixOperator kWordOperators[] = {
    {{"OR"}, BinaryOperator::kOr},
    {{"AND"}, BinaryOperator::kAnd},
    {{"OVERLAPS"}, BinaryOperator::kOverlaps},
    {{"CONTAINS"}, BinaryOperator::kContains},
    {{"PRECEDES"}, BinaryOperator::kPrecedes},
    {{"SUCCEEDS"}, BinaryOperator::kSucceeds},
    {{"EQUALS"}, BinaryOperator::kPeriodEquals},
    {{"IMMEDIATELY", "PRECEDES"}, BinaryOperator::kImmediatelyPrecedes},
    {{"IMMEDIATELY", "SUCCEEDS"}, BinaryOperator::kImmediatelySucceeds},
    {{"MEMBER", "OF"}, BinaryOperator::kMemberOf},
    {{"SUBMULTISET", "OF"}, BinaryOperator::kSubmultisetOf},
    {{"MULTISET", "UNION"}, BinaryOperator::kMultisetUnion},
    {{"MULTISET", "INTERSECT"}, BinaryOperator::kMultisetIntersect},
    {{"MULTISET", "EXCEPT"}, BinaryOperator::kMultisetExcept},
};

constexpr std::pair<std::string_view, BinaryOperator> kSymbolOperators[] = {
    {"=", BinaryOperator::kEqual},        {"<>", BinaryOperator::kNotEqual}, {"<", BinaryOperator::kLess},
    {"<=", BinaryOperator::kLessOrEqual}, {">", BinaryOperator::kGreater},   {">=", BinaryOperator::kGreaterOrEqual},
    {"||", BinaryOperator::kConcat},      {"+", BinaryOperator::kAdd},       {"-", BinaryOperator::kSubtract},
    {"*", BinaryOperator::kMultiply},     {"/", BinaryOperator::kDivide},    {"%", BinaryOperator::kModulo},
};

}  // namespace

ExpressionPtr SyntaxParser::make(const SourcePosition& position, ExpressionNode node) {
  auto expression = std::make_unique<Expression>(position, std::move(node));
  int depth = 0;
  for_each_child(*expression, [&](const Expression& child) { depth = std::max(depth, child.depth); });
  if (const Query* query = subquery_of(*expression)) depth = std::max(depth, query->depth);
  expression->depth = depth + 1;
  check_depth(expression->depth, position);
  depth_seen_ = std::max(depth_seen_, expression->depth);
  return expression;
}

ExpressionPtr SyntaxParser::parse_expression(int precedence_min) {
  Nesting nesting(*this);
  ExpressionPtr left = parse_prefix();
  while (parse_infix(left, precedence_min)) {
  }
  return left;
}

ExpressionPtr SyntaxParser::parse_prefix() {
  SourcePosition position = peek().position;
  if (at_word("NOT")) {
    take();
    ExpressionPtr operand = parse_expression(kNotPrecedence);
    return make(position, UnaryOperation{UnaryOperator::kNot, std::move(operand)});
  }
  if (at_symbol("-") || at_symbol("+")) {
    UnaryOperator op = take().is_symbol("-") ? UnaryOperator::kMinus : UnaryOperator::kPlus;
    ExpressionPtr operand = parse_expression(kSignPrecedence);
    return make(position, UnaryOperation{op, std::move(operand)});
  }
  return parse_postfix(parse_primary());
}

ExpressionPtr SyntaxParser::parse_postfix(ExpressionPtr base) {
  while (true) {
    SourcePosition position = peek().position;
    if (at_symbol("[")) {
      take();
      ExpressionPtr index = parse_expression();
      expect_symbol("]");
      base = make(position, ElementAccess{std::move(base), std::move(index)});
    } else if (at_symbol(".")) {
      take();
      Identifier field = parse_name("a field name");
      base = make(position, FieldAccess{std::move(base), std::move(field)});
    } else {
      return base;
    }
  }
}

// Takes one operator and what stands to its right, if it binds tightly enough.
bool SyntaxParser::parse_infix(ExpressionPtr& left, int precedence_min) {
  if (peek().kind != TokenKind::kSymbol && peek().kind != TokenKind::kWord) return false;
  SourcePosition position = peek().position;
  std::optional<BinaryOperator> op;
  size_t length = 1;
  if (peek().kind == TokenKind::kSymbol) {
    for (const auto& [symbol, candidate] : kSymbolOperators) {
      if (at_symbol(symbol)) op = candidate;
    }
  } else {
    for (const InfixOperator& candidate : kWordOperators) {
      if (!at_word(candidate.words[0]) || (!candidate.words[1].empty() && !at_word(candidate.words[1], 1))) continue;
      op = candidate.op;
      length = candidate.words[1].empty() ? 1 : 2;
      break;
    }
  }
  if (!op) return parse_special_infix(left, precedence_min);
  int precedence = precedence_of(*op);
  if (precedence < precedence_min) return false;
  for (size_t i = 0; i < length; ++i) take();
  bool comparison = *op >= BinaryOperator::kEqual && *op <= BinaryOperator::kGreaterOrEqual;
  if (comparison && (at_word("SOME") || at_word("ANY") || at_word("ALL")) && at_symbol("(", 1)) {
    left = parse_quantified(std::move(left), *op, position);
    return true;
  }
  ExpressionPtr right = parse_expression(precedence + 1);
  left = make(position, BinaryOperation{*op, std::move(left), std::move(right)});
  return true;
}

bool SyntaxParser::parse_special_infix(ExpressionPtr& left, int precedence_min) {
  SourcePosition position = peek().position;
  if (at_word("IS")) {
    size_t ahead = at_word("NOT", 1) ? 2 : 1;
    bool distinct = at_word("DISTINCT", ahead) && at_word("FROM", ahead + 1);
    int precedence = distinct ? precedence_of(BinaryOperator::kIsDistinctFrom) : kIsPrecedence;
    if (precedence < precedence_min) return false;
    if (!distinct) {
      left = parse_is(std::move(left));
      return true;
    }
    for (size_t i = 0; i < ahead + 2; ++i) take();
    ExpressionPtr right = parse_expression(precedence + 1);
    BinaryOperator op = ahead == 2 ? BinaryOperator::kIsNotDistinctFrom : BinaryOperator::kIsDistinctFrom;
    left = make(position, BinaryOperation{op, std::move(left), std::move(right)});
    return true;
  }
  size_t ahead = at_word("NOT") ? 1 : 0;
  bool in = at_word("IN", ahead), between = at_word("BETWEEN", ahead);
  bool like = at_word("LIKE", ahead) || at_word("ILIKE", ahead) || at_word("RLIKE", ahead) ||
              (at_word("SIMILAR", ahead) && at_word("TO", ahead + 1));
  if ((!in && !between && !like) || kInPrecedence < precedence_min) return false;
  if (ahead == 1) take();
  if (in) left = parse_in(std::move(left), position, ahead == 1);
  if (between) left = parse_between(std::move(left), position, ahead == 1);
  if (like) left = parse_like(std::move(left), position, ahead == 1);
  return true;
}

ExpressionPtr SyntaxParser::parse_is(ExpressionPtr value) {
  SourcePosition position = take().position;
  IsPredicate is;
  is.value = std::move(value);
  is.negated = accept_word("NOT");
  if (accept_word("NULL")) {
    is.condition = IsCondition::kNull;
  } else if (accept_word("TRUE")) {
    is.condition = IsCondition::kTrue;
  } else if (accept_word("FALSE")) {
    is.condition = IsCondition::kFalse;
  } else if (accept_word("UNKNOWN")) {
    is.condition = IsCondition::kUnknown;
  } else if (accept_word("JSON")) {
    is.condition = accept_word("VALUE")    ? IsCondition::kJsonValue
                   : accept_word("OBJECT") ? IsCondition::kJsonObject
                   : accept_word("ARRAY")  ? IsCondition::kJsonArray
                   : accept_word("SCALAR") ? IsCondition::kJsonScalar
                                           : IsCondition::kJson;
  } else {
    fail_here("DISTINCT FROM");
  }
  return make(position, std::move(is));
}

ExpressionPtr SyntaxParser::parse_in(ExpressionPtr value, const SourcePosition& position, bool negated) {
  expect_word("IN");
  InPredicate in;
  in.value = std::move(value);
  in.negated = negated;
  if (at_symbol("(") && at_query(1)) {
    take();
    in.query = parse_query();
    expect_symbol(")");
  } else {
    in.list = parse_parenthesised_list();
    Subquery* only = in.list.size() == 1 ? in.list[0]->as<Subquery>() : nullptr;
    if (only != nullptr && only->kind == SubqueryKind::kScalar) {  // IN ((SELECT …))
      in.query = std::move(only->query);
      in.list.clear();
    }
  }
  return make(position, std::move(in));
}

ExpressionPtr SyntaxParser::parse_between(ExpressionPtr value, const SourcePosition& position, bool negated) {
  expect_word("BETWEEN");
  BetweenPredicate between;
  between.value = std::move(value);
  between.negated = negated;
  between.symmetric = accept_word("SYMMETRIC");
  if (!between.symmetric) accept_word("ASYMMETRIC");
  between.low = parse_expression(kInPrecedence + 1);
  expect_word("AND");
  between.high = parse_expression(kInPrecedence + 1);
  return make(position, std::move(between));
}

ExpressionPtr SyntaxParser::parse_like(ExpressionPtr value, const SourcePosition& position, bool negated) {
  LikePredicate like;
  like.value = std::move(value);
  like.negated = negated;
  Token token = take();
  like.kind = token.is_word("LIKE")    ? LikeKind::kLike
              : token.is_word("ILIKE") ? LikeKind::kIlike
              : token.is_word("RLIKE") ? LikeKind::kRlike
                                       : LikeKind::kSimilarTo;
  if (like.kind == LikeKind::kSimilarTo) expect_word("TO");
  like.pattern = parse_expression(kInPrecedence + 1);
  if (accept_word("ESCAPE")) like.escape = parse_expression(kInPrecedence + 1);
  return make(position, std::move(like));
}

ExpressionPtr SyntaxParser::parse_quantified(ExpressionPtr left, BinaryOperator op, const SourcePosition& position) {
  QuantifiedComparison comparison;
  comparison.left = std::move(left);
  comparison.op = op;
  comparison.quantifier = take().is_word("ALL") ? Quantifier::kAll : Quantifier::kSome;
  if (at_query(1)) {
    expect_symbol("(");
    comparison.query = parse_query();
    expect_symbol(")");
  } else {
    comparison.list = parse_parenthesised_list();
  }
  return make(position, std::move(comparison));
}

std::vector<ExpressionPtr> SyntaxParser::parse_expression_list() {
  std::vector<ExpressionPtr> list;
  do {
    list.push_back(parse_expression());
  } while (accept_symbol(","));
  return list;
}

std::vector<ExpressionPtr> SyntaxParser::parse_parenthesised_list() {
  expect_symbol("(");
  std::vector<ExpressionPtr> list = parse_expression_list();
  expect_symbol(")");
  return list;
}

ExpressionPtr SyntaxParser::parse_primary() {
  switch (peek().kind) {
    case TokenKind::kString:
    case TokenKind::kUnicodeString:
    case TokenKind::kBinaryString:
    case TokenKind::kInteger:
    case TokenKind::kDecimal:
    case TokenKind::kApproximate:
      return parse_literal();
    case TokenKind::kQuotedName:
      return parse_name_or_call();
    case TokenKind::kWord:
      return parse_keyword_primary();
    default:
      if (at_symbol("(")) return parse_parenthesised();
      if (at_symbol("{")) return parse_braces();
      fail_here("an expression");
  }
}

ExpressionPtr SyntaxParser::parse_keyword_primary() {
  TokenKind next = peek(1).kind;
  bool string_next = next == TokenKind::kString || next == TokenKind::kUnicodeString;
  bool zoned = at_words({"TIMESTAMP", "WITH", "LOCAL", "TIME", "ZONE"});
  bool date_time = at_word("DATE") || at_word("TIME") || at_word("TIMESTAMP");
  if (at_word("NULL") || at_word("TRUE") || at_word("FALSE") || at_word("UNKNOWN") || zoned ||
      (date_time && string_next)) {
    return parse_literal();
  }
  if (at_word("INTERVAL")) return parse_interval();
  if (at_word("CASE")) return parse_case();
  if (at_word("EXISTS")) return parse_exists();
  bool open = at_symbol("(", 1), bracket = at_symbol("[", 1);
  if ((at_word("CAST") || at_word("TRY_CAST")) && open) return parse_cast();
  bool collection = at_word("ARRAY") || at_word("MAP") || at_word("MULTISET");
  if ((at_word("ROW") && open) || (collection && (bracket || (open && at_query(2))))) return parse_collection();
  if (open) {
    if (ExpressionPtr call = parse_special_call()) return call;
  }
  return parse_name_or_call();
}

ExpressionPtr SyntaxParser::parse_literal() {
  SourcePosition position = peek().position;
  Literal literal;
  if (peek().kind == TokenKind::kString || peek().kind == TokenKind::kUnicodeString) {
    literal.kind = LiteralKind::kString;
    literal.text = parse_string("a string");
    return make(position, std::move(literal));
  }
  Token token = take();
  switch (token.kind) {
    case TokenKind::kInteger:
      literal.kind = LiteralKind::kInteger;
      break;
    case TokenKind::kDecimal:
      literal.kind = LiteralKind::kDecimal;
      break;
    case TokenKind::kApproximate:
      literal.kind = LiteralKind::kApproximate;
      break;
    case TokenKind::kBinaryString: {
      literal.kind = LiteralKind::kBinary;
      auto digit = [&](char c) -> int {
        size_t value = std::string_view("0123456789ABCDEFabcdef").find(c);
        if (value == std::string_view::npos) fail_at(position, "x'…' holds hexadecimal digits only");
        return static_cast<int>(value < 16 ? value : value - 6);
      };
      if (token.text.size() % 2 != 0) fail_at(position, "x'…' holds an even number of hexadecimal digits");
      for (size_t i = 0; i < token.text.size(); i += 2) {
        literal.text += static_cast<char>(digit(token.text[i]) << 4 | digit(token.text[i + 1]));
      }
      return make(position, std::move(literal));
    }
    default:
      if (token.is_word("NULL")) literal.kind = LiteralKind::kNull;
      if (token.is_word("UNKNOWN")) literal.kind = LiteralKind::kUnknown;
      if (token.is_word("TRUE") || token.is_word("FALSE")) literal.kind = LiteralKind::kBoolean;
      if (token.is_word("DATE")) literal.kind = LiteralKind::kDate;
      if (token.is_word("TIME")) literal.kind = LiteralKind::kTime;
      if (token.is_word("TIMESTAMP")) {
        literal.kind = LiteralKind::kTimestamp;
        if (accept_words({"WITH", "LOCAL", "TIME", "ZONE"})) literal.kind = LiteralKind::kTimestampLtz;
      }
      if (literal.kind >= LiteralKind::kDate) {
        literal.text = parse_string("a string");
        return make(position, std::move(literal));
      }
  }
  literal.text = std::move(token.text);
  return make(position, std::move(literal));
}

ExpressionPtr SyntaxParser::parse_interval() {
  SourcePosition position = take().position;
  bool negative = false;
  if (at_symbol("-") || at_symbol("+")) negative = take().is_symbol("-");
  if (peek().kind == TokenKind::kString) {
    Literal literal;
    literal.kind = LiteralKind::kInterval;
    literal.negative = negative;
    literal.text = parse_string("a string");
    literal.interval = parse_interval_qualifier();
    return make(position, std::move(literal));
  }
  SourcePosition value_position = peek().position;
  ExpressionPtr value;
  if (at_symbol("(")) {
    value = parse_parenthesised();
  } else if (peek().kind == TokenKind::kInteger || peek().kind == TokenKind::kDecimal) {
    value = parse_literal();
  } else if (at_name()) {
    value = make(value_position, ColumnReference{parse_compound_name("a name").parts});
  } else {
    fail_here("the interval's amount in quotes");
  }
  if (negative) value = make(value_position, UnaryOperation{UnaryOperator::kMinus, std::move(value)});
  IntervalQualifier qualifier = parse_interval_qualifier();
  return make(position, IntervalExpression{std::move(value), qualifier});
}

std::optional<TimeUnit> SyntaxParser::time_unit_at(size_t ahead) const {
  static constexpr std::pair<std::string_view, TimeUnit> kUnits[] = {
      {"YEAR", TimeUnit::kYear},
      {"YEARS", TimeUnit::kYear},
      {"QUARTER", TimeUnit::kQuarter},
      {"QUARTERS", TimeUnit::kQuarter},
      {"MONTH", TimeUnit::kMonth},
      {"MONTHS", TimeUnit::kMonth},
      {"WEEK", TimeUnit::kWeek},
      {"WEEKS", TimeUnit::kWeek},
      {"DAY", TimeUnit::kDay},
      {"DAYS", TimeUnit::kDay},
      {"HOUR", TimeUnit::kHour},
      {"HOURS", TimeUnit::kHour},
      {"MINUTE", TimeUnit::kMinute},
      {"MINUTES", TimeUnit::kMinute},
      {"SECOND", TimeUnit::kSecond},
      {"SECONDS", TimeUnit::kSecond},
      {"MILLISECOND", TimeUnit::kMillisecond},
      {"MICROSECOND", TimeUnit::kMicrosecond},
      {"NANOSECOND", TimeUnit::kNanosecond},
      {"DOW", TimeUnit::kDow},
      {"ISODOW", TimeUnit::kIsoDow},
      {"DOY", TimeUnit::kDoy},
      {"ISOYEAR", TimeUnit::kIsoYear},
      {"EPOCH", TimeUnit::kEpoch},
      {"DECADE", TimeUnit::kDecade},
      {"CENTURY", TimeUnit::kCentury},
      {"MILLENNIUM", TimeUnit::kMillennium},
  };
  const Token& token = peek(ahead);
  if (token.kind != TokenKind::kWord) return std::nullopt;
  std::string_view word = token.text;
  if (word.starts_with("SQL_TSI_")) word.remove_prefix(8);
  for (const auto& [name, unit] : kUnits) {
    if (word == name) return unit;
  }
  return std::nullopt;
}

TimeUnit SyntaxParser::parse_time_unit() {
  std::optional<TimeUnit> unit = time_unit_at();
  if (!unit) fail_here("a time unit such as DAY");
  take();
  return *unit;
}

IntervalQualifier SyntaxParser::parse_interval_qualifier() {
  constexpr int kDigitsMax = 1000;
  IntervalQualifier qualifier;
  qualifier.position = peek().position;
  qualifier.start = parse_time_unit();
  if (accept_symbol("(")) {
    qualifier.leading_precision = static_cast<int>(parse_integer("a number of digits", kDigitsMax));
    if (qualifier.start == TimeUnit::kSecond && accept_symbol(",")) {
      qualifier.fractional_precision = static_cast<int>(parse_integer("a number of digits", kDigitsMax));
    }
    expect_symbol(")");
  }
  if (accept_word("TO")) {
    qualifier.end = parse_time_unit();
    if (*qualifier.end == TimeUnit::kSecond && accept_symbol("(")) {
      qualifier.fractional_precision = static_cast<int>(parse_integer("a number of digits", kDigitsMax));
      expect_symbol(")");
    }
  }
  return qualifier;
}

ExpressionPtr SyntaxParser::parse_parenthesised() {
  SourcePosition position = take().position;
  if (at_query()) {
    QueryPtr query = parse_query();
    expect_symbol(")");
    return make(position, Subquery{SubqueryKind::kScalar, std::move(query)});
  }
  ExpressionPtr first = parse_expression();
  Subquery* subquery = first->as<Subquery>();
  if (subquery != nullptr && subquery->kind == SubqueryKind::kScalar && at_query_clause()) {
    QueryPtr query = parse_query_after(std::move(subquery->query));  // ((SELECT …) UNION …)
    expect_symbol(")");
    return make(position, Subquery{SubqueryKind::kScalar, std::move(query)});
  }
  if (!at_symbol(",")) {
    expect_symbol(")");
    BinaryOperation* minus = first->as<BinaryOperation>();
    bool unit = time_unit_at() && !at_name();  // WEEK and the like may be an alias
    if (!unit || minus == nullptr || minus->op != BinaryOperator::kSubtract) return first;
    IntervalDifference difference{std::move(minus->left), std::move(minus->right), parse_interval_qualifier()};
    return make(position, std::move(difference));
  }
  RowConstructor row;
  row.elements.push_back(std::move(first));
  while (accept_symbol(",")) row.elements.push_back(parse_expression());
  expect_symbol(")");
  return make(position, std::move(row));
}

// JDBC's spellings: {d '…'}, {t '…'}, {ts '…'}, {fn f(x)}.
ExpressionPtr SyntaxParser::parse_braces() {
  SourcePosition position = take().position;
  ExpressionPtr result;
  if (accept_word("FN")) {
    result = parse_primary();
  } else {
    Literal literal;
    if (accept_word("D")) {
      literal.kind = LiteralKind::kDate;
    } else if (accept_word("T")) {
      literal.kind = LiteralKind::kTime;
    } else {
      expect_word("TS");
      literal.kind = LiteralKind::kTimestamp;
    }
    literal.text = parse_string("a string");
    result = make(position, std::move(literal));
  }
  expect_symbol("}");
  return result;
}

ExpressionPtr SyntaxParser::parse_case() {
  SourcePosition position = take().position;
  CaseExpression result;
  if (!at_word("WHEN")) result.operand = parse_expression();
  while (accept_word("WHEN")) {
    WhenClause branch;
    branch.conditions.push_back(parse_expression());
    while (result.operand != nullptr && accept_symbol(",")) branch.conditions.push_back(parse_expression());
    expect_word("THEN");
    branch.result = parse_expression();
    result.branches.push_back(std::move(branch));
  }
  if (result.branches.empty()) fail_here();
  if (accept_word("ELSE")) result.otherwise = parse_expression();
  expect_word("END");
  return make(position, std::move(result));
}

ExpressionPtr SyntaxParser::parse_cast() {
  Token name = take();
  CastExpression cast;
  cast.is_try = name.is_word("TRY_CAST");
  expect_symbol("(");
  cast.value = parse_expression();
  expect_word("AS");
  cast.type = parse_data_type();
  expect_symbol(")");
  return make(name.position, std::move(cast));
}

ExpressionPtr SyntaxParser::parse_exists() {
  SourcePosition position = take().position;
  expect_symbol("(");
  QueryPtr query = parse_query();
  expect_symbol(")");
  return make(position, ExistsPredicate{std::move(query)});
}

// ARRAY[…], MAP[…], MULTISET[…], ROW(…), and ARRAY, MAP, MULTISET of a query.
ExpressionPtr SyntaxParser::parse_collection() {
  Token name = take();
  bool bracket = at_symbol("[");
  if (!name.is_word("ROW") && !bracket) {
    expect_symbol("(");
    QueryPtr query = parse_query();
    expect_symbol(")");
    SubqueryKind kind = name.is_word("ARRAY")      ? SubqueryKind::kArray
                        : name.is_word("MULTISET") ? SubqueryKind::kMultiset
                                                   : SubqueryKind::kMap;
    return make(name.position, Subquery{kind, std::move(query)});
  }
  std::vector<ExpressionPtr> elements;
  if (!bracket) {
    elements = parse_parenthesised_list();
    return make(name.position, RowConstructor{std::move(elements), true});
  }
  take();
  if (!at_symbol("]")) elements = parse_expression_list();
  expect_symbol("]");
  if (name.is_word("ARRAY")) return make(name.position, ArrayConstructor{std::move(elements)});
  if (name.is_word("MULTISET")) return make(name.position, MultisetConstructor{std::move(elements)});
  if (elements.size() % 2 != 0) fail_at(name.position, "MAP[…] takes keys and values by turns, so an even number");
  return make(name.position, MapConstructor{std::move(elements)});
}

}  // namespace yeoul::ast
