#include "yeoul/kafka/security/base64.h"

#include <cstdint>

namespace yeoul {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string encoded(std::string_view bytes, std::string_view digits) {
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out.push_back(digits[bits >> (count - 6) & 63]);
  }
  if (count > 0) out.push_back(digits[bits << (6 - count) & 63]);
  return out;
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string out = encoded(bytes, kDigits);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

std::string base64_url(std::string_view bytes) {
  return encoded(bytes, kUrlDigits);
}

std::optional<std::string> base64_decoded(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) digit = kUrlDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    out.push_back(static_cast<char>(bits >> count));
  }
  return text.size() % 4 == 1 ? std::nullopt : std::optional(out);
}

}  // namespace yeoul
