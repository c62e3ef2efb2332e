#include "yeoul/sql/functions/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "yeoul/sql/functions/registry.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

ExpressionPtr make_input_ref(int index, const LogicalType& type) {
  auto e = std::make_shared<Expression>();
  e->kind = Expression::Kind::kInputRef;
  e->type = type;
  e->index = index;
  return e;
}

ExpressionPtr make_literal(const LogicalType& type, Value value) {
  auto e = std::make_shared<Expression>();
  e->kind = Expression::Kind::kLiteral;
  e->type = type;
  e->value = std::move(value);
  return e;
}

ExpressionPtr make_kernel_call(std::string_view name, LogicalType type, Kernel kernel, Arguments arguments,
                               bool can_fail, bool deterministic) {
  auto e = std::make_shared<Expression>();
  e->kind = Expression::Kind::kCall;
  e->name = name;
  e->type = std::move(type);
  e->kernel = kernel;
  e->can_fail = can_fail;
  e->deterministic = deterministic;
  for (const ExpressionPtr& argument : arguments) {
    e->can_fail |= argument->can_fail;
    e->deterministic &= argument->deterministic;
  }
  e->arguments = std::move(arguments);
  return e;
}

ExpressionPtr make_node(Expression::Kind kind, std::string_view name, LogicalType type, Arguments arguments) {
  auto e = std::make_shared<Expression>(
      *make_kernel_call(name, std::move(type), nullptr, std::move(arguments), false, true));
  e->kind = kind;
  return e;
}

namespace {

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

std::string literal_text(const Expression& e) {
  if (e.value.is_null())
    return e.type.is(TypeRoot::kNull) ? "NULL" : fmt::format("NULL:{}", e.type.as_nullable().to_string());
  const std::string text = value_text(e.type, e.value, TimeZone());
  switch (e.type.root()) {
    case TypeRoot::kChar:
    case TypeRoot::kVarchar:
      return quoted(text);
    case TypeRoot::kDate:
      return fmt::format("DATE '{}'", text);
    case TypeRoot::kTime:
      return fmt::format("TIME '{}'", text);
    case TypeRoot::kTimestamp:
      return fmt::format("TIMESTAMP '{}'", text);
    case TypeRoot::kTimestampLtz:
      return fmt::format("TIMESTAMP_LTZ '{} UTC'", text);
    case TypeRoot::kIntervalDayTime:
    case TypeRoot::kIntervalYearMonth:
      return fmt::format("INTERVAL '{}'", text);
    default:
      return text;
  }
}

bool is_infix(std::string_view name, size_t num_arguments) {
  static const std::set<std::string_view> kInfix = {"+",
                                                    "-",
                                                    "*",
                                                    "/",
                                                    "%",
                                                    "=",
                                                    "<>",
                                                    "<",
                                                    "<=",
                                                    ">",
                                                    ">=",
                                                    "||",
                                                    "AND",
                                                    "OR",
                                                    "LIKE",
                                                    "NOT LIKE",
                                                    "SIMILAR TO",
                                                    "IS DISTINCT FROM",
                                                    "IS NOT DISTINCT FROM"};
  return num_arguments >= 2 && kInfix.contains(name);
}

std::string joined(const std::vector<ExpressionPtr>& arguments, size_t first, std::string_view separator,
                   std::span<const std::string> names) {
  std::string text;
  for (size_t i = first; i < arguments.size(); ++i) {
    if (i > first) text += separator;
    text += arguments[i]->to_string(names);
  }
  return text;
}

std::string case_text(const Expression& e, std::span<const std::string> names) {
  std::string text = "CASE";
  for (size_t i = 0; i + 1 < e.arguments.size(); i += 2) {
    text += fmt::format(" WHEN {} THEN {}", e.arguments[i]->to_string(names), e.arguments[i + 1]->to_string(names));
  }
  return text + fmt::format(" ELSE {} END", e.arguments.back()->to_string(names));
}

std::string call_text(const Expression& e, std::span<const std::string> names) {
  if (is_infix(e.name, e.arguments.size())) {
    return fmt::format("({})", joined(e.arguments, 0, fmt::format(" {} ", e.name), names));
  }
  if (e.arguments.size() == 1) {
    const std::string argument = e.arguments[0]->to_string(names);
    if (e.name == "NOT") return fmt::format("NOT {}", argument);
    if (e.name == "-") return fmt::format("-{}", argument);
    if (e.name.starts_with("IS ")) return fmt::format("{} {}", argument, e.name);
    if (e.name.starts_with(".")) return argument + e.name;
  }
  if ((e.name == "IN" || e.name == "NOT IN") && e.arguments.size() > 1) {
    return fmt::format("{} {} ({})", e.arguments[0]->to_string(names), e.name, joined(e.arguments, 1, ", ", names));
  }
  if (e.name == "[]") return fmt::format("{}[{}]", e.arguments[0]->to_string(names), e.arguments[1]->to_string(names));
  if (e.name == "ARRAY" || e.name == "MAP") return fmt::format("{}[{}]", e.name, joined(e.arguments, 0, ", ", names));
  return fmt::format("{}({})", e.name, joined(e.arguments, 0, ", ", names));
}

void collect_inputs(const Expression& e, std::set<int>& columns) {
  if (e.kind == Expression::Kind::kInputRef) columns.insert(e.index);
  for (const ExpressionPtr& argument : e.arguments) collect_inputs(*argument, columns);
}

}  // namespace

std::string Expression::to_string(std::span<const std::string> column_names) const {
  switch (kind) {
    case Kind::kInputRef:
      if (static_cast<size_t>(index) < column_names.size()) return column_names[static_cast<size_t>(index)];
      return fmt::format("${}", index);
    case Kind::kLiteral:
      return literal_text(*this);
    case Kind::kCast:
    case Kind::kTryCast:
      return fmt::format("{}({} AS {})", kind == Kind::kCast ? "CAST" : "TRY_CAST",
                         arguments[0]->to_string(column_names), type.as_nullable().to_string());
    case Kind::kCase:
      return case_text(*this, column_names);
    case Kind::kCoalesce:
      return fmt::format("COALESCE({})", joined(arguments, 0, ", ", column_names));
    case Kind::kAnd:
      return fmt::format("({})", joined(arguments, 0, " AND ", column_names));
    case Kind::kOr:
      return fmt::format("({})", joined(arguments, 0, " OR ", column_names));
    case Kind::kCall:
      return call_text(*this, column_names);
  }
  return {};
}

std::vector<int> input_columns(std::span<const ExpressionPtr> expressions) {
  std::set<int> columns;
  for (const ExpressionPtr& e : expressions) collect_inputs(*e, columns);
  return {columns.begin(), columns.end()};
}

ExpressionPtr substitute(const ExpressionPtr& expression, std::span<const ExpressionPtr> replacements) {
  if (expression->kind == Expression::Kind::kInputRef) {
    YEOUL_CHECK(static_cast<size_t>(expression->index) < replacements.size(), "input {} of {}", expression->index,
                replacements.size());
    return replacements[static_cast<size_t>(expression->index)];
  }
  if (expression->arguments.empty()) return expression;
  auto copy = std::make_shared<Expression>(*expression);
  bool changed = false;
  for (ExpressionPtr& argument : copy->arguments) {
    ExpressionPtr replaced = substitute(argument, replacements);
    changed |= replaced != argument;
    copy->can_fail |= replaced->can_fail;
    copy->deterministic &= replaced->deterministic;
    argument = std::move(replaced);
  }
  return changed ? ExpressionPtr(copy) : expression;
}

}  // namespace yeoul
