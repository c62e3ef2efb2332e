#include "yeoul/common/java_options.h"

#include <utility>

namespace yeoul {
namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (quote == '\0' && std::string_view(" \t\r\n").find(c) != std::string_view::npos) {
      if (in_word) words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word.push_back(c);
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace

JavaOptions parse_java_options(std::string_view text) {
  JavaOptions out;
  for (std::string& word : words_of(text)) {
    const size_t equals = word.find('=');
    if (word.starts_with("-D") && equals != std::string::npos) {
      out.properties[word.substr(2, equals - 2)] = word.substr(equals + 1);
    } else {
      out.others.push_back(std::move(word));
    }
  }
  return out;
}

}  // namespace yeoul
