#include <array>
#include <string>

#include "yeoul/types/text.h"

namespace yeoul {

namespace {

constexpr int kMaxDigits = 38;

constexpr std::array<int128, kMaxDigits + 1> kPowersOfTen = [] {
  std::array<int128, kMaxDigits + 1> powers{};
  powers[0] = 1;
  for (int i = 1; i <= kMaxDigits; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

/// A decimal literal taken apart: 0.<digits> * 10^point, digits without leading zeros.
struct Digits {
  std::string digits;
  int64_t point = 0;
  bool negative = false;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads "e-12"; exponents beyond any decimal are held at a bound that keeps sums from overflowing.
bool read_exponent(std::string_view text, int64_t& exponent) {
  constexpr int64_t kBound = 1'000'000'000;
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return false;
  exponent = 0;
  for (const char c : text) {
    if (!is_digit(c)) return false;
    exponent = std::min(exponent * 10 + (c - '0'), kBound);
  }
  if (negative) exponent = -exponent;
  return true;
}

std::optional<Digits> read_digits(std::string_view text) {
  Digits out;
  size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) out.negative = text[at++] == '-';
  bool any = false;
  bool after_point = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (c == '0' && out.digits.empty()) {
      out.point -= after_point;
      continue;
    }
    out.digits.push_back(c);
    out.point += !after_point;
  }
  if (!any) return std::nullopt;
  if (at < text.size()) {
    int64_t exponent = 0;
    if ((text[at] != 'e' && text[at] != 'E') || !read_exponent(text.substr(at + 1), exponent)) return std::nullopt;
    out.point += exponent;
  }
  return out;
}

}  // namespace

int128 power_of_ten(int n) {
  YEOUL_CHECK(n >= 0 && n <= kMaxDigits, "10^{} is no decimal", n);
  return kPowersOfTen[static_cast<size_t>(n)];
}

std::optional<int128> parse_decimal(std::string_view text, int precision, int scale) {
  const std::optional<Digits> number = read_digits(text);
  if (!number) return std::nullopt;
  // Digits that stay in front of the rounding place.
  const int64_t kept = number->point + scale;
  if (number->digits.empty() || kept < 0) return int128{0};
  if (kept > kMaxDigits) return std::nullopt;
  int128 unscaled = 0;
  for (int64_t i = 0; i < kept; ++i) {
    const auto index = static_cast<size_t>(i);
    unscaled = unscaled * 10 + (index < number->digits.size() ? number->digits[index] - '0' : 0);
  }
  const auto next = static_cast<size_t>(kept);
  if (next < number->digits.size() && number->digits[next] >= '5') ++unscaled;
  if (unscaled >= power_of_ten(precision)) return std::nullopt;
  return number->negative ? -unscaled : unscaled;
}

void append_decimal_text(int128 unscaled, int scale, std::string& out) {
  char digits[48];
  char* const end = digits + sizeof digits;
  char* first = end;
  uint128 rest = unscaled < 0 ? -static_cast<uint128>(unscaled) : static_cast<uint128>(unscaled);
  int written = 0;
  // 64-bit division is many times cheaper, and most decimals fit it.
  for (; rest > UINT64_MAX; rest /= 10) {
    if (written++ == scale && scale > 0) *--first = '.';
    *--first = static_cast<char>('0' + static_cast<int>(rest % 10));
  }
  auto low = static_cast<uint64_t>(rest);
  do {
    if (written++ == scale && scale > 0) *--first = '.';
    *--first = static_cast<char>('0' + low % 10);
    low /= 10;
  } while (low != 0 || written <= scale);
  if (unscaled < 0) *--first = '-';
  out.append(first, end);
}

}  // namespace yeoul
