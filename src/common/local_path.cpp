#include "yeoul/common/local_path.h"

#include <algorithm>

#include "yeoul/common/ascii.h"
#include "yeoul/common/error.h"

namespace yeoul {
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string local_path(std::string_view what, std::string_view text) {
  std::string path(text);
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos && text.substr(0, colon).find('/') == std::string_view::npos) {
    if (text.substr(0, colon) != "file") {
      throw user_error(2010, "{}: '{}': only local files are supported: a path, or file:///…", what, text);
    }
    std::string_view rest = text.substr(colon + 1);
    if (rest.starts_with("//")) {
      rest.remove_prefix(2);
      rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // a host, which is this one
    }
    path = percent_decoded(rest);
  }
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (path.empty()) throw user_error(2010, "{} is empty", what);
  return path;
}

}  // namespace yeoul
