#include "yeoul/sql/functions/rounding.h"

#include <algorithm>
#include <cmath>

#include "yeoul/sql/functions/decimal_math.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/registry.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

template <bool kCeil, class T>
ColumnPtr whole_real(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<T> in(arguments[0]);
  return write_cells<T>(call, arguments, n,
                        [&](size_t i) -> T { return kCeil ? std::ceil(in[i]) : std::floor(in[i]); });
}

template <bool kCeil>
ColumnPtr whole_decimal(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int128> in(arguments[0]);
  const int128 unit = power_of_ten(arguments[0].column->type().scale());
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> int128 {
    const int128 value = in[i];
    const int128 quotient = value / unit;
    const int128 rest = value % unit;
    if (kCeil) return quotient + (rest > 0 ? 1 : 0);
    return quotient - (rest < 0 ? 1 : 0);
  });
}

// ROUND and TRUNCATE: value[, digits]

template <bool kRound>
ColumnPtr round_integer(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const IntegerReader in(arguments[0]);
  std::optional<CellReader<int32_t>> digits;
  if (arguments.size() > 1) digits.emplace(arguments[1]);
  const auto value_at = [&](size_t i) -> int64_t {
    const int64_t value = in[i];
    const int64_t places = digits ? -int64_t{(*digits)[i]} : 0;
    if (places <= 0) return value;
    if (places > 18) return 0;
    const auto unit = static_cast<int64_t>(power_of_ten(static_cast<int>(places)));
    int128 quotient = value / unit;
    const int64_t rest = value % unit;
    if (kRound && std::abs(rest) >= unit - std::abs(rest)) quotient += value < 0 ? -1 : 1;
    return static_cast<int64_t>(quotient * unit);
  };
  switch (call.type.root()) {
    case TypeRoot::kTinyint:
      return write_cells<int8_t>(call, arguments, n, [&](size_t i) { return static_cast<int8_t>(value_at(i)); });
    case TypeRoot::kSmallint:
      return write_cells<int16_t>(call, arguments, n, [&](size_t i) { return static_cast<int16_t>(value_at(i)); });
    case TypeRoot::kInteger:
      return write_cells<int32_t>(call, arguments, n, [&](size_t i) { return static_cast<int32_t>(value_at(i)); });
    default:
      return write_cells<int64_t>(call, arguments, n, [&](size_t i) { return value_at(i); });
  }
}

/// The unscaled value at `places` digits behind the point (negative: in front); nothing where it does not fit.
template <bool kRound>
std::optional<int128> at_places(int128 value, int scale, int places) {
  if (places >= scale) return value;
  const int64_t cut = int64_t{scale} - places;
  if (cut > 38) return int128{0};
  const int128 unit = power_of_ten(static_cast<int>(cut));
  int128 quotient = value / unit;
  const int128 rest = value % unit;
  const int128 size = rest < 0 ? -rest : rest;
  if (kRound && size >= unit - size) quotient += value < 0 ? -1 : 1;
  return decimal_multiply(quotient, 0, unit, 0, 0);
}

template <bool kRound>
ColumnPtr round_decimal(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<int128> in(arguments[0]);
  std::optional<CellReader<int32_t>> digits;
  if (arguments.size() > 1) digits.emplace(arguments[1]);
  const int scale = arguments[0].column->type().scale();
  return write_cells<int128>(call, arguments, n, [&](size_t i) -> std::optional<int128> {
    const std::optional<int128> value = at_places<kRound>(in[i], scale, digits ? (*digits)[i] : 0);
    if (!value) return std::nullopt;
    const std::optional<int128> scaled = decimal_rescale(*value, scale, call.type.scale());
    return scaled && decimal_fits(*scaled, call.type.precision()) ? scaled : std::nullopt;
  });
}

/// On the shortest decimal text of the number, half up, not on the binary value.
template <bool kRound, class T>
ColumnPtr round_real(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<T> in(arguments[0]);
  std::optional<CellReader<int32_t>> digits;
  if (arguments.size() > 1) digits.emplace(arguments[1]);
  return write_cells<T>(call, arguments, n, [&](size_t i) -> std::optional<T> {
    const double value = static_cast<double>(in[i]);
    if (!std::isfinite(value)) {
      context.row_error(static_cast<uint32_t>(i), fmt::format("{} is no DECIMAL, so it cannot be rounded", value));
      return std::nullopt;
    }
    const int places = digits ? (*digits)[i] : 0;
    if (std::abs(value) >= 1e15 && places >= 0) return in[i];
    constexpr int kScale = 20;
    if (places >= kScale) return in[i];
    const std::optional<int128> exact = double_to_decimal(value, 38, kScale);
    if (!exact) return in[i];
    const std::optional<int128> rounded = at_places<kRound>(*exact, kScale, places);
    return rounded ? static_cast<T>(decimal_to_double(*rounded, kScale)) : in[i];
  });
}

template <bool kRound>
Kernel round_kernel(const LogicalType& type) {
  if (type.is_integer()) return round_integer<kRound>;
  if (type.is(TypeRoot::kDecimal)) return round_decimal<kRound>;
  if (type.is(TypeRoot::kFloat)) return round_real<kRound, float>;
  return round_real<kRound, double>;
}

/// Flink's findRoundDecimalType.
LogicalType rounded_decimal(const LogicalType& type, int64_t digits) {
  if (digits >= type.scale()) return type;
  if (digits < 0) return LogicalType::decimal(std::min(38, 1 + type.precision() - type.scale()), 0);
  const int places = static_cast<int>(digits);
  return LogicalType::decimal(std::min(38, 1 + type.precision() - type.scale() + places), places);
}

template <bool kRound>
ExpressionPtr resolve_round(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  if (arguments.empty() || arguments.size() > 2 || !arguments[0]->type.is_numeric() ||
      (arguments.size() == 2 && !arguments[1]->type.is_integer())) {
    fail_arguments(function.name, arguments, "'<NUMERIC>', '<NUMERIC>, <INTEGER>'");
  }
  LogicalType type = arguments[0]->type;
  if (type.is(TypeRoot::kDecimal)) {
    const bool literal = arguments.size() == 1 || is_integer_literal(*arguments[1]);
    if (literal) type = rounded_decimal(type, arguments.size() == 1 ? 0 : arguments[1]->value.integer());
  }
  if (arguments.size() == 2) {
    arguments[1] = make_cast(arguments[1], LogicalType::integer().as_nullable(arguments[1]->type.nullable()));
  }
  type = type.as_nullable(any_nullable(arguments));
  const Kernel kernel = round_kernel<kRound>(arguments[0]->type);
  const bool can_fail = arguments[0]->type.is_approximate();
  return make_kernel_call(function.name, type, kernel, std::move(arguments), can_fail);
}

constexpr Function kRoundingFunctions[] = {
    {.name = "ROUND", .resolver = resolve_round<true>},
    {.name = "TRUNCATE", .resolver = resolve_round<false>},
};

}  // namespace

ExpressionPtr make_whole_number(std::string_view name, ExpressionPtr argument, bool ceil) {
  const LogicalType type = argument->type;
  switch (type.root()) {
    case TypeRoot::kDecimal: {
      if (type.scale() == 0) return argument;
      const LogicalType whole = LogicalType::decimal(type.precision(), 0).as_nullable(type.nullable());
      return make_kernel_call(name, whole, ceil ? whole_decimal<true> : whole_decimal<false>, {std::move(argument)});
    }
    case TypeRoot::kFloat:
      return make_kernel_call(name, type, ceil ? whole_real<true, float> : whole_real<false, float>,
                              {std::move(argument)});
    case TypeRoot::kDouble:
      return make_kernel_call(name, type, ceil ? whole_real<true, double> : whole_real<false, double>,
                              {std::move(argument)});
    default:
      return argument;
  }
}

std::span<const Function> rounding_functions() {
  return kRoundingFunctions;
}

}  // namespace yeoul
