#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yeoul {

/// How a text is written as bytes where that is not left to UTF-8.
enum class Charset : uint8_t { kUtf8, kLatin1, kAscii };

/// By Java's name or one of its aliases, in any case: "UTF-8", "ISO-8859-1", "latin1", "US-ASCII", ….
std::optional<Charset> find_charset(std::string_view name);

/// Appends a text of UTF-8 in a charset. Each character that this lacks becomes '?', as by Java's encoders.
void append_encoded(std::string_view text, Charset charset, std::string& out);

/// Appends bytes in a charset as UTF-8, those of UTF-8 as they are. Each that means nothing becomes U+FFFD, as by
/// Java's decoders.
/// @return where the first such byte stands; npos: there is none
size_t append_decoded(std::string_view bytes, Charset charset, std::string& out);

}  // namespace yeoul
