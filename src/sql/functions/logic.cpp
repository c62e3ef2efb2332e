#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/registry.h"

namespace yeoul {

namespace {

ExpressionPtr boolean_literal(bool value) {
  return make_literal(LogicalType::boolean().not_null(), Value(value));
}

void check_booleans(const Function& function, Arguments& arguments) {
  for (const ExpressionPtr& argument : arguments) {
    if (!argument->type.is(TypeRoot::kBoolean) && !argument->type.is(TypeRoot::kNull)) {
      fail_arguments(function.name, arguments, "'<BOOLEAN>'");
    }
  }
  refuse_null_literals(function.name, arguments);
}

template <Expression::Kind kKind>
ExpressionPtr resolve_junction(const Function& function, Arguments arguments) {
  check_booleans(function, arguments);
  if (arguments.size() < 2) fail_arguments(function.name, arguments);
  Arguments flat;
  for (ExpressionPtr& argument : arguments) {
    if (argument->kind == kKind) {
      flat.insert(flat.end(), argument->arguments.begin(), argument->arguments.end());
    } else {
      flat.push_back(std::move(argument));
    }
  }
  const LogicalType type = LogicalType::boolean().as_nullable(any_nullable(flat));
  return make_node(kKind, function.name, type, std::move(flat));
}

ColumnPtr negate_boolean(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  uint8_t* cells = out->allocate_values<uint8_t>();
  const uint8_t* in = arguments[0].column->values<uint8_t>();
  const size_t step = arguments[0].constant ? 0 : 1;
  for (size_t i = 0; i < n; ++i) cells[i] = in[i * step] ^ 1;
  return out;
}

ExpressionPtr resolve_not(const Function& function, Arguments arguments) {
  check_booleans(function, arguments);
  if (arguments.size() != 1) fail_arguments(function.name, arguments);
  const LogicalType type = arguments[0]->type;
  return make_kernel_call(function.name, type, negate_boolean, std::move(arguments));
}

template <bool kWantNull>
ColumnPtr is_null(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  uint8_t* cells = out->allocate_values<uint8_t>();
  const Column& column = *arguments[0].column;
  if (!column.may_have_nulls()) {
    std::memset(cells, kWantNull ? 0 : 1, n);
    return out;
  }
  for (size_t i = 0; i < n; ++i) cells[i] = column.is_null(arguments[0].row(i)) == kWantNull;
  return out;
}

/// The planner drops the check where the type says NOT NULL, even for a cell that is NULL all the same.
template <bool kWantNull>
ExpressionPtr resolve_is_null(const Function& function, Arguments arguments) {
  if (arguments.size() != 1) fail_arguments(function.name, arguments);
  const bool literal = arguments[0]->kind == Expression::Kind::kLiteral;
  if (!arguments[0]->type.nullable()) return boolean_literal(!kWantNull);
  if (literal) return boolean_literal(arguments[0]->value.is_null() == kWantNull);
  return make_kernel_call(function.name, LogicalType::boolean().not_null(), is_null<kWantNull>, std::move(arguments));
}

/// IS [NOT] TRUE / FALSE: kNegated is the NOT.
template <bool kTruth, bool kNegated>
ColumnPtr is_truth(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  uint8_t* cells = out->allocate_values<uint8_t>();
  const Column& column = *arguments[0].column;
  const uint8_t* in = column.values<uint8_t>();
  for (size_t i = 0; i < n; ++i) {
    const size_t row = arguments[0].row(i);
    const bool is = column.is_valid(row) && (in[row] != 0) == kTruth;
    cells[i] = is != kNegated;
  }
  return out;
}

template <bool kTruth, bool kNegated>
ExpressionPtr resolve_is_truth(const Function& function, Arguments arguments) {
  check_booleans(function, arguments);
  if (arguments.size() != 1) fail_arguments(function.name, arguments);
  return make_kernel_call(function.name, LogicalType::boolean().not_null(), is_truth<kTruth, kNegated>,
                          std::move(arguments));
}

constexpr Function kLogicFunctions[] = {
    {.name = "AND", .resolver = resolve_junction<Expression::Kind::kAnd>},
    {.name = "OR", .resolver = resolve_junction<Expression::Kind::kOr>},
    {.name = "NOT", .resolver = resolve_not},
    {.name = "IS NULL", .resolver = resolve_is_null<true>},
    {.name = "IS NOT NULL", .resolver = resolve_is_null<false>},
    {.name = "IS UNKNOWN", .resolver = resolve_is_null<true>},
    {.name = "IS NOT UNKNOWN", .resolver = resolve_is_null<false>},
    {.name = "IS TRUE", .resolver = resolve_is_truth<true, false>},
    {.name = "IS NOT TRUE", .resolver = resolve_is_truth<true, true>},
    {.name = "IS FALSE", .resolver = resolve_is_truth<false, false>},
    {.name = "IS NOT FALSE", .resolver = resolve_is_truth<false, true>},
};

}  // namespace

std::span<const Function> logic_functions() {
  return kLogicFunctions;
}

}  // namespace yeoul
