#include "yeoul/common/charset.h"

#include <algorithm>

#include "yeoul/common/ascii.h"
#include "yeoul/common/utf8.h"

namespace yeoul {

std::optional<Charset> find_charset(std::string_view name) {
  const std::string lower = lower_case(name);
  if (lower == "utf-8" || lower == "utf8") return Charset::kUtf8;
  if (lower == "iso-8859-1" || lower == "iso8859_1" || lower == "latin1") return Charset::kLatin1;
  if (lower == "us-ascii" || lower == "ascii") return Charset::kAscii;
  return std::nullopt;
}

void append_encoded(std::string_view text, Charset charset, std::string& out) {
  if (charset == Charset::kUtf8) {
    out += text;
    return;
  }
  const uint32_t last = charset == Charset::kLatin1 ? 0xff : 0x7f;
  for (size_t at = 0; at < text.size();) {
    size_t broken = 0;
    const size_t width = utf8_sequence(text, at, broken);
    size_t next = at;
    const uint32_t code = width == 0 ? last + 1 : utf8_next(text, next);
    out += code <= last ? static_cast<char>(code) : '?';
    at += width == 0 ? broken : width;
  }
}

size_t append_decoded(std::string_view bytes, Charset charset, std::string& out) {
  if (charset == Charset::kUtf8) {
    out += bytes;
    return std::string_view::npos;
  }
  size_t first_bad = std::string_view::npos;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    const bool means_nothing = charset == Charset::kAscii && byte >= 0x80;
    if (means_nothing) first_bad = std::min(first_bad, i);
    append_utf8(means_nothing ? 0xfffd : byte, out);
  }
  return first_bad;
}

}  // namespace yeoul
