#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/sql/parser/source_position.h"

namespace yeoul::ast {

enum class TokenKind {
  kWord,           ///< Unquoted name or keyword; text is it in capitals.
  kQuotedName,     ///< `name`
  kString,         ///< 'text', also N'…' and _utf8'…'
  kUnicodeString,  ///< U&'…'; text has its escapes still.
  kBinaryString,   ///< x'…'; text is what stands in the quotes.
  kInteger,
  kDecimal,
  kApproximate,
  kSymbol,     ///< Operators and punctuation, in raw.
  kHintStart,  ///< The opening of a hint comment.
  kHintEnd,
  kInvalid,  ///< A character that SQL has no use for; the parser complains when it gets there.
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  SourcePosition position;  ///< In the script, the origin added.
  std::string_view raw;     ///< As written.
  std::string text;         ///< Quotes and doubled quotes undone; words in ASCII capitals.

  bool is_word(std::string_view keyword) const { return kind == TokenKind::kWord && text == keyword; }
  bool is_symbol(std::string_view symbol) const { return kind == TokenKind::kSymbol && raw == symbol; }
};

/// Cuts SQL text into tokens as Flink does with Calcite's JAVA lexical policy.
class Lexer {
 public:
  /// `sql` must outlive the tokens. `origin` is where it starts in its script.
  Lexer(std::string_view sql, SourcePosition origin);

  /// The next token; kEnd again and again at the end.
  /// @throws Error 1001 for text that is not UTF-8 and for an unterminated string, name or comment.
  Token next();
  /// All tokens, kEnd last.
  std::vector<Token> tokenize();

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0'; }
  void advance(size_t bytes);
  void skip_blanks_and_comments();
  Token finish(TokenKind kind, const SourcePosition& position, size_t start);
  Token quoted(TokenKind kind, const SourcePosition& position, size_t start, char quote);
  Token word(const SourcePosition& position);
  Token number(const SourcePosition& position);
  Token symbol(const SourcePosition& position);
  size_t identifier_length(size_t from) const;
  [[noreturn]] void fail(const SourcePosition& position, std::string_view problem) const;

  std::string_view sql_;
  SourcePosition origin_;
  SourcePosition position_;
  size_t at_ = 0;
  bool in_hint_ = false;
};

/// Error 1001: `SQL parse failed at line 2, column 5: <problem>`, then the line of SQL and a caret below it.
Error syntax_error(std::string_view sql, SourcePosition origin, SourcePosition position, std::string_view problem);

}  // namespace yeoul::ast
