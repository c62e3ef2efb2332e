#include "yeoul/kafka/security/jaas_config.h"

#include <algorithm>

#include "yeoul/common/ascii.h"
#include "yeoul/common/error.h"
#include "yeoul/common/utf8.h"

namespace yeoul {
namespace {

constexpr std::string_view kSpaces = " \t\r\n\f\v";
constexpr std::string_view kControlFlags[] = {"required", "requisite", "sufficient", "optional"};

class JaasReader {
 public:
  /// @param word_ends  what ends a word that is not in quotes
  JaasReader(std::string_view text, std::string_view word_ends) : text_(text), word_ends_(word_ends) {}

  /// Passes what stands between words.
  void skip() {
    for (;;) {
      at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size());
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (rest.starts_with("/*")) {
        const size_t end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) fail("a comment has no end", at_);
        at_ = end + 2;
      } else {
        return;
      }
    }
  }
  bool at_end() {
    skip();
    return at_ == text_.size();
  }
  /// Whether this character comes next; passes it then.
  bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  /// The next word, in quotes or not; empty where none comes.
  std::string word() {
    const bool is_none = at_end();
    begin_ = at_;
    if (is_none) return "";
    if (text_[at_] == '"' || text_[at_] == '\'') return quoted();
    const size_t end = std::min(text_.find_first_of(word_ends_, at_), text_.size());
    const std::string out(text_.substr(at_, end - at_));
    at_ = end;
    return out;
  }
  bool quote_comes() {
    skip();
    return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
  }
  /// What comes next is wrong.
  [[noreturn]] void fail_next(std::string_view what) {
    skip();
    fail(what, at_);
  }
  /// The word read last is.
  [[noreturn]] void fail_word(std::string_view what) const { fail(what, begin_); }

 private:
  [[noreturn]] void fail(std::string_view what, size_t at) const {
    if (text_.find_first_not_of(kSpaces) == std::string_view::npos) throw user_error(2010, "{} (it is empty)", what);
    if (at == text_.size()) throw user_error(2010, "{} (at its end)", what);
    throw user_error(2010, "{} (at character {} of {})", what, utf8_length(text_.substr(0, at)) + 1,
                     utf8_length(text_));
  }
  std::string quoted() {
    const size_t begin = at_;
    const char quote = text_[at_++];
    std::string out;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == quote) {
        ++at_;
        return out;
      }
      out.push_back(text_[at_] == '\\' && at_ + 1 < text_.size() ? escaped() : text_[at_]);
    }
    fail("a quoted value has no closing quote", begin);
  }
  /// Java's escapes; leaves the position at the last character of one.
  char escaped() {
    const char c = text_[++at_];
    if (c >= '0' && c <= '7') {
      int value = 0;
      const size_t digits = c <= '3' ? 3 : 2;
      const size_t begin = at_;
      for (; at_ < text_.size() && at_ < begin + digits && text_[at_] >= '0' && text_[at_] <= '7'; ++at_) {
        value = value * 8 + (text_[at_] - '0');
      }
      --at_;
      return static_cast<char>(value);
    }
    constexpr std::string_view kNames = "abfnrtv";
    constexpr std::string_view kValues = "\a\b\f\n\r\t\v";
    const size_t name = kNames.find(c);
    return name == std::string_view::npos ? c : kValues[name];
  }

  std::string_view text_;
  std::string_view word_ends_;
  size_t at_ = 0;
  size_t begin_ = 0;  ///< of the word read last
};

/// One login module with its options, up to its ';'.
JaasConfig read_module(JaasReader& reader) {
  JaasConfig config;
  config.module = reader.word();
  if (config.module.empty()) reader.fail_word("no login module is named");
  const std::string flag = lower_case(reader.word());
  if (std::find(std::begin(kControlFlags), std::end(kControlFlags), flag) == std::end(kControlFlags)) {
    reader.fail_word("after the login module must stand 'required', 'requisite', 'sufficient' or 'optional'");
  }
  while (!reader.take(';')) {
    if (reader.at_end()) reader.fail_next("there is no ';' at the end");
    const std::string name = reader.word();
    if (name.empty()) reader.fail_word("the name of an option is missing");
    if (!reader.take('=')) reader.fail_next(fmt::format("after the option '{}' must stand '=' and a value", name));
    const bool is_quoted = reader.quote_comes();
    std::string value = reader.word();
    if (value.empty() && !is_quoted) reader.fail_word(fmt::format("the option '{}' has no value", name));
    config.options[name] = std::move(value);
  }
  return config;
}

}  // namespace

bool JaasConfig::is_module(std::string_view name) const {
  if (!module.ends_with(name)) return false;
  const size_t rest = module.size() - name.size();
  return rest == 0 || module[rest - 1] == '.';
}

std::string JaasConfig::option(std::string_view name) const {
  const auto found = options.find(name);
  return found == options.end() ? "" : found->second;
}

JaasConfig parse_jaas_config(std::string_view text) {
  JaasReader reader(text, " \t\r\n\f\v=;\"'");
  JaasConfig config = read_module(reader);
  if (!reader.at_end()) reader.fail_next("only one login module can be used");
  return config;
}

std::vector<JaasConfig> parse_jaas_file(std::string_view text, std::string_view section) {
  JaasReader reader(text, " \t\r\n\f\v=;\"'{}");
  std::vector<JaasConfig> found;
  while (!reader.at_end()) {
    const std::string name = reader.word();
    if (name.empty()) reader.fail_word("the name of a section is missing");
    if (!reader.take('{')) reader.fail_next(fmt::format("after the section's name '{}' must stand '{{'", name));
    while (!reader.take('}')) {
      if (reader.at_end()) reader.fail_next(fmt::format("the section '{}' has no '}}' at its end", name));
      JaasConfig module = read_module(reader);
      if (name == section) found.push_back(std::move(module));
    }
    if (!reader.take(';')) reader.fail_next(fmt::format("after the section '{}' must stand ';'", name));
  }
  return found;
}

}  // namespace yeoul
