#pragma once

#include <cstdint>
#include <optional>

#include "yeoul/types/logical_type.h"

namespace yeoul {

// DECIMAL arithmetic on unscaled values with 256-bit intermediates; nothing where the result has more than 38 digits.

/// True when the value has at most `precision` digits.
bool decimal_fits(int128 value, int precision);
/// The value with another number of digits after the point, rounded half up.
std::optional<int128> decimal_rescale(int128 value, int from_scale, int to_scale);
std::optional<int128> decimal_add(int128 a, int scale_a, int128 b, int scale_b, int scale);
std::optional<int128> decimal_multiply(int128 a, int scale_a, int128 b, int scale_b, int scale);
/// `b` is not zero.
std::optional<int128> decimal_divide(int128 a, int scale_a, int128 b, int scale_b, int scale);
/// Remainder with the sign of `a` and the greater of the scales; `b` is not zero.
std::optional<int128> decimal_remainder(int128 a, int scale_a, int128 b, int scale_b);
/// The nearest double.
double decimal_to_double(int128 value, int scale);
/// Half up from the shortest decimal text of the double, as java.math.BigDecimal.valueOf; nothing where it has more
/// than `precision` digits or is not finite.
std::optional<int128> double_to_decimal(double value, int precision, int scale);

}  // namespace yeoul
