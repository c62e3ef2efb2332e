#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yeoul {

/// java.util.regex over UTF-8: alternation, groups (also named and non-capturing), classes, greedy, lazy and possessive
/// quantifiers, anchors, \b, \d \w \s, \p{…} of the common kinds, back references, look-ahead and look-behind, (?i)
/// (?s) (?m). Backtracking, as Java's, with a bound on its steps: what takes longer counts as no match.
class RegularExpression {
 public:
  /// Nothing for a pattern that is wrong.
  static std::unique_ptr<RegularExpression> compile(std::string_view pattern);
  ~RegularExpression();

  struct Span {
    size_t begin = std::string_view::npos;
    size_t end = std::string_view::npos;
    bool present() const { return begin != std::string_view::npos; }
  };
  /// The first match from `start` on: group 0 first. Empty when there is none.
  std::vector<Span> find(std::string_view text, size_t start = 0) const;
  /// True when the whole text matches.
  bool matches(std::string_view text) const;
  /// Capturing groups without group 0.
  size_t num_groups() const;

 private:
  struct Program;
  explicit RegularExpression(std::unique_ptr<Program> program);
  std::unique_ptr<Program> program_;
};

/// Compiled patterns of one kernel call.
class RegularExpressionCache {
 public:
  /// Null for a pattern that is wrong.
  const RegularExpression* get(std::string_view pattern) {
    if (last_ != nullptr && last_->first == pattern) return last_->second.get();
    auto found = compiled_.find(std::string(pattern));
    if (found == compiled_.end()) {
      found = compiled_.emplace(std::string(pattern), RegularExpression::compile(pattern)).first;
    }
    last_ = &*found;
    return found->second.get();
  }

 private:
  using Table = std::unordered_map<std::string, std::unique_ptr<RegularExpression>>;
  Table compiled_;
  const Table::value_type* last_ = nullptr;
};

}  // namespace yeoul
