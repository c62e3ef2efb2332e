#include "yeoul/common/config_text.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/common/ascii.h"

namespace yeoul {
namespace {

constexpr std::string_view kBlanks = " \t\r";

/// What is left of a line without its comment: '#' at its begin or behind a blank, outside quotes.
std::string_view without_comment(std::string_view line) {
  char quote = '\0';
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool begins_word = i == 0 || std::string_view(" \t[,").find(line[i - 1]) != std::string_view::npos;
    if (quote != '\0') {
      const bool is_doubled = c == '\'' && quote == '\'' && i + 1 < line.size() && line[i + 1] == '\'';
      if (is_doubled || (c == '\\' && quote == '"')) {
        ++i;
      } else if (c == quote) {
        quote = '\0';
      }
    } else if ((c == '"' || c == '\'') && begins_word) {
      quote = c;
    } else if (c == '#' && begins_word) {
      return line.substr(0, i);
    }
  }
  return line;
}

class ConfigReader {
 public:
  OptionMap read(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      read_line(without_comment(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(options_);
  }

 private:
  /// A mapping that lines of an indentation belong to.
  struct Level {
    size_t indent;
    std::string prefix;
  };

  [[noreturn]] void fail(std::string_view what) const { throw user_error(2010, "line {}: {}", line_, what); }

  void read_line(std::string_view line) {
    const std::string_view content = trimmed(line);
    if (content.empty() || content == "---" || content == "...") return;
    const size_t indent = line.find_first_not_of(' ');
    if (line[indent] == '\t') fail("a tab cannot indent");
    if (content == "-" || content.starts_with("- ")) return add_item(indent, trimmed(content.substr(1)));
    enter(indent);
    read_entry(content);
  }

  /// Finds the mapping that a line of this indentation belongs to.
  void enter(size_t indent) {
    if (!open_key_.empty() && indent > levels_.back().indent) {
      if (in_list_) fail("a list cannot have keys, too");
      levels_.push_back({indent, open_key_ + "."});
      return;
    }
    while (levels_.size() > 1 && levels_.back().indent > indent) levels_.pop_back();
    if (levels_.back().indent != indent) fail("its indentation fits no line above it");
  }

  void read_entry(std::string_view content) {
    size_t colon = content.find(':');
    while (colon != std::string_view::npos && colon + 1 < content.size() &&
           kBlanks.find(content[colon + 1]) == std::string_view::npos) {
      colon = content.find(':', colon + 1);
    }
    if (colon == std::string_view::npos) fail("it is neither 'key: value' nor '- item'");
    const std::string key = levels_.back().prefix + scalar(trimmed(content.substr(0, colon)));
    const std::string_view value = trimmed(content.substr(colon + 1));
    open_key_ = value.empty() ? key : "";
    in_list_ = false;
    if (!value.empty()) set(key, value_of(value));
  }

  void set(const std::string& key, std::string value) {
    if (!options_.try_emplace(key, std::move(value)).second) fail(fmt::format("'{}' is set already", key));
  }

  /// An item of the list that the last key stands for; it may stand below the key's own begin.
  void add_item(size_t indent, std::string_view item) {
    if (open_key_.empty() || indent < levels_.back().indent) fail("the list has no key above it");
    if (!in_list_) {
      set(open_key_, scalar(item));
    } else {
      options_[open_key_] += ";" + scalar(item);
    }
    in_list_ = true;
  }

  std::string value_of(std::string_view text) const {
    if (!text.starts_with('[')) return scalar(text);
    if (!text.ends_with(']')) fail("the list has no ']' at the end of its line");
    std::string out;
    text = text.substr(1, text.size() - 2);
    for (size_t at = 0; at < text.size();) {
      const size_t comma = std::min(text.find(',', at), text.size());
      if (at > 0) out += ';';
      out += scalar(trimmed(text.substr(at, comma - at)));
      at = comma + 1;
    }
    return out;
  }

  std::string scalar(std::string_view text) const {
    if (text.empty()) return "";
    if (text[0] == '"' || text[0] == '\'') return quoted(text);
    if (std::string_view("&*!|>%@`{").find(text[0]) != std::string_view::npos) {
      fail(fmt::format("what begins with '{}' has to stand in quotes", text[0]));
    }
    return std::string(text);
  }

  std::string quoted(std::string_view text) const {
    const char quote = text[0];
    std::string out;
    for (size_t i = 1; i < text.size(); ++i) {
      if (text[i] == quote && quote == '\'' && i + 1 < text.size() && text[i + 1] == quote) {
        ++i;
      } else if (text[i] == quote) {
        if (i + 1 != text.size()) fail("something stands behind the closing quote");
        return out;
      } else if (text[i] == '\\' && quote == '"' && i + 1 < text.size()) {
        out += escaped(text[++i]);
        continue;
      }
      out += text[i];
    }
    fail("a quoted value has no closing quote");
  }

  char escaped(char c) const {
    constexpr std::string_view kNames = "\"\\/ntr";
    constexpr std::string_view kValues = "\"\\/\n\t\r";
    const size_t name = kNames.find(c);
    if (name == std::string_view::npos) fail(fmt::format("'\\{}' is not known in a quoted value", c));
    return kValues[name];
  }

  OptionMap options_;
  std::vector<Level> levels_{{0, ""}};
  std::string open_key_;  ///< the last one, if it has no value on its line
  bool in_list_ = false;  ///< items have followed it
  int line_ = 0;
};

}  // namespace

OptionMap parse_config_text(std::string_view text) {
  return ConfigReader().read(text);
}

}  // namespace yeoul
