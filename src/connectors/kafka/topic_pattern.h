#pragma once

#include <regex>
#include <string>
#include <string_view>

namespace yeoul {

/// A pattern of topic names as Java writes it. A leading (?i) is known; of Java's other extensions beyond ECMAScript
/// none is, and each is refused by name, since it would mean something else.
class TopicPattern {
 public:
  /// @param what  the pattern's name in messages, e.g. "table 't': option 'topic-pattern'"
  /// @throws user error 2010 for what is no pattern, or has a construct that is not known
  TopicPattern(std::string_view what, std::string_view text);

  /// Whether the whole name matches.
  bool matches(const std::string& topic) const { return std::regex_match(topic, regex_); }

 private:
  std::regex regex_;
};

}  // namespace yeoul
