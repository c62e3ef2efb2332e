#include <algorithm>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/registry.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

/// The common type of some expressions; nothing where there is none or all are untyped NULLs.
bool common_of(std::span<const ExpressionPtr> expressions, LogicalType& type) {
  type = expressions[0]->type;
  for (const ExpressionPtr& e : expressions.subspan(1)) {
    LogicalType next;
    if (!find_common_type(type, e->type, next)) return false;
    type = next;
  }
  return !type.is(TypeRoot::kNull);
}

ExpressionPtr cast_keeping_nullability(const ExpressionPtr& e, const LogicalType& type) {
  return make_cast(e, type.as_nullable(e->type.nullable()));
}

/// when, then, when, then, …[, else]
ExpressionPtr resolve_case(const Function& function, Arguments arguments) {
  if (arguments.size() < 2) fail_arguments(function.name, arguments);
  if (arguments.size() % 2 == 0) arguments.push_back(make_literal(LogicalType::null(), Value()));
  Arguments branches;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const bool is_condition = i % 2 == 0 && i + 1 < arguments.size();
    if (!is_condition) {
      branches.push_back(arguments[i]);
    } else if (arguments[i]->type.is(TypeRoot::kNull)) {
      arguments[i] = make_literal(LogicalType::boolean(), Value());
    } else if (!arguments[i]->type.is(TypeRoot::kBoolean)) {
      throw user_error(1103, "Expected a boolean type in WHEN of CASE, not {}", calcite_type_name(arguments[i]->type));
    }
  }
  const bool all_null =
      std::all_of(branches.begin(), branches.end(), [](const ExpressionPtr& e) { return e->type.is(TypeRoot::kNull); });
  if (all_null) throw user_error(1103, "ELSE clause or at least one THEN clause must be non-NULL");
  LogicalType type;
  if (!common_of(branches, type)) {
    throw user_error(1103, "Illegal mixing of types in CASE or COALESCE statement: {} and {}",
                     calcite_type_name(branches[0]->type), calcite_type_name(branches.back()->type));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (i % 2 == 1 || i + 1 == arguments.size()) arguments[i] = cast_keeping_nullability(arguments[i], type);
  }
  return make_node(Expression::Kind::kCase, function.name, type, std::move(arguments));
}

ExpressionPtr resolve_if(const Function& function, Arguments arguments) {
  LogicalType type;
  if (arguments.size() != 3 || !arguments[0]->type.is(TypeRoot::kBoolean) ||
      !common_of(std::span(arguments).subspan(1), type)) {
    fail_arguments(function.name, arguments);
  }
  return make_call("CASE", std::move(arguments));
}

/// DATE with TIMESTAMP is accepted here, unlike in CASE, and is the first one's type.
bool coalesce_type(const Arguments& arguments, LogicalType& type) {
  if (common_of(arguments, type)) return true;
  for (const ExpressionPtr& e : arguments) {
    if (!e->type.is(TypeRoot::kDate) && !e->type.is_timestamp()) return false;
  }
  type = arguments[0]->type;
  return true;
}

ExpressionPtr resolve_coalesce(const Function& function, Arguments arguments) {
  if (arguments.empty()) fail_arguments(function.name, arguments);
  const bool all_null = std::all_of(arguments.begin(), arguments.end(),
                                    [](const ExpressionPtr& e) { return e->type.is(TypeRoot::kNull); });
  if (all_null) refuse_null_literals(function.name, arguments);
  LogicalType type;
  if (!coalesce_type(arguments, type)) {
    throw user_error(1103, "Invalid input arguments. Expected signatures are: {}(<COMMON>...), not {} and {}",
                     function.name, calcite_type_name(arguments[0]->type), calcite_type_name(arguments.back()->type));
  }
  Arguments needed;
  for (const ExpressionPtr& e : arguments) {
    if (e->type.is(TypeRoot::kNull)) continue;
    needed.push_back(cast_keeping_nullability(e, type));
    if (!e->type.nullable()) break;  // what follows is never reached
  }
  const bool nullable = needed.back()->type.nullable();
  if (needed.size() == 1) return needed[0];
  return make_node(Expression::Kind::kCoalesce, function.name, type.as_nullable(nullable), std::move(needed));
}

ExpressionPtr resolve_ifnull(const Function& function, Arguments arguments) {
  if (arguments.size() != 2) fail_arguments(function.name, arguments);
  LogicalType type;
  if (!common_of(arguments, type)) fail_arguments(function.name, arguments);
  return resolve_coalesce(function, std::move(arguments));
}

ExpressionPtr resolve_nullif(const Function& function, Arguments arguments) {
  if (arguments.size() != 2) fail_arguments(function.name, arguments);
  refuse_null_literals(function.name, std::span(arguments).first(1));
  const LogicalType type = arguments[0]->type.as_nullable();
  ExpressionPtr equal = make_call("=", {arguments[0], arguments[1]});
  return make_node(Expression::Kind::kCase, "CASE", type,
                   {std::move(equal), make_literal(type, Value()), make_cast(arguments[0], type)});
}

template <bool kGreatest>
ColumnPtr extreme(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::vector<ColumnPtr> columns;
  std::vector<uint32_t> bases;
  uint32_t base = 0;
  for (const Argument& argument : arguments) {
    columns.push_back(ColumnPtr(argument.column, [](const Column*) {}));
    bases.push_back(base);
    base += static_cast<uint32_t>(argument.column->size());
  }
  std::vector<uint32_t> cells(n);
  for (size_t i = 0; i < n; ++i) {
    size_t best = 0;
    for (size_t a = 0; a < arguments.size(); ++a) {
      const size_t row = arguments[a].row(i);
      if (arguments[a].column->is_null(row)) {
        best = a;
        break;
      }
      const std::strong_ordering order =
          compare_cells(*arguments[a].column, row, *arguments[best].column, arguments[best].row(i));
      if (kGreatest ? order > 0 : order < 0) best = a;
    }
    cells[i] = bases[best] + static_cast<uint32_t>(arguments[best].row(i));
  }
  return with_type(take(*concat(columns), cells), call.type);
}

template <bool kGreatest>
ExpressionPtr resolve_extreme(const Function& function, Arguments arguments) {
  if (arguments.empty()) fail_arguments(function.name, arguments);
  refuse_null_literals(function.name, arguments);
  LogicalType type;
  if (!common_of(arguments, type)) {
    throw user_error(1103,
                     "All types in a comparison should support both 'EQUALS' and 'ORDER' comparison with each other. "
                     "Can not compare {} with {}",
                     arguments[0]->type.to_string(), arguments.back()->type.to_string());
  }
  for (ExpressionPtr& e : arguments) e = cast_keeping_nullability(e, type);
  return make_kernel_call(function.name, type, extreme<kGreatest>, std::move(arguments));
}

ExpressionPtr resolve_typeof(const Function& function, Arguments arguments) {
  if (arguments.empty() || arguments.size() > 2) fail_arguments(function.name, arguments);
  return make_literal(LogicalType::string(), Value(arguments[0]->type.to_string()));
}

constexpr Function kConditionalFunctions[] = {
    {.name = "CASE", .resolver = resolve_case},
    {.name = "IF", .resolver = resolve_if},
    {.name = "COALESCE", .resolver = resolve_coalesce},
    {.name = "IFNULL", .resolver = resolve_ifnull},
    {.name = "NULLIF", .resolver = resolve_nullif},
    {.name = "GREATEST", .resolver = resolve_extreme<true>},
    {.name = "LEAST", .resolver = resolve_extreme<false>},
    {.name = "TYPEOF", .resolver = resolve_typeof},
};

}  // namespace

std::span<const Function> conditional_functions() {
  return kConditionalFunctions;
}

}  // namespace yeoul
