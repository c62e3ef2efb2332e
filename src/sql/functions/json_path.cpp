#include "yeoul/sql/functions/json_path.h"

#include <fmt/format.h>

#include <charconv>

#include "yeoul/common/ascii.h"

namespace yeoul {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Takes a mode word off the front: "lax $.a".
bool take_mode(std::string_view word, std::string_view& text) {
  if (!text.starts_with(word) || text.size() == word.size() || !is_blank(text[word.size()])) return false;
  text = trimmed(text.substr(word.size()));
  return true;
}

}  // namespace

JsonPath::JsonPath(std::string_view text) {
  text = trimmed(text);
  if (take_mode("lax", text)) {
    lax_ = true;
  } else {
    take_mode("strict", text);
  }
  // A path without '$' starts at the root all the same.
  const std::string whole = text.starts_with('$') ? std::string(text) : fmt::format("$.{}", text);
  parse(whole);
  for (const Step& step : steps_) {
    definite_ = definite_ && step.kind != Step::Kind::kWildcard && step.kind != Step::Kind::kDescend;
  }
}

void JsonPath::parse(std::string_view text) {
  for (size_t at = 1; at < text.size() && error_.empty();) {
    at = text[at] == '.' ? parse_dot(text, at + 1) : text[at] == '[' ? parse_bracket(text, at + 1) : fail(text, at);
  }
}

size_t JsonPath::fail(std::string_view text, size_t at) {
  error_ = fmt::format("JSON path '{}' is not understood at character {}", text, at + 1);
  return text.size();
}

/// Behind a '.'.
size_t JsonPath::parse_dot(std::string_view text, size_t at) {
  if (at < text.size() && text[at] == '.') {
    steps_.push_back({.kind = Step::Kind::kDescend, .name = {}});
    ++at;
    if (at < text.size() && text[at] == '[') return parse_bracket(text, at + 1);
  }
  if (at < text.size() && text[at] == '*') {
    steps_.push_back({.kind = Step::Kind::kWildcard, .name = {}});
    return at + 1;
  }
  const size_t end = std::min(text.find_first_of(".[ ()", at), text.size());
  if (end == at || (end < text.size() && text[end] != '.' && text[end] != '[')) return fail(text, end);
  steps_.push_back({.kind = Step::Kind::kMember, .name = std::string(text.substr(at, end - at))});
  return end;
}

/// Behind a '['.
size_t JsonPath::parse_bracket(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at == text.size()) return fail(text, at);
  Step step;
  if (text[at] == '*') {
    step.kind = Step::Kind::kWildcard;
    ++at;
  } else if (text[at] == '\'' || text[at] == '"') {
    const char quote = text[at++];
    for (; at < text.size() && text[at] != quote; ++at) {
      if (text[at] == '\\' && at + 1 < text.size()) ++at;
      step.name += text[at];
    }
    if (at == text.size()) return fail(text, at);
    ++at;
  } else {
    step.kind = Step::Kind::kIndex;
    const auto parsed = std::from_chars(text.data() + at, text.data() + text.size(), step.index);
    if (parsed.ec != std::errc()) return fail(text, at);
    at = static_cast<size_t>(parsed.ptr - text.data());
  }
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at == text.size() || text[at] != ']') return fail(text, at);
  steps_.push_back(std::move(step));
  return at + 1;
}

JsonPathResult JsonPath::find(const JsonNode& root) const {
  JsonPathResult out;
  using Kind = JsonPathResult::Kind;
  if (!error_.empty()) {
    out.kind = Kind::kError;
    out.error = error_;
  } else if (!walk(root, 0, true, out)) {
    out.kind = lax_ ? Kind::kNothing : Kind::kError;
  } else if (!definite_) {
    out.kind = Kind::kList;
  } else {
    out.node = out.list[0];
    out.kind = out.node->kind == JsonNode::Kind::kNull ? Kind::kNothing : Kind::kNode;
  }
  return out;
}

/// False where something is missing that a definite path must find.
bool JsonPath::walk(const JsonNode& node, size_t number, bool definite, JsonPathResult& out) const {
  if (number == steps_.size()) {
    out.list.push_back(&node);
    return true;
  }
  const Step& step = steps_[number];
  const JsonNode* next = nullptr;
  switch (step.kind) {
    case Step::Kind::kWildcard:
      return walk_children(node, number + 1, out);
    case Step::Kind::kDescend:
      walk(node, number + 1, false, out);
      return walk_children(node, number, out);
    case Step::Kind::kMember:
      next = node.field(step.name);
      break;
    case Step::Kind::kIndex: {
      const auto count = static_cast<int64_t>(node.children.size());
      const int64_t index = step.index < 0 ? count + step.index : step.index;
      if (node.kind == JsonNode::Kind::kArray && index >= 0 && index < count) {
        next = &node.children[static_cast<size_t>(index)];
      }
    }
  }
  if (next != nullptr) return walk(*next, number + 1, definite, out);
  if (!definite) return true;
  out.error = step.kind == Step::Kind::kMember ? fmt::format("No results for path: no field '{}'", step.name)
                                               : fmt::format("No results for path: no element [{}]", step.index);
  return false;
}

bool JsonPath::walk_children(const JsonNode& node, size_t step, JsonPathResult& out) const {
  for (const JsonNode& child : node.children) walk(child, step, false, out);
  return true;
}

}  // namespace yeoul
