#include "yeoul/sql/functions/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "yeoul/sql/functions/decimal_math.h"
#include "yeoul/sql/functions/kernel_cells.h"

namespace yeoul {

namespace {

/// Java's arithmetic: integers wrap.
template <char kOperation, class T>
inline T apply(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if constexpr (kOperation == '+') return a + b;
    if constexpr (kOperation == '-') return a - b;
    if constexpr (kOperation == '*') return a * b;
    return a / b;
  } else {
    using U = std::make_unsigned_t<std::common_type_t<T, int>>;
    if constexpr (kOperation == '+') return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
    if constexpr (kOperation == '-') return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
}

/// + - * and floating division: every cell is computed, NULL or not.
template <char kOperation, class T>
ColumnPtr plain_kernel(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  T* cells = out->allocate_values<T>();
  const T* a = arguments[0].column->values<T>();
  const T* b = arguments[1].column->values<T>();
  if (arguments[0].constant) {
    const T left = a[0];
    const size_t step = arguments[1].constant ? 0 : 1;
    for (size_t i = 0; i < n; ++i) cells[i] = apply<kOperation, T>(left, b[i * step]);
  } else if (arguments[1].constant) {
    const T right = b[0];
    for (size_t i = 0; i < n; ++i) cells[i] = apply<kOperation, T>(a[i], right);
  } else {
    for (size_t i = 0; i < n; ++i) cells[i] = apply<kOperation, T>(a[i], b[i]);
  }
  return out;
}

bool is_zero_literal(const Expression& e) {
  return e.kind == Expression::Kind::kLiteral && std::holds_alternative<double>(e.value.data) && e.value.real() == 0;
}

/// Constants fail, as Flink's planner does; columns give Infinity and NaN.
template <class T>
ColumnPtr divide_real(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  if (call.arguments[0]->kind == Expression::Kind::kLiteral && is_zero_literal(*call.arguments[1]) && n > 0) {
    context.row_error(0, "Division by zero");
  }
  return plain_kernel<'/', T>(context, call, arguments, n);
}

template <class T>
ColumnPtr divide_integer(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                         size_t n) {
  const CellReader<T> a(arguments[0]);
  const CellReader<T> b(arguments[1]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> std::optional<T> {
    const T divisor = b[i];
    if (divisor == 0) [[unlikely]] {
      context.row_error(static_cast<uint32_t>(i), "Division by zero");
      return std::nullopt;
    }
    if (divisor == -1) return apply<'-', T>(0, a[i]);
    return static_cast<T>(a[i] / divisor);
  });
}

template <class T>
ColumnPtr remainder_integer(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                            size_t n) {
  const IntegerReader a(arguments[0]);
  const IntegerReader b(arguments[1]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> std::optional<T> {
    const int64_t divisor = b[i];
    if (divisor == 0) [[unlikely]] {
      context.row_error(static_cast<uint32_t>(i), "/ by zero");
      return std::nullopt;
    }
    if (divisor == -1) return T{0};
    return static_cast<T>(a[i] % divisor);
  });
}

template <char kOperation>
ColumnPtr decimal_kernel(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                         size_t n) {
  const CellReader<int128> a(arguments[0]);
  const CellReader<int128> b(arguments[1]);
  const int scale_a = arguments[0].column->type().scale();
  const int scale_b = arguments[1].column->type().scale();
  const int scale = call.type.scale();
  const int precision = call.type.precision();
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> std::optional<int128> {
    std::optional<int128> value;
    if constexpr (kOperation == '+') value = decimal_add(a[i], scale_a, b[i], scale_b, scale);
    if constexpr (kOperation == '-') value = decimal_add(a[i], scale_a, -b[i], scale_b, scale);
    if constexpr (kOperation == '*') value = decimal_multiply(a[i], scale_a, b[i], scale_b, scale);
    if constexpr (kOperation == '/' || kOperation == '%') {
      if (b[i] == 0) [[unlikely]] {
        context.row_error(static_cast<uint32_t>(i), "Division by zero");
        return std::nullopt;
      }
      value = kOperation == '/' ? decimal_divide(a[i], scale_a, b[i], scale_b, scale)
                                : decimal_remainder(a[i], scale_a, b[i], scale_b);
    }
    return value && decimal_fits(*value, precision) ? value : std::nullopt;
  });
}

template <class T>
Kernel integer_kernel(char operation) {
  switch (operation) {
    case '+':
      return plain_kernel<'+', T>;
    case '-':
      return plain_kernel<'-', T>;
    case '*':
      return plain_kernel<'*', T>;
    case '/':
      return divide_integer<T>;
    default:
      return remainder_integer<T>;
  }
}

template <class T>
Kernel real_kernel(char operation) {
  switch (operation) {
    case '+':
      return plain_kernel<'+', T>;
    case '-':
      return plain_kernel<'-', T>;
    case '*':
      return plain_kernel<'*', T>;
    default:
      return divide_real<T>;
  }
}

Kernel exact_kernel(char operation) {
  switch (operation) {
    case '+':
      return decimal_kernel<'+'>;
    case '-':
      return decimal_kernel<'-'>;
    case '*':
      return decimal_kernel<'*'>;
    case '/':
      return decimal_kernel<'/'>;
    default:
      return decimal_kernel<'%'>;
  }
}

template <class T>
ColumnPtr negate(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<T> a(arguments[0]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> T {
    if constexpr (std::is_floating_point_v<T> || sizeof(T) == 16) return -a[i];
    if constexpr (!std::is_floating_point_v<T> && sizeof(T) != 16) return apply<'-', T>(0, a[i]);
  });
}

ExpressionPtr resolve_negation(std::string_view name, Arguments arguments) {
  const LogicalType type = arguments[0]->type;
  Kernel kernel = nullptr;
  switch (type.root()) {
    case TypeRoot::kTinyint:
      kernel = negate<int8_t>;
      break;
    case TypeRoot::kSmallint:
      kernel = negate<int16_t>;
      break;
    case TypeRoot::kInteger:
    case TypeRoot::kIntervalYearMonth:
      kernel = negate<int32_t>;
      break;
    case TypeRoot::kBigint:
    case TypeRoot::kIntervalDayTime:
      kernel = negate<int64_t>;
      break;
    case TypeRoot::kFloat:
      kernel = negate<float>;
      break;
    case TypeRoot::kDouble:
      kernel = negate<double>;
      break;
    case TypeRoot::kDecimal:
      kernel = negate<int128>;
      break;
    default:
      fail_arguments(name, arguments, "'-<NUMERIC>', '-<DATETIME_INTERVAL>'");
  }
  return make_kernel_call(name, type, kernel, std::move(arguments));
}

ExpressionPtr resolve_arithmetic(const Function& function, Arguments arguments) {
  const char operation = function.name[0];
  refuse_null_literals(function.name, arguments);
  if (arguments.size() == 1 && operation == '-') return resolve_negation(function.name, std::move(arguments));
  if (arguments.size() == 1 && operation == '+' && arguments[0]->type.is_numeric()) return arguments[0];
  if (arguments.size() != 2) fail_arguments(function.name, arguments);
  if (ExpressionPtr call = resolve_datetime_arithmetic(function.name, arguments)) return call;
  const LogicalType& a = arguments[0]->type;
  const LogicalType& b = arguments[1]->type;
  if (!a.is_numeric() || !b.is_numeric()) {
    fail_arguments(function.name, arguments, fmt::format("'<NUMERIC> {} <NUMERIC>'", function.name));
  }
  const bool nullable = a.nullable() || b.nullable();
  LogicalType type;
  if (a.is_approximate() && b.is_approximate()) {
    type = LogicalType(a.root());
  } else if (a.is_approximate() || b.is_approximate()) {
    find_common_type(a, b, type);
  } else if (a.is(TypeRoot::kDecimal) || b.is(TypeRoot::kDecimal)) {
    type = decimal_result_type(operation, decimal_of(a), decimal_of(b)).as_nullable(nullable);
    Arguments decimals{make_cast(arguments[0], decimal_of(a)), make_cast(arguments[1], decimal_of(b))};
    return make_kernel_call(function.name, type, exact_kernel(operation), std::move(decimals), operation == '/');
  } else {
    find_common_type(a, b, type);
  }
  type = type.as_nullable(nullable);
  Arguments same{make_cast(arguments[0], type), make_cast(arguments[1], type)};
  return make_kernel_call(function.name, type, arithmetic_kernel(operation, type), std::move(same), operation == '/');
}

ExpressionPtr resolve_remainder(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  const auto exact = [](const LogicalType& t) { return t.is_integer() || t.is(TypeRoot::kDecimal); };
  if (arguments.size() != 2 || !exact(arguments[0]->type) || !exact(arguments[1]->type)) {
    fail_arguments(function.name, arguments, "'<EXACT_NUMERIC> % <EXACT_NUMERIC>'");
  }
  const LogicalType a = arguments[0]->type;
  const LogicalType b = arguments[1]->type;
  const bool nullable = a.nullable() || b.nullable();
  if (a.is_integer() && b.is_integer()) {
    const LogicalType type = b.as_nullable(nullable);
    return make_kernel_call(function.name, type, arithmetic_kernel('%', type), std::move(arguments), true);
  }
  const LogicalType x = decimal_of(a);
  const LogicalType y = decimal_of(b);
  const LogicalType decimal = decimal_result_type('%', x, y).as_nullable(nullable);
  ExpressionPtr call = make_kernel_call(function.name, decimal, exact_kernel('%'),
                                        {make_cast(arguments[0], x), make_cast(arguments[1], y)}, true);
  if (x.scale() == 0 && y.scale() == 0) return make_cast(std::move(call), b.as_nullable(nullable));
  return call;
}

constexpr Function kArithmeticFunctions[] = {
    {.name = "+", .resolver = resolve_arithmetic}, {.name = "-", .resolver = resolve_arithmetic},
    {.name = "*", .resolver = resolve_arithmetic}, {.name = "/", .resolver = resolve_arithmetic},
    {.name = "%", .resolver = resolve_remainder},  {.name = "MOD", .resolver = resolve_remainder},
};

}  // namespace

LogicalType decimal_result_type(char operation, const LogicalType& a, const LogicalType& b) {
  const int digits_a = a.precision() - a.scale();
  const int digits_b = b.precision() - b.scale();
  int scale = std::max(a.scale(), b.scale());
  int precision = 0;
  switch (operation) {
    case '*':
      scale = a.scale() + b.scale();
      precision = a.precision() + b.precision() + 1;
      break;
    case '/':
      scale = std::max(6, a.scale() + b.precision() + 1);
      precision = digits_a + b.scale() + scale;
      break;
    case '%':
      precision = std::min(digits_a, digits_b) + scale;
      break;
    default:
      precision = std::max(digits_a, digits_b) + scale + 1;
      break;
  }
  if (precision > 38) {
    const int digits = precision - scale;
    scale = std::max(38 - digits, std::min(scale, 6));
    precision = 38;
  }
  return LogicalType::decimal(precision, scale);
}

Kernel arithmetic_kernel(char operation, const LogicalType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return integer_kernel<int8_t>(operation);
    case TypeRoot::kSmallint:
      return integer_kernel<int16_t>(operation);
    case TypeRoot::kInteger:
    case TypeRoot::kIntervalYearMonth:
      return integer_kernel<int32_t>(operation);
    case TypeRoot::kBigint:
    case TypeRoot::kIntervalDayTime:
      return integer_kernel<int64_t>(operation);
    case TypeRoot::kFloat:
      return real_kernel<float>(operation);
    case TypeRoot::kDouble:
      return real_kernel<double>(operation);
    default:
      return exact_kernel(operation);
  }
}

std::span<const Function> arithmetic_functions() {
  return kArithmeticFunctions;
}

}  // namespace yeoul
