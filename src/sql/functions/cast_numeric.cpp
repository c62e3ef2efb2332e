#include <cmath>
#include <limits>

#include "yeoul/sql/functions/cast.h"
#include "yeoul/sql/functions/decimal_math.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

/// Java's narrowing: integers keep their low bits; doubles saturate to int or long first, NaN is 0.
template <class To, class From>
inline To convert(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    using Wide = std::conditional_t<sizeof(To) == 8, int64_t, int32_t>;
    if (value != value) return 0;
    constexpr From kLow = static_cast<From>(std::numeric_limits<Wide>::min());
    constexpr From kHigh = -kLow;
    Wide wide;
    if (value >= kHigh) {
      wide = std::numeric_limits<Wide>::max();
    } else if (value <= kLow) {
      wide = std::numeric_limits<Wide>::min();
    } else {
      wide = static_cast<Wide>(value);
    }
    return static_cast<To>(wide);
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
ColumnPtr cast_cells(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  To* cells = out->allocate_values<To>();
  const From* in = arguments[0].column->values<From>();
  for (size_t i = 0; i < n; ++i) cells[i] = convert<To, From>(in[i]);
  return out;
}

/// A FLOAT constant becomes the DOUBLE of its text, as the planner folds it.
ColumnPtr widen_float(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  if (call.arguments[0]->kind != Expression::Kind::kLiteral) {
    return cast_cells<double, float>(context, call, arguments, n);
  }
  const CellReader<float> in(arguments[0]);
  return write_cells<double>(call, arguments, n, [&](size_t i) -> double {
    std::string text;
    append_float_text(in[i], text);
    return parse_double_text(text).value_or(in[i]);
  });
}

template <class From>
ColumnPtr to_boolean(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<From> in(arguments[0]);
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> uint8_t { return in[i] != From{}; });
}

template <class From>
ColumnPtr integer_to_decimal(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<From> in(arguments[0]);
  const int scale = call.type.scale();
  const int precision = call.type.precision();
  const int128 factor = power_of_ten(scale);
  const bool always_fits = precision - scale >= std::numeric_limits<From>::digits10 + 1;
  const int128 bound = power_of_ten(precision - scale);
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> std::optional<int128> {
    const int128 value = in[i];
    if (!always_fits && (value >= bound || value <= -bound)) return std::nullopt;
    return value * factor;
  });
}

template <class From>
ColumnPtr real_to_decimal(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                          size_t n) {
  const CellReader<From> in(arguments[0]);
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> std::optional<int128> {
    if (!std::isfinite(in[i])) {
      context.row_error(static_cast<uint32_t>(i), fmt::format("{} is no DECIMAL", static_cast<double>(in[i])));
      return std::nullopt;
    }
    return double_to_decimal(static_cast<double>(in[i]), call.type.precision(), call.type.scale());
  });
}

ColumnPtr decimal_to_decimal(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int128> in(arguments[0]);
  const int from = arguments[0].column->type().scale();
  const int to = call.type.scale();
  const int precision = call.type.precision();
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> std::optional<int128> {
    const std::optional<int128> value = decimal_rescale(in[i], from, to);
    return value && decimal_fits(*value, precision) ? value : std::nullopt;
  });
}

template <class To>
ColumnPtr decimal_to_number(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int128> in(arguments[0]);
  const int scale = arguments[0].column->type().scale();
  const int128 factor = power_of_ten(scale);
  return write_cells<To>(call, arguments, n, [&](size_t i) -> To {
    if constexpr (std::is_floating_point_v<To>) return static_cast<To>(decimal_to_double(in[i], scale));
    if constexpr (!std::is_floating_point_v<To>) return static_cast<To>(in[i] / factor);
  });
}

template <class To>
ColumnPtr boolean_to_number(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<uint8_t> in(arguments[0]);
  int128 factor = 1;
  if constexpr (sizeof(To) == 16) factor = power_of_ten(call.type.scale());
  return write_cells<To>(call, arguments, n,
                         [&](size_t i) -> To { return in[i] != 0 ? static_cast<To>(factor) : To{}; });
}

template <class From>
Kernel cast_from(const LogicalType& to) {
  switch (to.root()) {
    case TypeRoot::kBoolean:
      return to_boolean<From>;
    case TypeRoot::kTinyint:
      return cast_cells<int8_t, From>;
    case TypeRoot::kSmallint:
      return cast_cells<int16_t, From>;
    case TypeRoot::kInteger:
      return cast_cells<int32_t, From>;
    case TypeRoot::kBigint:
      return cast_cells<int64_t, From>;
    case TypeRoot::kFloat:
      return cast_cells<float, From>;
    case TypeRoot::kDouble:
      if constexpr (std::is_same_v<From, float>) return widen_float;
      return cast_cells<double, From>;
    case TypeRoot::kDecimal:
      if constexpr (std::is_floating_point_v<From>) return real_to_decimal<From>;
      if constexpr (!std::is_floating_point_v<From>) return integer_to_decimal<From>;
      return nullptr;
    default:
      return nullptr;
  }
}

Kernel cast_from_decimal(const LogicalType& to) {
  switch (to.root()) {
    case TypeRoot::kBoolean:
      return to_boolean<int128>;
    case TypeRoot::kTinyint:
      return decimal_to_number<int8_t>;
    case TypeRoot::kSmallint:
      return decimal_to_number<int16_t>;
    case TypeRoot::kInteger:
      return decimal_to_number<int32_t>;
    case TypeRoot::kBigint:
      return decimal_to_number<int64_t>;
    case TypeRoot::kFloat:
      return decimal_to_number<float>;
    case TypeRoot::kDouble:
      return decimal_to_number<double>;
    case TypeRoot::kDecimal:
      return decimal_to_decimal;
    default:
      return nullptr;
  }
}

Kernel cast_from_boolean(const LogicalType& to) {
  switch (to.root()) {
    case TypeRoot::kTinyint:
      return boolean_to_number<int8_t>;
    case TypeRoot::kSmallint:
      return boolean_to_number<int16_t>;
    case TypeRoot::kInteger:
      return boolean_to_number<int32_t>;
    case TypeRoot::kBigint:
      return boolean_to_number<int64_t>;
    case TypeRoot::kFloat:
      return boolean_to_number<float>;
    case TypeRoot::kDouble:
      return boolean_to_number<double>;
    case TypeRoot::kDecimal:
      return boolean_to_number<int128>;
    default:
      return nullptr;
  }
}

}  // namespace

CastRule numeric_cast(const LogicalType& from, const LogicalType& to) {
  switch (from.root()) {
    case TypeRoot::kBoolean:
      return {cast_from_boolean(to), false};
    case TypeRoot::kTinyint:
      return {cast_from<int8_t>(to), false};
    case TypeRoot::kSmallint:
      return {cast_from<int16_t>(to), false};
    case TypeRoot::kInteger:
      return {cast_from<int32_t>(to), false};
    case TypeRoot::kBigint:
      return {cast_from<int64_t>(to), false};
    case TypeRoot::kFloat:
      return {cast_from<float>(to), to.is(TypeRoot::kDecimal)};
    case TypeRoot::kDouble:
      return {cast_from<double>(to), to.is(TypeRoot::kDecimal)};
    case TypeRoot::kDecimal:
      return {cast_from_decimal(to), false};
    default:
      return {};
  }
}

}  // namespace yeoul
