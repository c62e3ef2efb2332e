#pragma once

#include <algorithm>
#include <cctype>
#include <string_view>

namespace yeoul {

/// Whether the texts are equal but for the case of ASCII letters: words of SQL, values of enum options.
inline bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace yeoul
