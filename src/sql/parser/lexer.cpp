#include "yeoul/sql/parser/lexer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace yeoul::ast {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_ascii_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

CodePoint decode(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return i < text.size() ? static_cast<uint8_t>(text[i]) : 0u; };
  uint32_t first = byte(at);
  if (first < 0x80) return {first, 1};
  size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4) return {};
  uint32_t value = first & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[bytes] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {};
  return {value, bytes};
}

// Letters of names beyond ASCII: Calcite's ranges, and Hangul syllables, which it leaves out.
bool is_letter(uint32_t c) {
  return (c >= 0xC0 && c <= 0x1FFF && c != 0xD7 && c != 0xF7) || (c >= 0x3040 && c <= 0x318F) ||
         (c >= 0x3300 && c <= 0x337F) || (c >= 0x3400 && c <= 0x3D2D) || (c >= 0x4E00 && c <= 0x9FFF) ||
         (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF);
}

// Columns that a terminal gives the character.
size_t width(uint32_t c) {
  bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
              (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
              (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

// Byte of the first character of text that is not UTF-8, if there is one.
std::optional<size_t> first_bad_byte(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    size_t bytes = decode(text, at).bytes;
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

void move_over(SourcePosition& position, std::string_view text) {
  for (char c : text) {
    if (c == '\n') {
      ++position.line;
      position.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++position.column;
    }
  }
  position.offset += text.size();
}

}  // namespace

std::string show_position(std::string_view sql, SourcePosition origin, SourcePosition position) {
  size_t at = position.offset < origin.offset ? 0 : std::min(position.offset - origin.offset, sql.size());
  size_t start = at == 0 ? std::string_view::npos : sql.rfind('\n', at - 1);
  start = start == std::string_view::npos ? 0 : start + 1;
  size_t end = std::min(sql.find('\n', at), sql.size());
  if (end > start && sql[end - 1] == '\r' && at < end) --end;
  constexpr size_t kShownBytes = 100;  // on each side of the caret
  auto to_boundary = [&](size_t i) {
    while (i < sql.size() && (sql[i] & 0xC0) == 0x80) ++i;
    return i;
  };
  bool cut_left = at - start > kShownBytes, cut_right = end - at > kShownBytes;
  if (cut_left) start = to_boundary(at - kShownBytes);
  if (cut_right) end = to_boundary(at + kShownBytes);
  std::string blank(cut_left ? 5 : 2, ' ');
  for (size_t i = start; i < at;) {
    CodePoint c = decode(sql, i);
    if (sql[i] == '\t') {
      blank += '\t';
    } else {
      blank.append(width(c.value), ' ');
    }
    i += std::max<size_t>(c.bytes, 1);
  }
  std::string line =
      fmt::format("  {}{}{}", cut_left ? "..." : "", sql.substr(start, end - start), cut_right ? "..." : "");
  return fmt::format("{}\n{}^", line, blank);
}

Error syntax_error(std::string_view sql, SourcePosition origin, SourcePosition position, std::string_view problem) {
  return user_error(1001, "SQL parse failed at line {}, column {}: {}\n{}", position.line, position.column, problem,
                    show_position(sql, origin, position));
}

Lexer::Lexer(std::string_view sql, SourcePosition origin) : sql_(sql), origin_(origin), position_(origin) {
  if (auto bad = first_bad_byte(sql)) {
    SourcePosition where = origin;
    move_over(where, sql.substr(0, *bad));
    throw user_error(1001,
                     "SQL parse failed at line {}, column {}: byte 0x{:02X} is not UTF-8; save the SQL file as UTF-8",
                     where.line, where.column, static_cast<uint8_t>(sql[*bad]));
  }
}

void Lexer::fail(const SourcePosition& position, std::string_view problem) const {
  throw syntax_error(sql_, origin_, position, problem);
}

void Lexer::advance(size_t bytes) {
  move_over(position_, sql_.substr(at_, bytes));
  at_ = std::min(at_ + bytes, sql_.size());
}

void Lexer::skip_blanks_and_comments() {
  while (at_ < sql_.size()) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f') {
      advance(1);
    } else if (sql_.substr(at_, 3) == "\xEF\xBB\xBF" && at_ == 0) {
      at_ = 3;  // a byte order mark
      position_.offset += 3;
    } else if ((c == '-' && peek(1) == '-') || (c == '/' && peek(1) == '/')) {
      advance(std::min(sql_.find('\n', at_), sql_.size()) - at_);
    } else if (c == '/' && peek(1) == '*' && peek(2) != '+') {
      size_t close = sql_.find("*/", at_ + 2);
      if (close == std::string_view::npos)
        fail(position_, "the comment that starts here has no end; write */ behind it");
      advance(close + 2 - at_);
    } else {
      return;
    }
  }
}

Token Lexer::finish(TokenKind kind, const SourcePosition& position, size_t start) {
  Token token;
  token.kind = kind;
  token.position = position;
  token.raw = sql_.substr(start, at_ - start);
  return token;
}

Token Lexer::quoted(TokenKind kind, const SourcePosition& position, size_t start, char quote) {
  advance(1);  // the opening quote
  std::string text;
  while (true) {
    size_t close = sql_.find(quote, at_);
    if (close == std::string_view::npos) {
      fail(position,
           quote == '`' ? "the quoted name that starts here has no closing back-tick"
                        : "the string that starts here has no closing quote; a quote inside a string is written twice");
    }
    text += sql_.substr(at_, close - at_);
    advance(close + 1 - at_);
    if (peek() != quote) break;
    text += quote;
    advance(1);
  }
  Token token = finish(kind, position, start);
  token.text = std::move(text);
  return token;
}

size_t Lexer::identifier_length(size_t from) const {
  size_t at = from;
  while (at < sql_.size()) {
    if (is_ascii_letter(sql_[at]) || is_digit(sql_[at])) {
      ++at;
      continue;
    }
    CodePoint c = decode(sql_, at);
    if (c.value < 0x80 || !is_letter(c.value)) break;
    at += c.bytes;
  }
  return at - from;
}

Token Lexer::word(const SourcePosition& position) {
  size_t start = at_;
  size_t length = identifier_length(at_);
  std::string_view raw = sql_.substr(start, length);
  char after = peek(length);
  if (after == '\'') {
    TokenKind kind = raw == "x" || raw == "X" ? TokenKind::kBinaryString : TokenKind::kString;
    if (kind == TokenKind::kBinaryString || raw == "n" || raw == "N" || raw.front() == '_') {
      advance(length);
      return quoted(kind, position, start, '\'');
    }
  }
  if ((raw == "u" || raw == "U") && after == '&' && peek(length + 1) == '\'') {
    advance(length + 1);
    return quoted(TokenKind::kUnicodeString, position, start, '\'');
  }
  advance(length);
  Token token = finish(TokenKind::kWord, position, start);
  token.text = token.raw;
  std::transform(token.text.begin(), token.text.end(), token.text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return token;
}

Token Lexer::number(const SourcePosition& position) {
  size_t start = at_, at = at_;
  auto digits = [&] {
    while (at < sql_.size() && is_digit(sql_[at])) ++at;
  };
  TokenKind kind = TokenKind::kInteger;
  digits();
  if (at < sql_.size() && sql_[at] == '.') {
    kind = TokenKind::kDecimal;
    ++at;
    digits();
  }
  if (at < sql_.size() && (sql_[at] == 'e' || sql_[at] == 'E')) {
    size_t exponent = at + 1;
    if (exponent < sql_.size() && (sql_[exponent] == '+' || sql_[exponent] == '-')) ++exponent;
    if (exponent < sql_.size() && is_digit(sql_[exponent])) {
      kind = TokenKind::kApproximate;
      at = exponent;
      digits();
    }
  }
  advance(at - start);
  Token token = finish(kind, position, start);
  token.text = token.raw;
  return token;
}

Token Lexer::symbol(const SourcePosition& position) {
  constexpr std::array<std::string_view, 6> kLong = {"<>", "<=", ">=", "!=", "||", "=>"};
  constexpr std::string_view kShort = "()[]{},.;=<>+-*/%:";
  size_t start = at_;
  if (std::find(kLong.begin(), kLong.end(), sql_.substr(at_, 2)) != kLong.end()) {
    advance(2);
    return finish(TokenKind::kSymbol, position, start);
  }
  bool known = kShort.find(peek()) != std::string_view::npos;
  advance(known ? 1 : decode(sql_, at_).bytes);
  return finish(known ? TokenKind::kSymbol : TokenKind::kInvalid, position, start);
}

Token Lexer::next() {
  skip_blanks_and_comments();
  SourcePosition position = position_;
  size_t start = at_;
  if (at_ >= sql_.size()) return finish(TokenKind::kEnd, position, start);
  char c = peek();
  if (c == '\'') return quoted(TokenKind::kString, position, start, '\'');
  if (c == '`') return quoted(TokenKind::kQuotedName, position, start, '`');
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number(position);
  if (identifier_length(at_) > 0) return word(position);
  if (c == '/' && peek(1) == '*') {
    advance(3);
    in_hint_ = true;
    return finish(TokenKind::kHintStart, position, start);
  }
  if (in_hint_ && c == '*' && peek(1) == '/') {
    advance(2);
    in_hint_ = false;
    return finish(TokenKind::kHintEnd, position, start);
  }
  return symbol(position);
}

std::vector<Token> Lexer::tokenize() {
  std::vector<Token> tokens;
  do {
    tokens.push_back(next());
  } while (tokens.back().kind != TokenKind::kEnd);
  return tokens;
}

}  // namespace yeoul::ast
