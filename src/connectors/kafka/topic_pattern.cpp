#include "yeoul/connectors/kafka/topic_pattern.h"

#include <cctype>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// The first construct in the pattern that Java knows and ECMAScript does not; empty: none.
std::string unknown_construct(std::string_view pattern) {
  constexpr std::string_view kKnownEscapes = "tnrfv0bBdDsSwWcxu123456789";
  bool in_class = false;
  char before = ' ';
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const std::string_view rest = pattern.substr(i);
    if (c == '\\' && i + 1 < pattern.size()) {
      const char escaped = pattern[++i];
      if (std::isalnum(static_cast<unsigned char>(escaped)) != 0 && kKnownEscapes.find(escaped) == std::string::npos) {
        return std::string("\\") + escaped;
      }
      before = 'x';
      continue;
    }
    if (in_class) {
      if (rest.starts_with("&&") || c == '[') return rest.starts_with("&&") ? "&&" : "a class in a class";
      in_class = c != ']';
    } else if (c == '[') {
      in_class = true;
    } else if (rest.starts_with("(?") && !rest.starts_with("(?:") && !rest.starts_with("(?=") &&
               !rest.starts_with("(?!")) {
      return std::string(rest.substr(0, 3));
    } else if (c == '+' && (before == '*' || before == '+' || before == '?' || before == '}')) {
      return std::string(1, before) + "+";
    }
    before = c;
  }
  return "";
}

}  // namespace

TopicPattern::TopicPattern(std::string_view what, std::string_view text) {
  std::string_view pattern = text;
  auto flags = std::regex::ECMAScript | std::regex::optimize;
  if (pattern.starts_with("(?i)")) {
    pattern.remove_prefix(4);
    flags |= std::regex::icase;
  }
  if (const std::string unknown = unknown_construct(pattern); !unknown.empty()) {
    throw user_error(2010,
                     "{} = '{}': '{}' is not supported: of Java's patterns lookbehind, named and atomic groups, flags "
                     "other than a leading (?i), possessive quantifiers, classes in classes, \\p{{…}}, \\Q…\\E and "
                     "\\A, \\z, \\Z, \\h, \\R are missing",
                     what, text, unknown);
  }
  try {
    regex_.assign(pattern.begin(), pattern.end(), flags);
  } catch (const std::regex_error& error) {
    throw user_error(2010, "{} = '{}' is no regular expression: {}", what, text, error.what());
  }
}

}  // namespace yeoul
