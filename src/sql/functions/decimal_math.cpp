#include "yeoul/sql/functions/decimal_math.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "yeoul/types/text.h"

namespace yeoul {

namespace {

struct Uint256 {
  uint128 high = 0;
  uint128 low = 0;
};

constexpr uint128 kMaxDecimal = []() {
  uint128 value = 1;
  for (int i = 0; i < 38; ++i) value *= 10;
  return value - 1;
}();

uint128 magnitude(int128 value) {
  return value < 0 ? uint128{0} - static_cast<uint128>(value) : static_cast<uint128>(value);
}

std::optional<int128> signed_value(uint128 value, bool negative) {
  if (value > kMaxDecimal) return std::nullopt;
  return negative ? -static_cast<int128>(value) : static_cast<int128>(value);
}

Uint256 multiply(uint128 a, uint128 b) {
  const uint64_t a0 = static_cast<uint64_t>(a);
  const uint64_t a1 = static_cast<uint64_t>(a >> 64);
  const uint64_t b0 = static_cast<uint64_t>(b);
  const uint64_t b1 = static_cast<uint64_t>(b >> 64);
  const uint128 low = static_cast<uint128>(a0) * b0;
  const uint128 middle1 = static_cast<uint128>(a1) * b0;
  const uint128 middle2 = static_cast<uint128>(a0) * b1;
  const uint128 middle = (low >> 64) + static_cast<uint64_t>(middle1) + static_cast<uint64_t>(middle2);
  Uint256 result;
  result.low = static_cast<uint64_t>(low) | (middle << 64);
  result.high = static_cast<uint128>(a1) * b1 + (middle1 >> 64) + (middle2 >> 64) + (middle >> 64);
  return result;
}

Uint256 add(Uint256 a, Uint256 b) {
  Uint256 sum{a.high + b.high, a.low + b.low};
  if (sum.low < a.low) ++sum.high;
  return sum;
}

Uint256 subtract(Uint256 a, Uint256 b) {
  return {a.high - b.high - (a.low < b.low ? 1 : 0), a.low - b.low};
}

bool less(Uint256 a, Uint256 b) {
  return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/// Quotient and remainder; long division by bits where the dividend needs more than 128.
Uint256 divide(Uint256 a, uint128 divisor, uint128& remainder) {
  if (a.high == 0) {
    remainder = a.low % divisor;
    return {0, a.low / divisor};
  }
  Uint256 quotient;
  uint128 rest = 0;
  for (int bit = 255; bit >= 0; --bit) {
    const bool carry = (rest >> 127) != 0;
    const uint128 next = bit >= 128 ? (a.high >> (bit - 128)) & 1 : (a.low >> bit) & 1;
    rest = (rest << 1) | next;
    if (carry || rest >= divisor) {
      rest -= divisor;
      if (bit >= 128) {
        quotient.high |= uint128{1} << (bit - 128);
      } else {
        quotient.low |= uint128{1} << bit;
      }
    }
  }
  remainder = rest;
  return quotient;
}

uint128 power(int n) {
  return static_cast<uint128>(power_of_ten(n));
}

/// value / 10^digits, half up; nothing where it does not fit.
std::optional<int128> round_off(Uint256 value, int digits, bool negative) {
  uint128 remainder = 0;
  while (digits > 38) {
    value = divide(value, power(38), remainder);
    digits -= 38;
  }
  if (digits > 0) {
    const uint128 divisor = power(digits);
    value = divide(value, divisor, remainder);
    if (remainder >= divisor - remainder) value = add(value, {0, 1});
  }
  if (value.high != 0) return std::nullopt;
  return signed_value(value.low, negative);
}

Uint256 scale_up(int128 value, int digits) {
  return multiply(magnitude(value), power(digits));
}

}  // namespace

bool decimal_fits(int128 value, int precision) {
  return magnitude(value) < power(precision);
}

std::optional<int128> decimal_rescale(int128 value, int from_scale, int to_scale) {
  if (from_scale == to_scale) return value;
  if (to_scale > from_scale) {
    const Uint256 scaled = scale_up(value, to_scale - from_scale);
    if (scaled.high != 0) return std::nullopt;
    return signed_value(scaled.low, value < 0);
  }
  return round_off({0, magnitude(value)}, from_scale - to_scale, value < 0);
}

std::optional<int128> decimal_add(int128 a, int scale_a, int128 b, int scale_b, int scale) {
  if (scale_a == scale && scale_b == scale) {
    const int128 sum = a + b;  // two values of 38 digits cannot overflow 127 bits beyond recognition: 2e38 > 2^127
    const bool overflow = (a > 0 && b > 0 && sum < 0) || (a < 0 && b < 0 && sum >= 0);
    if (overflow || magnitude(sum) > kMaxDecimal) return std::nullopt;
    return sum;
  }
  const int exact = std::max(scale_a, scale_b);
  const Uint256 x = scale_up(a, exact - scale_a);
  const Uint256 y = scale_up(b, exact - scale_b);
  const bool negative_a = a < 0;
  const bool negative_b = b < 0;
  const bool x_is_less = less(x, y);
  Uint256 sum;
  if (negative_a == negative_b) {
    sum = add(x, y);
  } else {
    sum = x_is_less ? subtract(y, x) : subtract(x, y);
  }
  const bool negative = x_is_less ? negative_b : negative_a;
  if (scale > exact) {
    const std::optional<int128> value = round_off(sum, 0, negative);
    return value ? decimal_rescale(*value, exact, scale) : value;
  }
  return round_off(sum, exact - scale, negative);
}

std::optional<int128> decimal_multiply(int128 a, int scale_a, int128 b, int scale_b, int scale) {
  const Uint256 product = multiply(magnitude(a), magnitude(b));
  const bool negative = (a < 0) != (b < 0);
  const int exact = scale_a + scale_b;
  if (scale > exact) {
    const std::optional<int128> value = round_off(product, 0, negative);
    return value ? decimal_rescale(*value, exact, scale) : value;
  }
  return round_off(product, exact - scale, negative);
}

std::optional<int128> decimal_divide(int128 a, int scale_a, int128 b, int scale_b, int scale) {
  const bool negative = (a < 0) != (b < 0);
  uint128 divisor = magnitude(b);
  int digits = scale - scale_a + scale_b;
  if (digits < 0) {
    const Uint256 scaled = multiply(divisor, power(-digits));
    if (scaled.high != 0) return int128{0};
    divisor = scaled.low;
    digits = 0;
  }
  uint128 quotient = magnitude(a) / divisor;
  uint128 remainder = magnitude(a) % divisor;
  while (digits > 0) {
    const int step = std::min(digits, 38);
    const Uint256 scaled = multiply(quotient, power(step));
    if (scaled.high != 0 || scaled.low > kMaxDecimal) return std::nullopt;
    const Uint256 rest = multiply(remainder, power(step));
    quotient = scaled.low + divide(rest, divisor, remainder).low;
    digits -= step;
  }
  if (remainder >= divisor - remainder) ++quotient;
  return signed_value(quotient, negative);
}

std::optional<int128> decimal_remainder(int128 a, int scale_a, int128 b, int scale_b) {
  uint128 remainder = 0;
  if (scale_b >= scale_a) {
    divide(scale_up(a, scale_b - scale_a), magnitude(b), remainder);
  } else {
    const Uint256 divisor = scale_up(b, scale_a - scale_b);
    if (divisor.high != 0) return a;
    divide({0, magnitude(a)}, divisor.low, remainder);
  }
  return signed_value(remainder, a < 0);
}

double decimal_to_double(int128 value, int scale) {
  if (magnitude(value) < (uint128{1} << 53) && scale <= 22) {
    static constexpr double kPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return static_cast<double>(static_cast<int64_t>(value)) / kPowers[scale];
  }
  std::string text;
  append_decimal_text(value, scale, text);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

std::optional<int128> double_to_decimal(double value, int precision, int scale) {
  if (!std::isfinite(value)) return std::nullopt;
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  return parse_decimal({text, static_cast<size_t>(end - text)}, precision, scale);
}

}  // namespace yeoul
