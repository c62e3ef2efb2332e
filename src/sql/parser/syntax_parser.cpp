#include "yeoul/sql/parser/syntax_parser.h"

#include <algorithm>
#include <charconv>

#include "yeoul/sql/parser/keywords.h"

namespace yeoul::ast {

SyntaxParser::SyntaxParser(std::string_view sql, SourcePosition origin)
    : sql_(sql), origin_(origin), tokens_(Lexer(sql, origin).tokenize()) {}

SyntaxParser::Nesting::Nesting(SyntaxParser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kNestingMax) {
    --parser_.nesting_;
    parser_.fail_at(parser_.peek().position,
                    fmt::format("the SQL is nested more than {} levels deep; cut it into views", kNestingMax));
  }
}

void SyntaxParser::check_depth(int depth, const SourcePosition& position) const {
  if (depth > kSyntaxDepthMax) {
    fail_at(position, fmt::format("more than {} operations hang on each other; cut the SQL into views, or write IN (…) "
                                  "for a long chain of OR",
                                  kSyntaxDepthMax));
  }
}

const Token& SyntaxParser::peek(size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token SyntaxParser::take() {
  Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool SyntaxParser::at_words(std::initializer_list<std::string_view> keywords) const {
  size_t ahead = 0;
  return std::all_of(keywords.begin(), keywords.end(),
                     [&](std::string_view keyword) { return at_word(keyword, ahead++); });
}

bool SyntaxParser::accept_word(std::string_view keyword) {
  return accept_words({keyword});
}

bool SyntaxParser::accept_words(std::initializer_list<std::string_view> keywords) {
  if (at_words(keywords)) {
    for (size_t i = 0; i < keywords.size(); ++i) take();
    return true;
  }
  note_expected(fmt::format("{}", fmt::join(keywords, " ")));
  return false;
}

bool SyntaxParser::accept_symbol(std::string_view symbol) {
  if (at_symbol(symbol)) {
    take();
    return true;
  }
  note_expected(fmt::format("\"{}\"", symbol));
  return false;
}

void SyntaxParser::expect_word(std::string_view keyword) {
  if (!accept_word(keyword)) fail_here();
}

void SyntaxParser::expect_words(std::initializer_list<std::string_view> keywords) {
  for (std::string_view keyword : keywords) expect_word(keyword);
}

void SyntaxParser::expect_symbol(std::string_view symbol) {
  if (!accept_symbol(symbol)) fail_here();
}

void SyntaxParser::expect_end() {
  accept_symbol(";");
  if (peek().kind != TokenKind::kEnd) fail_here("the end of the statement");
}

void SyntaxParser::note_expected(std::string expected) {
  if (expected_at_ != at_) {
    expected_.clear();
    expected_at_ = at_;
  }
  if (std::find(expected_.begin(), expected_.end(), expected) == expected_.end())
    expected_.push_back(std::move(expected));
}

void SyntaxParser::fail_here() {
  const Token& token = peek();
  if (token.kind == TokenKind::kInvalid && token.raw == "\"") {
    fail_at(token.position,
            "a double quote means nothing in SQL here; write 'text' for a string and `name` for a name");
  }
  if (token.is_symbol("!=")) fail_at(token.position, "\"!=\" is not allowed in Flink SQL; write <> instead");
  std::string found = token.kind == TokenKind::kEnd ? "the end of the statement" : fmt::format("\"{}\"", token.raw);
  constexpr size_t kFoundBytesMax = 60;
  if (found.size() > kFoundBytesMax) {
    size_t cut = kFoundBytesMax;
    while ((found[cut] & 0xC0) == 0x80) --cut;
    found = found.substr(0, cut) + "…\"";
  }
  std::string problem = fmt::format("encountered {}", found);
  if (expected_at_ == at_ && !expected_.empty()) {
    constexpr size_t kShown = 8;
    size_t shown = std::min(expected_.size(), kShown);
    problem += fmt::format(", expected {}{}{}", shown > 1 ? "one of: " : "",
                           fmt::join(expected_.begin(), expected_.begin() + static_cast<ptrdiff_t>(shown), ", "),
                           shown < expected_.size() ? ", …" : "");
    // A clause's keyword is not meant as a name where any expression may stand.
    static constexpr std::string_view kClauses[] = {"FROM",   "WHERE", "GROUP", "HAVING", "SELECT", "UNION",
                                                    "INSERT", "JOIN",  "AS",    "ON",     "WHEN",   "THEN",
                                                    "ELSE",   "END",   "AND",   "OR"};
    bool clause = std::find(std::begin(kClauses), std::end(kClauses), token.text) != std::end(kClauses);
    bool name_expected = std::any_of(expected_.begin(), expected_.end(), [&](const std::string& e) {
      return e.find("name") != std::string::npos || (e == "an expression" && !clause);
    });
    if (name_expected && token.kind == TokenKind::kWord && is_reserved_word(token.text)) {
      problem +=
          fmt::format(" ({} is a reserved word: as a name it is written `{}`, in back-ticks)", token.text, token.raw);
    }
  }
  fail_at(token.position, problem);
}

void SyntaxParser::fail_here(std::string expected) {
  note_expected(std::move(expected));
  fail_here();
}

void SyntaxParser::fail_at(const SourcePosition& position, std::string_view problem) const {
  throw syntax_error(sql_, origin_, position, problem);
}

bool SyntaxParser::at_name(size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::kQuotedName || (token.kind == TokenKind::kWord && !is_reserved_word(token.text));
}

Identifier SyntaxParser::name_from(const Token& token) const {
  bool quoted = token.kind == TokenKind::kQuotedName;
  if (quoted && token.text.empty()) fail_at(token.position, "a name in back-ticks must not be empty");
  return {token.position, quoted ? token.text : std::string(token.raw), quoted};
}

Identifier SyntaxParser::parse_name(std::string_view what) {
  if (!at_name()) fail_here(std::string(what));
  return name_from(take());
}

CompoundIdentifier SyntaxParser::parse_compound_name(std::string_view what) {
  CompoundIdentifier name;
  name.position = peek().position;
  name.parts.push_back(parse_name(what));
  while (at_symbol(".")) {
    take();
    name.parts.push_back(parse_name("a name"));
  }
  return name;
}

std::vector<Identifier> SyntaxParser::parse_name_list(std::string_view what) {
  std::vector<Identifier> names;
  expect_symbol("(");
  do {
    names.push_back(parse_name(what));
  } while (accept_symbol(","));
  expect_symbol(")");
  return names;
}

std::string SyntaxParser::parse_one_string(std::string_view what) {
  if (peek().kind != TokenKind::kString && peek().kind != TokenKind::kUnicodeString) fail_here(std::string(what));
  Token token = take();
  return token.kind == TokenKind::kUnicodeString ? decode_unicode(token) : std::move(token.text);
}

std::string SyntaxParser::parse_string(std::string_view what) {
  int line = peek().position.line;
  std::string text = parse_one_string(what);
  while (peek().kind == TokenKind::kString) {  // SQL joins strings that stand on lines of their own
    if (peek().position.line == line)
      fail_at(peek().position,
              "two strings stand side by side: a comma or an operator is missing, or the second "
              "belongs on a new line to continue the first");
    line = peek().position.line;
    text += take().text;
  }
  return text;
}

std::string SyntaxParser::decode_unicode(const Token& token) {
  char escape = '\\';
  if (accept_word("UESCAPE")) {
    if (peek().kind != TokenKind::kString || peek().text.size() != 1) fail_here("one character in quotes");
    escape = take().text[0];
  }
  std::string text;
  uint32_t high = 0;  // the first half of a surrogate pair
  for (size_t i = 0; i < token.text.size();) {
    if (token.text[i] != escape || (i + 1 < token.text.size() && token.text[i + 1] == escape)) {
      if (high != 0) fail_at(token.position, "the U& string holds half of a surrogate pair");
      i += token.text[i] == escape ? 2 : 1;
      text += token.text[i - 1];
      continue;
    }
    uint32_t unit = 0;
    const char* digits = token.text.data() + i + 1;
    size_t left = token.text.size() - i - 1;
    auto [end, error] = std::from_chars(digits, digits + std::min<size_t>(left, 4), unit, 16);
    if (left < 4 || error != std::errc() || end != digits + 4) {
      fail_at(token.position, fmt::format("in a U& string, {} is followed by four hexadecimal digits", escape));
    }
    i += 5;
    bool low = unit >= 0xDC00 && unit < 0xE000;
    if (low != (high != 0)) fail_at(token.position, "the U& string holds half of a surrogate pair");
    if (unit >= 0xD800 && unit < 0xDC00) {
      high = unit;
      continue;
    }
    uint32_t c = low ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : unit;
    high = 0;
    if (c < 0x80) {
      text += static_cast<char>(c);
    } else {
      int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      text += static_cast<char>((0xFF00 >> (more + 1) & 0xFF) | (c >> (6 * more)));
      for (int shift = 6 * (more - 1); shift >= 0; shift -= 6) text += static_cast<char>(0x80 | (c >> shift & 0x3F));
    }
  }
  if (high != 0) fail_at(token.position, "the U& string holds half of a surrogate pair");
  return text;
}

int64_t SyntaxParser::parse_integer(std::string_view what, int64_t max) {
  if (peek().kind != TokenKind::kInteger) fail_here(std::string(what));
  Token token = take();
  int64_t value = 0;
  auto [end, error] = std::from_chars(token.raw.data(), token.raw.data() + token.raw.size(), value);
  if (error != std::errc() || end != token.raw.data() + token.raw.size() || value > max) {
    fail_at(token.position, fmt::format("{} is too large for {}", token.raw, what));
  }
  return value;
}

}  // namespace yeoul::ast
