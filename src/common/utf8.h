#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace yeoul {

/// Bytes of the character that starts with this byte; 1 for a stray byte.
inline size_t utf8_width(char lead) {
  const auto byte = static_cast<uint8_t>(lead);
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}
/// Bytes of the well-formed character at `at`; 0 where there is none, with how many bytes one U+FFFD stands for in
/// `broken`, as in Java.
size_t utf8_sequence(std::string_view bytes, size_t at, size_t& broken);
/// Characters (code points).
size_t utf8_length(std::string_view text);
/// Byte offset of character `count`, or the size of the text when it has fewer.
size_t utf8_offset(std::string_view text, size_t count);
/// UTF-16 code units, as Java counts String.length().
size_t utf16_length(std::string_view text);
/// Byte offset behind at most `units` UTF-16 units.
size_t utf16_offset(std::string_view text, size_t units);
/// The code point at `at`, which moves behind it.
uint32_t utf8_next(std::string_view text, size_t& at);
void append_utf8(uint32_t code_point, std::string& out);

/// Bytes with everything that is no UTF-8 replaced by U+FFFD, as Java decodes; to what has std::string's append().
template <class Out>
void append_valid_utf8(std::string_view bytes, Out& out) {
  for (size_t at = 0; at < bytes.size();) {
    size_t broken = 0;
    const size_t width = utf8_sequence(bytes, at, broken);
    if (width != 0) {
      out.append(bytes.data() + at, width);
    } else {
      out.append("\xef\xbf\xbd", 3);
    }
    at += width != 0 ? width : broken;
  }
}

}  // namespace yeoul
