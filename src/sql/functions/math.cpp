#include <cmath>
#include <numbers>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

using RealFunction = double (*)(double);

template <RealFunction kFunction>
ColumnPtr real_function(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<double> in(arguments[0]);
  return write_cells<double>(call, arguments, n, [&](size_t i) -> double { return kFunction(in[i]); });
}

double logarithm(double x) {
  return std::log(x);
}
double logarithm10(double x) {
  return std::log10(x);
}
double logarithm2(double x) {
  return std::log(x) / std::log(2.0);
}
double cotangent(double x) {
  return 1.0 / std::tan(x);
}
double to_degrees(double x) {
  return x * (180.0 / std::numbers::pi);
}
double to_radians(double x) {
  return x * (std::numbers::pi / 180.0);
}
double exponential(double x) {
  return std::exp(x);
}
double square_root(double x) {
  return std::sqrt(x);
}
double sine(double x) {
  return std::sin(x);
}
double cosine(double x) {
  return std::cos(x);
}
double tangent(double x) {
  return std::tan(x);
}
double arc_sine(double x) {
  return std::asin(x);
}
double arc_cosine(double x) {
  return std::acos(x);
}
double arc_tangent(double x) {
  return std::atan(x);
}
double hyperbolic_sine(double x) {
  return std::sinh(x);
}
double hyperbolic_cosine(double x) {
  return std::cosh(x);
}
double hyperbolic_tangent(double x) {
  return std::tanh(x);
}

template <double (*kFunction)(double, double)>
ColumnPtr real_function2(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<double> a(arguments[0]);
  const CellReader<double> b(arguments[1]);
  return write_cells<double>(call, arguments, n, [&](size_t i) -> double { return kFunction(a[i], b[i]); });
}

/// Java's Math.pow: 1 to the power of NaN is NaN, as is 1 to that of infinity.
double power(double base, double exponent) {
  if (exponent == 0) return 1.0;
  if (std::isnan(exponent) || (std::abs(base) == 1.0 && std::isinf(exponent))) return std::nan("");
  return std::pow(base, exponent);
}
double arc_tangent2(double y, double x) {
  return std::atan2(y, x);
}
double logarithm_of_base(double base, double x) {
  return std::log(x) / std::log(base);
}

template <double (*kConstant)()>
ColumnPtr constant(KernelContext&, const Expression& call, std::span<const Argument>, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  std::fill_n(out->allocate_values<double>(), n, kConstant());
  return out;
}
double pi() {
  return std::numbers::pi;
}
double euler() {
  return std::numbers::e;
}

template <class T>
ColumnPtr absolute(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<T> in(arguments[0]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> T {
    const T value = in[i];
    if constexpr (std::is_floating_point_v<T>) return std::abs(value);
    if constexpr (!std::is_floating_point_v<T>)
      return value < 0 ? static_cast<T>(uint64_t{0} - static_cast<uint64_t>(value)) : value;
  });
}

ColumnPtr absolute_decimal(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int128> in(arguments[0]);
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> int128 { return in[i] < 0 ? -in[i] : in[i]; });
}

template <class T>
ColumnPtr sign(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<T> in(arguments[0]);
  T one = 1;
  if constexpr (sizeof(T) == 16) one = power_of_ten(call.type.scale());
  return write_cells<T>(call, arguments, n, [&](size_t i) -> T {
    const T value = in[i];
    if (value > 0) return one;
    return value < 0 ? static_cast<T>(-one) : value;
  });
}

template <bool kSign>
Kernel number_kernel(const LogicalType& type) {
  switch (type.root()) {
    case TypeRoot::kTinyint:
      return kSign ? sign<int8_t> : absolute<int8_t>;
    case TypeRoot::kSmallint:
      return kSign ? sign<int16_t> : absolute<int16_t>;
    case TypeRoot::kInteger:
      return kSign ? sign<int32_t> : absolute<int32_t>;
    case TypeRoot::kBigint:
      return kSign ? sign<int64_t> : absolute<int64_t>;
    case TypeRoot::kFloat:
      return kSign ? sign<float> : absolute<float>;
    case TypeRoot::kDouble:
      return kSign ? sign<double> : absolute<double>;
    case TypeRoot::kDecimal:
      return kSign ? sign<int128> : absolute_decimal;
    default:
      return nullptr;
  }
}

template <bool kSign>
ExpressionPtr resolve_number(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  const Kernel kernel = arguments.size() == 1 ? number_kernel<kSign>(arguments[0]->type) : nullptr;
  if (kernel == nullptr) fail_arguments(function.name, arguments, "'<NUMERIC>'");
  const LogicalType type = arguments[0]->type;
  return make_kernel_call(function.name, type, kernel, std::move(arguments));
}

/// LOG(x) or LOG(base, x).
ExpressionPtr resolve_log(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.empty() || arguments.size() > 2) fail_arguments(function.name, arguments, "'<NUMERIC>[, <NUMERIC>]'");
  for (ExpressionPtr& e : arguments) {
    if (!e->type.is_numeric()) fail_arguments(function.name, arguments, "'<NUMERIC>[, <NUMERIC>]'");
    e = make_cast(e, LogicalType::double_().as_nullable(e->type.nullable()));
  }
  const LogicalType type = LogicalType::double_().as_nullable(any_nullable(arguments));
  const Kernel kernel = arguments.size() == 1 ? real_function<logarithm> : real_function2<logarithm_of_base>;
  return make_kernel_call(function.name, type, kernel, std::move(arguments));
}

/// Two's complement of a long.
ColumnPtr binary_digits(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int64_t> in(arguments[0]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    char digits[64];
    size_t count = 0;
    auto value = static_cast<uint64_t>(in[i]);
    do {
      digits[63 - count++] = static_cast<char>('0' + (value & 1));
      value >>= 1;
    } while (value != 0);
    out.append(digits + 64 - count, count);
    return true;
  });
}

constexpr ResultType kDoubleResult = type_of_root<TypeRoot::kDouble>;

constexpr Function kMathFunctions[] = {
    {.name = "ABS", .resolver = resolve_number<false>},
    {.name = "SIGN", .resolver = resolve_number<true>},
    {"POWER", "dd", kDoubleResult, real_function2<power>},
    {"SQRT", "d", kDoubleResult, real_function<square_root>},
    {"LN", "d", kDoubleResult, real_function<logarithm>},
    {.name = "LOG", .resolver = resolve_log},
    {"LOG10", "d", kDoubleResult, real_function<logarithm10>},
    {"LOG2", "d", kDoubleResult, real_function<logarithm2>},
    {"EXP", "d", kDoubleResult, real_function<exponential>},
    {"SIN", "d", kDoubleResult, real_function<sine>},
    {"COS", "d", kDoubleResult, real_function<cosine>},
    {"TAN", "d", kDoubleResult, real_function<tangent>},
    {"COT", "d", kDoubleResult, real_function<cotangent>},
    {"ASIN", "d", kDoubleResult, real_function<arc_sine>},
    {"ACOS", "d", kDoubleResult, real_function<arc_cosine>},
    {"ATAN", "d", kDoubleResult, real_function<arc_tangent>},
    {"ATAN2", "dd", kDoubleResult, real_function2<arc_tangent2>},
    {"SINH", "d", kDoubleResult, real_function<hyperbolic_sine>},
    {"COSH", "d", kDoubleResult, real_function<hyperbolic_cosine>},
    {"TANH", "d", kDoubleResult, real_function<hyperbolic_tangent>},
    {"DEGREES", "d", kDoubleResult, real_function<to_degrees>},
    {"RADIANS", "d", kDoubleResult, real_function<to_radians>},
    {"PI", "", kDoubleResult, constant<pi>},
    {"E", "", kDoubleResult, constant<euler>},
    {"BIN", "l", type_string, binary_digits},
};

}  // namespace

std::span<const Function> math_functions() {
  return kMathFunctions;
}

}  // namespace yeoul
