#include "yeoul/sql/binder/expression_binder.h"

#include <algorithm>
#include <cctype>

#include "yeoul/sql/binder/literal.h"

namespace yeoul {
namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

ExpressionPtr text_literal(std::string_view text) {
  return make_literal(LogicalType::string().not_null(), Value(std::string(text)));
}

}  // namespace

std::vector<std::string> Scope::names() const {
  std::vector<std::string> out;
  for (const ScopeColumn& column : columns) out.push_back(column.name);
  return out;
}

void add_position(Error& error, const ast::SourcePosition& position) {
  if (!error.message().starts_with("line ")) {
    error.add_context(fmt::format("line {}, column {}", position.line, position.column));
  }
}

bool has_aggregate(const ast::Expression& expression) {
  if (const auto* call = expression.as<ast::FunctionCall>()) {
    if (call->name.simple() && !call->clauses.over && is_aggregate_function(upper(call->name.last()))) return true;
  }
  bool found = false;
  ast::for_each_child(expression, [&](const ast::Expression& child) { found = found || has_aggregate(child); });
  return found;
}

bool same_expression(const Expression& a, const Expression& b) {
  if (a.kind != b.kind || a.index != b.index || a.name != b.name || !(a.type == b.type) || !(a.value == b.value) ||
      a.arguments.size() != b.arguments.size() || !a.deterministic || !b.deterministic) {
    return false;
  }
  for (size_t i = 0; i < a.arguments.size(); ++i) {
    if (!same_expression(*a.arguments[i], *b.arguments[i])) return false;
  }
  return true;
}

namespace {

/// A CAST takes the largest precision there is where more is asked for, as Calcite does.
ast::DataTypeSyntax within_limits(const ast::DataTypeSyntax& syntax) {
  ast::DataTypeSyntax out = syntax;
  if (out.kind == ast::TypeSyntaxKind::kDecimal && out.precision) out.precision = std::min(*out.precision, 38);
  return out;
}

bool is_zero_literal(const Expression& expression) {
  if (expression.kind != Expression::Kind::kLiteral || expression.value.is_null()) return false;
  if (expression.type.is_integer()) return expression.value.integer() == 0;
  return expression.type.is_approximate() && expression.value.real() == 0;
}

std::string_view json_behavior(ast::JsonBehavior behavior, std::string_view unspecified) {
  switch (behavior) {
    case ast::JsonBehavior::kUnspecified:
      return unspecified;
    case ast::JsonBehavior::kNull:
      return "NULL";
    case ast::JsonBehavior::kError:
      return "ERROR";
    case ast::JsonBehavior::kEmpty:
    case ast::JsonBehavior::kEmptyArray:
      return "EMPTY ARRAY";
    case ast::JsonBehavior::kEmptyObject:
      return "EMPTY OBJECT";
    case ast::JsonBehavior::kTrue:
      return "TRUE";
    case ast::JsonBehavior::kFalse:
      return "FALSE";
    case ast::JsonBehavior::kUnknown:
      return "UNKNOWN";
    case ast::JsonBehavior::kDefault:
      return "DEFAULT";
  }
  return unspecified;
}

std::string_view json_wrapper(ast::JsonWrapper wrapper) {
  return wrapper == ast::JsonWrapper::kUnconditional ? "UNCONDITIONAL"
         : wrapper == ast::JsonWrapper::kConditional ? "CONDITIONAL"
                                                     : "WITHOUT";
}

std::string_view json_kind(ast::IsCondition condition) {
  return condition == ast::IsCondition::kJsonObject   ? "OBJECT"
         : condition == ast::IsCondition::kJsonArray  ? "ARRAY"
         : condition == ast::IsCondition::kJsonScalar ? "SCALAR"
                                                      : "VALUE";
}

}  // namespace

/// One overload per kind of node.
struct ExpressionBinder::Visitor {
  ExpressionBinder& binder;
  const ast::Expression& node;

  const ast::SourcePosition& position() const { return node.position; }
  ExpressionPtr bind(const ast::ExpressionPtr& child) const { return binder.bind(*child); }
  std::vector<ExpressionPtr> bind_all(const std::vector<ast::ExpressionPtr>& children) const {
    std::vector<ExpressionPtr> out;
    for (const ast::ExpressionPtr& child : children) out.push_back(bind(child));
    return out;
  }
  ExpressionPtr negate_if(bool negated, ExpressionPtr expression) const {
    return negated ? make_call("NOT", {std::move(expression)}) : expression;
  }
  [[noreturn]] ExpressionPtr unsupported(std::string_view what) const {
    throw bind_error(1199, position(), "{} is not supported yet", what);
  }

  ExpressionPtr operator()(const ast::Literal& literal) const { return bind_literal(literal, position()); }

  ExpressionPtr operator()(const ast::IntervalExpression& interval) const {
    return make_call("*", {make_literal(interval_type(interval.interval).not_null(),
                                        Value(interval_unit_size(interval.interval.start))),
                           bind(interval.value)});
  }

  ExpressionPtr operator()(const ast::IntervalDifference& difference) const {
    return make_call("MINUS_DATE", {bind(difference.left), bind(difference.right),
                                    make_literal(interval_type(difference.interval), Value())});
  }

  ExpressionPtr operator()(const ast::ColumnReference& reference) const {
    const auto& columns = binder.scope_.columns;
    const auto find = [&](std::string_view table, std::string_view name) {
      int found = -1;
      for (size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].name != name || (!table.empty() && columns[i].table != table)) continue;
        if (found >= 0) throw bind_error(1109, position(), "column '{}' is ambiguous", name);
        found = static_cast<int>(i);
      }
      return found;
    };
    size_t used = 0;
    int index = -1;
    if (reference.parts.size() >= 2) {
      index = find(reference.parts[0].name, reference.parts[1].name);
      used = 2;
    }
    if (index < 0) {
      index = find("", reference.parts[0].name);
      used = 1;
    }
    if (index < 0 && reference.parts.size() == 1 && upper(reference.parts[0].name) == "PI") return make_call("PI", {});
    if (index < 0) throw no_column(reference);
    ExpressionPtr out = make_input_ref(index, columns[static_cast<size_t>(index)].type);
    for (; used < reference.parts.size(); ++used) out = field(out, reference.parts[used]);
    return out;
  }

  Error no_column(const ast::ColumnReference& reference) const {
    std::string whole;
    for (const ast::Identifier& part : reference.parts) whole += (whole.empty() ? "" : ".") + part.name;
    const std::vector<std::string> names = binder.scope_.names();
    const std::string near = nearest_name(reference.parts.back().name, names);
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    return bind_error(1102, position(), "column '{}' not found in any table{}{}", whole,
                      near.empty() ? "" : fmt::format("; did you mean '{}'?", near),
                      known.empty() ? "" : fmt::format("; columns here: {}", known));
  }

  ExpressionPtr field(const ExpressionPtr& row, const ast::Identifier& name) const {
    if (row->type.is(TypeRoot::kRow)) {
      const std::vector<RowField>& fields = row->type.fields();
      for (size_t i = 0; i < fields.size(); ++i) {
        if (fields[i].name == name.name) return make_field_access(row, static_cast<int>(i));
      }
      // Flink finds a ROW's fields whatever their case.
      for (size_t i = 0; i < fields.size(); ++i) {
        if (upper(fields[i].name) == upper(name.name)) return make_field_access(row, static_cast<int>(i));
      }
    }
    throw bind_error(1102, name.position, "{} has no field '{}'", row->type.to_string(), name.name);
  }

  ExpressionPtr operator()(const ast::Star&) const {
    throw bind_error(1111, position(), "'*' stands only in a SELECT list or in COUNT(*)");
  }

  ExpressionPtr operator()(const ast::UnaryOperation& unary) const {
    if (unary.op == ast::UnaryOperator::kNot) return make_call("NOT", {bind(unary.operand)});
    if (unary.op == ast::UnaryOperator::kPlus) return bind(unary.operand);
    if (const auto* literal = unary.operand->as<ast::Literal>()) {
      if (literal->kind == ast::LiteralKind::kInteger || literal->kind == ast::LiteralKind::kDecimal) {
        return bind_literal(*literal, position(), true);
      }
    }
    ExpressionPtr operand = bind(unary.operand);
    // A constant has no negative zero, as Calcite's DECIMALs have none.
    if (unary.operand->as<ast::Literal>() && is_zero_literal(*operand)) return operand;
    return make_call("-", {std::move(operand)});
  }

  ExpressionPtr operator()(const ast::BinaryOperation& binary) const {
    ExpressionPtr left = bind(binary.left);
    ExpressionPtr right = bind(binary.right);
    // Calcite folds constants, DOUBLEs too, as DECIMALs.
    const bool approximate = left->type.is_approximate() || right->type.is_approximate();
    if (binary.op == ast::BinaryOperator::kDivide && approximate && left->kind == Expression::Kind::kLiteral &&
        !left->value.is_null() && is_zero_literal(*right)) {
      throw bind_error(1121, position(), "Division by zero");
    }
    return make_call(ast::to_string(binary.op), {std::move(left), std::move(right)});
  }

  ExpressionPtr operator()(const ast::IsPredicate& predicate) const {
    static constexpr std::string_view kNames[] = {"NULL", "TRUE", "FALSE", "UNKNOWN"};
    if (predicate.condition >= ast::IsCondition::kJson) {
      return negate_if(predicate.negated,
                       make_call("IS JSON", {bind(predicate.value), text_literal(json_kind(predicate.condition))}));
    }
    return make_call(
        fmt::format("IS {}{}", predicate.negated ? "NOT " : "", kNames[static_cast<int>(predicate.condition)]),
        {bind(predicate.value)});
  }

  ExpressionPtr operator()(const ast::BetweenPredicate& between) const {
    const ExpressionPtr value = bind(between.value);
    const ExpressionPtr low = bind(between.low);
    const ExpressionPtr high = bind(between.high);
    ExpressionPtr out = make_call("BETWEEN", {value, low, high});
    if (between.symmetric) out = make_call("OR", {out, make_call("BETWEEN", {value, high, low})});
    return negate_if(between.negated, std::move(out));
  }

  ExpressionPtr operator()(const ast::LikePredicate& like) const {
    static constexpr std::string_view kNames[] = {"LIKE", "ILIKE", "RLIKE", "SIMILAR TO"};
    std::vector<ExpressionPtr> arguments{bind(like.value), bind(like.pattern)};
    if (like.escape) arguments.push_back(bind(like.escape));
    return negate_if(like.negated, make_call(kNames[static_cast<int>(like.kind)], std::move(arguments)));
  }

  ExpressionPtr operator()(const ast::InPredicate& in) const {
    if (in.query) unsupported("IN (query)");
    std::vector<ExpressionPtr> arguments{bind(in.value)};
    for (const ast::ExpressionPtr& item : in.list) arguments.push_back(bind(item));
    return negate_if(in.negated, make_call("IN", std::move(arguments)));
  }

  ExpressionPtr operator()(const ast::QuantifiedComparison&) const {
    unsupported("a comparison with SOME, ANY or ALL");
  }
  ExpressionPtr operator()(const ast::ExistsPredicate&) const { unsupported("EXISTS"); }
  ExpressionPtr operator()(const ast::Subquery&) const { unsupported("a query as a value"); }

  ExpressionPtr operator()(const ast::FunctionCall& call) const {
    if (!call.name.simple()) unsupported(fmt::format("function {}", ast::to_sql(call.name)));
    const std::string name = upper(call.name.last());
    if (call.clauses.over) unsupported("OVER");
    if (!call.clauses.within_group.empty() || !call.order_by.empty()) unsupported("ORDER BY in an aggregate");
    if (call.clauses.null_treatment != ast::NullTreatment::kUnspecified) unsupported("IGNORE NULLS and RESPECT NULLS");
    for (const ast::FunctionArgument& argument : call.arguments) {
      if (argument.name) unsupported("a named argument");
    }
    if (is_aggregate_function(name)) return aggregate(name, call);
    if (call.distinct || call.clauses.filter) {
      throw bind_error(1111, position(), "DISTINCT and FILTER need an aggregate function; {} is none", name);
    }
    std::vector<ExpressionPtr> arguments;
    for (const ast::FunctionArgument& argument : call.arguments) arguments.push_back(bind(argument.value));
    return make_call(name, std::move(arguments));
  }

  ExpressionPtr aggregate(const std::string& name, const ast::FunctionCall& call) const {
    if (binder.aggregates_ == nullptr) {
      throw bind_error(1111, position(), "aggregate {} cannot stand here (it can in SELECT and HAVING)", name);
    }
    if (binder.inside_aggregate_) throw bind_error(1111, position(), "aggregate expressions cannot be nested");
    PendingAggregate pending;
    binder.inside_aggregate_ = true;
    bool star = false;
    for (const ast::FunctionArgument& argument : call.arguments) {
      if (argument.value->as<ast::Star>()) {
        star = true;
      } else {
        pending.arguments.push_back(bind(argument.value));
      }
    }
    if (call.clauses.filter) pending.filter = binder.bind_condition(*call.clauses.filter, "FILTER");
    binder.inside_aggregate_ = false;
    std::vector<LogicalType> types;
    for (const ExpressionPtr& argument : pending.arguments) types.push_back(argument->type);
    pending.call = resolve_aggregate(name, types, star, call.distinct, binder.grouped_);
    if (pending.filter && pending.call.function != AggregateKind::kCount &&
        pending.call.function != AggregateKind::kCountStar) {
      pending.call.type = pending.call.type.as_nullable();  // no row may pass the filter
    }
    return intern(std::move(pending));
  }

  /// The same aggregate written twice is computed once.
  ExpressionPtr intern(PendingAggregate pending) const {
    std::vector<PendingAggregate>& all = *binder.aggregates_;
    const auto same = [&](const PendingAggregate& other) {
      if (other.call.function != pending.call.function || other.call.distinct != pending.call.distinct ||
          other.arguments.size() != pending.arguments.size() || !other.filter != !pending.filter) {
        return false;
      }
      for (size_t i = 0; i < other.arguments.size(); ++i) {
        if (!same_expression(*other.arguments[i], *pending.arguments[i])) return false;
      }
      return !other.filter || same_expression(*other.filter, *pending.filter);
    };
    const auto it = std::find_if(all.begin(), all.end(), same);
    const size_t index = static_cast<size_t>(it - all.begin());
    if (it == all.end()) all.push_back(std::move(pending));
    return make_input_ref(static_cast<int>(binder.scope_.columns.size() + index), all[index].call.type);
  }

  ExpressionPtr operator()(const ast::TimeUnitSymbol& symbol) const {
    return text_literal(ast::to_string(symbol.unit));
  }

  ExpressionPtr operator()(const ast::TrimCall& trim) const {
    static constexpr std::string_view kNames[] = {"BOTH", "LEADING", "TRAILING"};
    ExpressionPtr characters = trim.characters
                                   ? bind(trim.characters)
                                   : make_literal(LogicalType::char_(1).not_null(), Value(std::string(" ")));
    return make_call("TRIM",
                     {text_literal(kNames[static_cast<int>(trim.side)]), std::move(characters), bind(trim.value)});
  }

  ExpressionPtr operator()(const ast::CaseExpression& expression) const {
    std::vector<ExpressionPtr> arguments;
    ExpressionPtr operand = expression.operand ? bind(expression.operand) : nullptr;
    for (const ast::WhenClause& branch : expression.branches) {
      ExpressionPtr condition;
      for (const ast::ExpressionPtr& part : branch.conditions) {
        ExpressionPtr one = operand ? make_call("=", {operand, bind(part)}) : binder.bind_condition(*part, "WHEN");
        condition = condition ? make_call("OR", {condition, one}) : one;
      }
      arguments.push_back(std::move(condition));
      arguments.push_back(bind(branch.result));
    }
    arguments.push_back(expression.otherwise ? bind(expression.otherwise) : make_literal(LogicalType::null(), Value()));
    return make_call("CASE", std::move(arguments));
  }

  ExpressionPtr operator()(const ast::CastExpression& cast) const {
    const LogicalType type = bind_data_type(within_limits(cast.type));
    ExpressionPtr value = bind(cast.value);
    if (type.is_interval() && value->type.is_integer() && !cast.type.interval.end) {
      const ExpressionPtr unit = make_literal(type.not_null(), Value(interval_unit_size(cast.type.interval.start)));
      value = make_call("*", {unit, value});
    }
    return make_cast(value, type.as_nullable(value->type.nullable() || cast.is_try), cast.is_try);
  }

  ExpressionPtr operator()(const ast::ArrayConstructor& array) const {
    return make_call("ARRAY", bind_all(array.elements));
  }
  ExpressionPtr operator()(const ast::MultisetConstructor&) const { unsupported("MULTISET[…]"); }
  ExpressionPtr operator()(const ast::MapConstructor& map) const { return make_call("MAP", bind_all(map.elements)); }
  ExpressionPtr operator()(const ast::RowConstructor& row) const { return make_call("ROW", bind_all(row.elements)); }

  ExpressionPtr operator()(const ast::ElementAccess& access) const {
    ExpressionPtr base = bind(access.base);
    ExpressionPtr index = bind(access.index);
    return make_call("[]", {std::move(base), std::move(index)});
  }
  ExpressionPtr operator()(const ast::FieldAccess& access) const { return field(bind(access.base), access.field); }

  ExpressionPtr operator()(const ast::Descriptor&) const { unsupported("DESCRIPTOR outside a table function"); }
  ExpressionPtr operator()(const ast::TableArgument&) const { unsupported("a table argument"); }
  ExpressionPtr operator()(const ast::DefaultArgument&) const { unsupported("DEFAULT"); }

  ExpressionPtr operator()(const ast::JsonPathCall& call) const {
    const bool exists = call.function == ast::JsonFunction::kExists;
    std::vector<ExpressionPtr> arguments = {bind(call.input), bind(call.path)};
    const auto fallback = [&](const ast::JsonBehaviorClause& clause) {
      return clause.default_value ? bind(clause.default_value) : make_literal(LogicalType::null(), Value());
    };
    arguments.push_back(text_literal(json_behavior(call.on_empty.behavior, "NULL")));
    arguments.push_back(call.function == ast::JsonFunction::kQuery ? text_literal(json_wrapper(call.wrapper))
                                                                   : fallback(call.on_empty));
    arguments.push_back(text_literal(json_behavior(call.on_error.behavior, exists ? "FALSE" : "NULL")));
    arguments.push_back(fallback(call.on_error));
    if (exists) return make_call("JSON_EXISTS", std::move(arguments));
    const LogicalType type = call.returning ? bind_data_type(*call.returning) : LogicalType::string();
    arguments.push_back(make_literal(type.as_nullable(), Value()));
    return make_call(call.function == ast::JsonFunction::kValue ? "JSON_VALUE" : "JSON_QUERY", std::move(arguments));
  }

  void add_json_entry(const ast::JsonEntry& entry, std::vector<ExpressionPtr>& arguments) const {
    if (entry.format_json) unsupported("FORMAT JSON");
    if (entry.key) arguments.push_back(bind(entry.key));
    arguments.push_back(bind(entry.value));
  }
  ExpressionPtr operator()(const ast::JsonObjectConstructor& object) const {
    std::vector<ExpressionPtr> arguments = {
        text_literal(object.on_null == ast::JsonOnNull::kAbsent ? "ABSENT" : "NULL")};
    for (const ast::JsonEntry& entry : object.entries) add_json_entry(entry, arguments);
    return make_call("JSON_OBJECT", std::move(arguments));
  }
  ExpressionPtr operator()(const ast::JsonArrayConstructor& array) const {
    std::vector<ExpressionPtr> arguments = {text_literal(array.on_null == ast::JsonOnNull::kNull ? "NULL" : "ABSENT")};
    for (const ast::JsonEntry& entry : array.elements) add_json_entry(entry, arguments);
    return make_call("JSON_ARRAY", std::move(arguments));
  }
  ExpressionPtr operator()(const ast::JsonAggregate&) const { unsupported("JSON_OBJECTAGG and JSON_ARRAYAGG"); }
};

ExpressionPtr ExpressionBinder::bind(const ast::Expression& expression) {
  try {
    return std::visit(Visitor{*this, expression}, expression.node);
  } catch (Error& error) {
    add_position(error, expression.position);
    throw;
  }
}

ExpressionPtr ExpressionBinder::bind_condition(const ast::Expression& expression, std::string_view clause) {
  ExpressionPtr bound = bind(expression);
  if (bound->type.is(TypeRoot::kNull)) return make_cast(bound, LogicalType::boolean());
  if (!bound->type.is(TypeRoot::kBoolean)) {
    throw bind_error(1103, expression.position, "the {} clause must be a condition, not {}", clause,
                     bound->type.to_string());
  }
  return bound;
}

}  // namespace yeoul
