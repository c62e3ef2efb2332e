#include "yeoul/sql/functions/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "yeoul/common/utf8.h"

namespace yeoul {
namespace {

constexpr int kDepthMax = 1000;  // Jackson's

class JsonParser {
 public:
  JsonParser(std::string_view text, std::string& error) : text_(text), error_(error) {}

  bool value(JsonNode& out, int depth) {
    skip_blanks();
    if (at_ == text_.size()) return fail("the text ends too early");
    if (depth > kDepthMax) return fail("values are nested too deeply");
    switch (text_[at_]) {
      case '{':
        return object(out, depth);
      case '[':
        return array(out, depth);
      case '"':
        out.kind = JsonNode::Kind::kString;
        return string(out.text);
      case 't':
        out.kind = JsonNode::Kind::kTrue;
        return word("true");
      case 'f':
        out.kind = JsonNode::Kind::kFalse;
        return word("false");
      case 'n':
        out.kind = JsonNode::Kind::kNull;
        return word("null");
      default:
        return number(out);
    }
  }

 private:
  bool fail(std::string_view why) {
    error_ = fmt::format("byte {}: {}", at_, why);
    return false;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  /// A number or word must end here.
  bool at_end_of_token() const {
    return at_ == text_.size() || std::string_view(" \t\r\n,]}[{\":").find(text_[at_]) != std::string_view::npos;
  }

  bool word(std::string_view expected) {
    if (text_.substr(at_, expected.size()) != expected) return fail("unknown word");
    at_ += expected.size();
    return at_end_of_token() || fail("unknown word");
  }

  bool number(JsonNode& out) {
    const size_t first = at_;
    out.kind = JsonNode::Kind::kInteger;
    if (text_[at_] == '-') ++at_;
    if (!digit()) return fail("no value starts like this");
    if (text_[at_] == '0') {
      ++at_;
    } else {
      while (digit()) ++at_;
    }
    if (at_ < text_.size() && text_[at_] == '.') {
      out.kind = JsonNode::Kind::kFraction;
      ++at_;
      if (!digit()) return fail("a digit must follow the point");
      while (digit()) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      out.kind = JsonNode::Kind::kFraction;
      ++at_;
      if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
      if (!digit()) return fail("a digit must follow the exponent's sign");
      while (digit()) ++at_;
    }
    if (!at_end_of_token()) return fail("a number ends in something else");
    out.text = big_decimal_text(text_.substr(first, at_ - first));
    return true;
  }

  bool string(std::string& out) {
    const size_t first = ++at_;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<uint8_t>(text_[at_]) < 0x20) return fail("a control character stands in a string");
      at_ += text_[at_] == '\\' ? 2 : 1;
    }
    if (at_ >= text_.size()) return fail("a string does not end");
    const std::string_view raw = text_.substr(first, at_ - first);
    ++at_;
    return append_unescaped(raw, out) || fail("a string has a broken escape");
  }

  bool array(JsonNode& out, int depth) {
    out.kind = JsonNode::Kind::kArray;
    ++at_;
    if (take(']')) return true;
    do {
      if (!value(out.children.emplace_back(), depth + 1)) return false;
    } while (take(','));
    return take(']') || fail("',' or ']' is missing");
  }

  bool object(JsonNode& out, int depth) {
    out.kind = JsonNode::Kind::kObject;
    ++at_;
    if (take('}')) return true;
    do {
      skip_blanks();
      if (at_ == text_.size() || text_[at_] != '"') return fail("a field name in double quotes is missing");
      std::string name;
      if (!string(name)) return false;
      if (!take(':')) return fail("':' is missing");
      if (!value(out.add_field(std::move(name)), depth + 1)) return false;
    } while (take(','));
    return take('}') || fail("',' or '}' is missing");
  }

  std::string_view text_;
  size_t at_ = 0;
  std::string& error_;
};

bool hex4(std::string_view raw, size_t at, uint32_t& out) {
  if (at + 4 > raw.size()) return false;
  out = 0;
  for (size_t i = at; i < at + 4; ++i) {
    const char c = raw[i];
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    out = out * 16 + static_cast<uint32_t>(digit);
  }
  return true;
}

/// Behind "\u": the code point, of two escapes where they are a surrogate pair. U+FFFD for a lone surrogate.
bool unescape_unicode(std::string_view raw, size_t& at, std::string& out) {
  uint32_t code = 0;
  if (!hex4(raw, at, code)) return false;
  at += 4;
  if (code >= 0xd800 && code < 0xdc00 && raw.substr(at, 2) == "\\u") {
    uint32_t low = 0;
    if (!hex4(raw, at + 2, low)) return false;
    if (low >= 0xdc00 && low < 0xe000) {
      at += 6;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
  }
  append_utf8(code >= 0xd800 && code < 0xe000 ? 0xfffd : code, out);
  return true;
}

}  // namespace

const JsonNode* JsonNode::field(std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return &children[i];
  }
  return nullptr;
}

JsonNode& JsonNode::add_field(std::string name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) {
    JsonNode& old = children[static_cast<size_t>(it - names.begin())];
    old = JsonNode();
    return old;
  }
  names.push_back(std::move(name));
  return children.emplace_back();
}

bool parse_json(std::string_view text, JsonNode& out, std::string& error) {
  return JsonParser(text, error).value(out, 0);
}

bool append_unescaped(std::string_view raw, std::string& out) {
  static constexpr std::string_view kEscapes = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  for (size_t at = 0; at < raw.size();) {
    if (raw[at] != '\\') {
      out += raw[at++];
      continue;
    }
    if (++at == raw.size()) return false;
    const char c = raw[at++];
    if (c == 'u') {
      if (!unescape_unicode(raw, at, out)) return false;
      continue;
    }
    const size_t found = kEscapes.find(c);
    if (found == std::string_view::npos) return false;
    out += kMeanings[found];
  }
  return true;
}

std::string big_decimal_text(std::string_view number) {
  const bool negative = number.starts_with('-');
  if (negative) number.remove_prefix(1);
  const size_t e = std::min(number.find_first_of("eE"), number.size());
  const int64_t exponent = e < number.size() ? std::strtoll(std::string(number.substr(e + 1)).c_str(), nullptr, 10) : 0;
  const std::string_view mantissa = number.substr(0, e);
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits(mantissa.substr(0, point));
  int64_t scale = -exponent;
  if (point < mantissa.size()) {
    digits += mantissa.substr(point + 1);
    scale += static_cast<int64_t>(mantissa.size() - point - 1);
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  const std::string sign = negative && digits != "0" ? "-" : "";
  const auto count = static_cast<int64_t>(digits.size());
  if (scale == 0) return sign + digits;
  const int64_t adjusted = count - 1 - scale;
  if (scale > 0 && adjusted >= -6) {
    if (count <= scale) digits.insert(0, static_cast<size_t>(scale - count + 1), '0');
    digits.insert(digits.size() - static_cast<size_t>(scale), ".");
    return sign + digits;
  }
  if (count > 1) digits.insert(1, ".");
  return adjusted == 0 ? sign + digits : fmt::format("{}{}E{:+}", sign, digits, adjusted);
}

void append_json_text(std::string_view text, std::string& out) {
  static constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t";
  static constexpr std::string_view kEscapes = "\"\\bfnrt";
  out += '"';
  for (const char c : text) {
    const size_t found = kSpecial.find(c);
    if (found != std::string_view::npos) {
      out += '\\';
      out += kEscapes[found];
    } else if (static_cast<uint8_t>(c) < 0x20) {
      out += fmt::format("\\u{:04X}", static_cast<uint8_t>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json(const JsonNode& node, std::string& out) {
  switch (node.kind) {
    case JsonNode::Kind::kNull:
      out += "null";
      return;
    case JsonNode::Kind::kTrue:
      out += "true";
      return;
    case JsonNode::Kind::kFalse:
      out += "false";
      return;
    case JsonNode::Kind::kInteger:
    case JsonNode::Kind::kFraction:
      out += node.text;
      return;
    case JsonNode::Kind::kString:
      return append_json_text(node.text, out);
    case JsonNode::Kind::kArray:
      out += '[';
      for (size_t i = 0; i < node.children.size(); ++i) {
        if (i > 0) out += ',';
        append_json(node.children[i], out);
      }
      out += ']';
      return;
    case JsonNode::Kind::kObject: {
      std::vector<size_t> order(node.names.size());
      std::iota(order.begin(), order.end(), size_t{0});
      std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return node.names[a] < node.names[b]; });
      out += '{';
      for (size_t i = 0; i < order.size(); ++i) {
        if (i > 0) out += ',';
        append_json_text(node.names[order[i]], out);
        out += ':';
        append_json(node.children[order[i]], out);
      }
      out += '}';
    }
  }
}

}  // namespace yeoul
