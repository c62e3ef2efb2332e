#include "yeoul/formats/json/json_cursor.h"

#include <utility>
#include <vector>

#include "yeoul/common/ascii.h"
#include "yeoul/common/utf8.h"
#include "yeoul/formats/json/json_text.h"
#include "yeoul/formats/json/json_values.h"

namespace yeoul {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// kInteger or kFloat when the whole text is a JSON number.
JsonKind number_kind(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at < end && *at == '-') ++at;
  if (at == end || !is_digit(*at)) return JsonKind::kBroken;
  if (*at == '0') {
    ++at;
  } else {
    while (at < end && is_digit(*at)) ++at;
  }
  if (at == end) return JsonKind::kInteger;
  if (*at == '.') {
    const char* const first = ++at;
    while (at < end && is_digit(*at)) ++at;
    if (at == first) return JsonKind::kBroken;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at < end && (*at == '+' || *at == '-')) ++at;
    const char* const first = at;
    while (at < end && is_digit(*at)) ++at;
    if (at == first) return JsonKind::kBroken;
  }
  return at == end ? JsonKind::kFloat : JsonKind::kBroken;
}

/// The four hex digits at `at`, or -1.
int32_t hex_unit(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int32_t unit = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/// Appends the character that the escape at text[at] (behind its backslash) stands for; moves `at` behind it.
bool append_escape(std::string_view text, size_t& at, std::string& out) {
  if (at >= text.size()) return false;
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char c = text[at++];
  if (const size_t name = kNames.find(c); name != std::string_view::npos) {
    out += kMeanings[name];
    return true;
  }
  if (c != 'u') return false;
  const int32_t unit = hex_unit(text, at);
  if (unit < 0) return false;
  at += 4;
  if (unit < 0xd800 || unit > 0xdfff) {
    append_utf8(static_cast<uint32_t>(unit), out);
    return true;
  }
  if (unit < 0xdc00 && at + 6 <= text.size() && text[at] == '\\' && text[at + 1] == 'u') {
    const int32_t low = hex_unit(text, at + 2);
    if (low >= 0xdc00 && low <= 0xdfff) {
      at += 6;
      append_utf8(0x10000 + (static_cast<uint32_t>(unit - 0xd800) << 10) + static_cast<uint32_t>(low - 0xdc00), out);
      return true;
    }
  }
  out += '?';  // half a surrogate pair: what Java's UTF-8 encoder makes of it
  return true;
}

}  // namespace

JsonKind JsonCursor::kind() {
  switch (peek()) {
    case '"':
      return JsonKind::kString;
    case '{':
      return JsonKind::kObject;
    case '[':
      return JsonKind::kArray;
    case '\0':
      fail("it ends before its last value");
      return JsonKind::kBroken;
    default: {
      const std::string_view text = raw_scalar();
      if (text == "true") return JsonKind::kTrue;
      if (text == "false") return JsonKind::kFalse;
      if (text == "null") return JsonKind::kNull;
      const JsonKind number = number_kind(text);
      if (number == JsonKind::kBroken) fail("this is no JSON value");
      return number;
    }
  }
}

bool JsonCursor::unescape(std::string_view raw, std::string& out) {
  out.clear();
  size_t at = 0;
  while (at < raw.size()) {
    const size_t next = raw.find('\\', at);
    if (next == std::string_view::npos) break;
    out.append(raw, at, next - at);
    at = next + 1;
    if (!append_escape(raw, at, out)) {
      return fail_at("a string holds an escape that JSON does not know", raw.data() + next - data_);
    }
  }
  out.append(raw, at);
  return true;
}

bool JsonCursor::skip_value(int depth) {
  const char c = peek();
  if (c == '"') {
    const std::string_view raw = raw_string();
    if (find_backslash(raw) != raw.size()) {
      std::string text;
      if (!unescape(raw, text)) return false;
    }
    ++token_;
    return true;
  }
  if (c == '{' || c == '[') {
    if (depth >= kMaxDepth) return fail("it is nested too deeply");
    ++token_;
    std::string_view key;
    for (bool first = true;; first = false) {
      const Step step = c == '{' ? next_field(first, key) : next_element(first);
      if (step == Step::kError) return false;
      if (step == Step::kEnd) return true;
      if (c == '{' && find_backslash(key) != key.size()) {
        std::string text;
        if (!unescape(key, text)) return false;
      }
      if (!skip_value(depth + 1)) return false;
    }
  }
  int64_t ignored = 0;
  if (token_ < end_ && take_integer(ignored)) return true;
  if (kind() == JsonKind::kBroken) return false;
  ++token_;
  return true;
}

bool JsonCursor::append_tree_object(std::string& out, bool exact_decimals, int depth) {
  std::vector<std::pair<std::string, std::string>> fields;
  std::string_view raw_key;
  ++token_;
  for (bool first = true;; first = false) {
    const Step step = next_field(first, raw_key);
    if (step == Step::kError) return false;
    if (step == Step::kEnd) break;
    std::string key;
    std::string value;
    if (!unescape(raw_key, key) || !append_tree(value, exact_decimals, depth + 1)) return false;
    auto field = fields.begin();
    while (field != fields.end() && field->first != key) ++field;
    if (field == fields.end()) {
      fields.emplace_back(std::move(key), std::move(value));
    } else {
      field->second = std::move(value);
    }
  }
  out += '{';
  for (const auto& [key, value] : fields) {
    if (&key != &fields.front().first) out += ',';
    append_json_string(key, out);
    out += ':';
    out += value;
  }
  out += '}';
  return true;
}

bool JsonCursor::append_tree(std::string& out, bool exact_decimals, int depth) {
  if (depth >= kMaxDepth) return fail("it is nested too deeply");
  switch (kind()) {
    case JsonKind::kBroken:
      return false;
    case JsonKind::kObject:
      return append_tree_object(out, exact_decimals, depth);
    case JsonKind::kArray: {
      out += '[';
      ++token_;
      for (bool first = true;; first = false) {
        const Step step = next_element(first);
        if (step == Step::kError) return false;
        if (step == Step::kEnd) break;
        if (!first) out += ',';
        if (!append_tree(out, exact_decimals, depth + 1)) return false;
      }
      out += ']';
      return true;
    }
    case JsonKind::kString: {
      std::string scratch;
      std::string_view text;
      if (!string_text(scratch, text)) return false;
      append_json_string(text, out);
      break;
    }
    case JsonKind::kInteger:
      out += raw_scalar() == "-0" ? std::string_view("0") : raw_scalar();
      break;
    case JsonKind::kFloat:
      append_json_fraction(raw_scalar(), exact_decimals, out);
      break;
    default:
      out += raw_scalar();
  }
  ++token_;
  return true;
}

}  // namespace yeoul
