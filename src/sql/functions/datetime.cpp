#include <cmath>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

// What the clock says. Read once a batch, so all its rows agree.

ColumnPtr current_instant(KernelContext& context, const Expression& call, std::span<const Argument>, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  std::fill_n(out->allocate_values<int64_t>(), n, context.config().clock->wall_ms());
  return out;
}

int64_t local_now(const KernelContext& context) {
  return context.config().zone.instant_to_local_ms(context.config().clock->wall_ms());
}

ColumnPtr local_timestamp(KernelContext& context, const Expression& call, std::span<const Argument>, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  std::fill_n(out->allocate_values<int64_t>(), n, local_now(context));
  return out;
}

ColumnPtr current_date(KernelContext& context, const Expression& call, std::span<const Argument>, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  std::fill_n(out->allocate_values<int32_t>(), n, static_cast<int32_t>(floor_div(local_now(context), kMillisPerDay)));
  return out;
}

ColumnPtr current_time(KernelContext& context, const Expression& call, std::span<const Argument>, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  const auto millis = static_cast<int32_t>(floor_mod(local_now(context), kMillisPerDay));
  std::fill_n(out->allocate_values<int32_t>(), n, millis / 1000 * 1000);
  return out;
}

LogicalType type_ltz3(std::span<const ExpressionPtr>) {
  return LogicalType::timestamp_ltz(3);
}
LogicalType type_timestamp3(std::span<const ExpressionPtr>) {
  return LogicalType::timestamp(3);
}
LogicalType type_time0(std::span<const ExpressionPtr>) {
  return LogicalType::time(0);
}

// TO_TIMESTAMP_LTZ(number[, precision])

constexpr int64_t kInstantMin = -62167219200000;
constexpr int64_t kInstantMax = 253402300799999;

std::optional<TimestampValue> instant_of(int64_t amount, int precision) {
  TimestampValue value;
  if (precision <= 3) {
    const auto factor = static_cast<int64_t>(power_of_ten(3 - precision));
    if (amount > kInstantMax / factor || amount < kInstantMin / factor) return std::nullopt;
    value.millis = amount * factor;
  } else {
    const auto divisor = static_cast<int64_t>(power_of_ten(precision - 3));
    value.millis = floor_div(amount, divisor);
    value.nanos = static_cast<int32_t>(floor_mod(amount, divisor) * static_cast<int64_t>(power_of_ten(9 - precision)));
  }
  if (value.millis < kInstantMin || value.millis > kInstantMax) return std::nullopt;
  return value;
}

int precision_of_call(const Expression& call) {
  return call.arguments.size() > 1 ? static_cast<int>(call.arguments[1]->value.integer()) : 3;
}

ColumnPtr instant_from_integer(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const IntegerReader in(arguments[0]);
  const int precision = precision_of_call(call);
  return write_timestamps(call, arguments, n, [&](size_t i) { return instant_of(in[i], precision); });
}

ColumnPtr instant_from_real(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const CellReader<double> in(arguments[0]);
  const int precision = precision_of_call(call);
  return write_timestamps(call, arguments, n, [&](size_t i) -> std::optional<TimestampValue> {
    const double amount = std::floor(in[i]);
    if (!(std::abs(amount) < 9.2e18)) return std::nullopt;
    return instant_of(static_cast<int64_t>(amount), precision);
  });
}

}  // namespace

ExpressionPtr resolve_instant_from_number(const Function& function, Arguments arguments) {
  if (arguments.size() == 2) {
    const int64_t precision = is_integer_literal(*arguments[1]) ? arguments[1]->value.integer() : -1;
    if (precision < 0 || precision > 9) {
      fail_arguments(function.name, arguments, "'TO_TIMESTAMP_LTZ(<NUMERIC>, <INTEGER LITERAL 0 to 9>)'");
    }
  }
  const int precision = arguments.size() == 2 ? static_cast<int>(arguments[1]->value.integer()) : 3;
  const LogicalType type = LogicalType::timestamp_ltz(std::max(3, precision));
  const bool integer = arguments[0]->type.is_integer();
  if (!integer) {
    arguments[0] = make_cast(arguments[0], LogicalType::double_().as_nullable(arguments[0]->type.nullable()));
  }
  return make_kernel_call(function.name, type, integer ? instant_from_integer : instant_from_real,
                          std::move(arguments));
}

namespace {

constexpr Function kDatetimeFunctions[] = {
    {"CURRENT_TIMESTAMP", "", type_ltz3, current_instant, NullRule::kNotNull, false, false},
    {"NOW", "", type_ltz3, current_instant, NullRule::kNotNull, false, false},
    {"CURRENT_ROW_TIMESTAMP", "", type_ltz3, current_instant, NullRule::kNotNull, false, false},
    {"PROCTIME", "", type_ltz3, current_instant, NullRule::kNotNull, false, false},
    {"LOCALTIMESTAMP", "", type_timestamp3, local_timestamp, NullRule::kNotNull, false, false},
    {"CURRENT_DATE", "", type_of_root<TypeRoot::kDate>, current_date, NullRule::kNotNull, false, false},
    {"CURRENT_TIME", "", type_time0, current_time, NullRule::kNotNull, false, false},
    {"LOCALTIME", "", type_time0, current_time, NullRule::kNotNull, false, false},
};

}  // namespace

std::span<const Function> datetime_functions() {
  return kDatetimeFunctions;
}

}  // namespace yeoul
