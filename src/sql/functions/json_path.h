#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/sql/functions/json_document.h"

namespace yeoul {

/// What a path finds. An indefinite path (one with a wildcard or '..') gives a list, maybe an empty one.
struct JsonPathResult {
  enum class Kind : uint8_t { kError, kNothing, kNode, kList };
  Kind kind = Kind::kNothing;
  const JsonNode* node = nullptr;
  std::vector<const JsonNode*> list;
  std::string error;
};

/// A path as SQL/JSON functions take it: [lax|strict] $.member['member'][0][-1].*..member. Strict (Flink's default):
/// what is missing is an error; lax: it is nothing.
class JsonPath {
 public:
  explicit JsonPath(std::string_view text);

  bool lax() const { return lax_; }
  /// Why the text is no path, or empty.
  const std::string& error() const { return error_; }
  JsonPathResult find(const JsonNode& root) const;

 private:
  struct Step {
    enum class Kind : uint8_t { kMember, kIndex, kWildcard, kDescend };
    Kind kind = Kind::kMember;
    std::string name;
    int64_t index = 0;
  };

  void parse(std::string_view text);
  size_t parse_dot(std::string_view text, size_t at);
  size_t parse_bracket(std::string_view text, size_t at);
  size_t fail(std::string_view text, size_t at);
  bool walk(const JsonNode& node, size_t step, bool definite, JsonPathResult& out) const;
  bool walk_children(const JsonNode& node, size_t step, JsonPathResult& out) const;

  bool lax_ = false;
  bool definite_ = true;
  std::vector<Step> steps_;
  std::string error_;
};

}  // namespace yeoul
