#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yeoul {

/// RFC 4648 with padding.
std::string base64(std::string_view bytes);
/// RFC 4648, for URLs, without padding.
std::string base64_url(std::string_view bytes);
/// Either alphabet, padding or not; nothing where it is neither.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace yeoul
