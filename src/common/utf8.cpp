#include "yeoul/common/utf8.h"

#include <algorithm>

namespace yeoul {

size_t utf8_length(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
  return count;
}

size_t utf8_offset(std::string_view text, size_t count) {
  size_t at = 0;
  while (count > 0 && at < text.size()) {
    at += utf8_width(text[at]);
    --count;
  }
  return std::min(at, text.size());
}

size_t utf16_length(std::string_view text) {
  size_t count = 0;
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    count += (byte & 0xc0) != 0x80 ? (byte >= 0xf0 ? 2u : 1u) : 0u;
  }
  return count;
}

size_t utf16_offset(std::string_view text, size_t units) {
  size_t at = 0;
  while (at < text.size()) {
    const size_t width = utf8_width(text[at]);
    const size_t need = width == 4 ? 2 : 1;
    if (need > units) break;
    units -= need;
    at += width;
  }
  return std::min(at, text.size());
}

uint32_t utf8_next(std::string_view text, size_t& at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const size_t width = utf8_width(text[at]);
  if (width == 1 || at + width > text.size()) {
    ++at;
    return lead;
  }
  uint32_t code_point = lead & (0x7fu >> width);
  for (size_t i = 1; i < width; ++i) code_point = (code_point << 6) | (static_cast<uint8_t>(text[at + i]) & 0x3fu);
  at += width;
  return code_point;
}

void append_utf8(uint32_t code_point, std::string& out) {
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | (code_point >> 6));
    out += static_cast<char>(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | (code_point >> 12));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code_point & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | (code_point >> 18));
    out += static_cast<char>(0x80 | ((code_point >> 12) & 0x3f));
    out += static_cast<char>(0x80 | ((code_point >> 6) & 0x3f));
    out += static_cast<char>(0x80 | (code_point & 0x3f));
  }
}

size_t utf8_sequence(std::string_view bytes, size_t at, size_t& broken) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const uint8_t lead = byte(at);
  broken = 1;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size_t width = utf8_width(bytes[at]);
  // The second byte excludes overlong forms, surrogates and what is above U+10FFFF.
  uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  for (size_t i = 1; i < width; ++i) {
    if (at + i >= bytes.size() || byte(at + i) < low || byte(at + i) > high) return 0;
    low = 0x80;
    high = 0xbf;
    ++broken;
  }
  return width;
}

}  // namespace yeoul
