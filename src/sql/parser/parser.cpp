#include "yeoul/sql/parser/parser.h"

#include "yeoul/sql/parser/lexer.h"
#include "yeoul/sql/parser/syntax_parser.h"

namespace yeoul::ast {
namespace {

// Says at which semicolons a statement ends, from the words seen since it began.
class StatementBoundary {
 public:
  // Whether the token, a semicolon, ends the statement; call for every token.
  bool ends_at(const Token& token) {
    bool semicolon = token.is_symbol(";");
    if (semicolon && (!in_set_ || (last_ == "END" && before_last_ == ";"))) {
      *this = {};
      return true;
    }
    std::string word = token.kind == TokenKind::kWord ? token.text : semicolon ? ";" : "";
    if (first_.empty()) first_ = word.empty() ? "?" : word;
    bool begin_first = count_ == 2 && first_ == "BEGIN" && last_ == "STATEMENT" && word == "SET";
    bool set_first = (first_ == "EXECUTE" || first_ == "EXPLAIN") && before_last_ == "STATEMENT" && last_ == "SET" &&
                     word == "BEGIN";
    in_set_ = in_set_ || begin_first || set_first;
    before_last_ = std::move(last_);
    last_ = std::move(word);
    ++count_;
    return false;
  }
  bool empty() const { return count_ == 0; }

 private:
  std::string first_, before_last_, last_;
  size_t count_ = 0;
  bool in_set_ = false;
};

}  // namespace

std::vector<StatementText> split_statements(std::string_view script) {
  std::vector<StatementText> statements;
  Lexer lexer(script, {});
  StatementBoundary boundary;
  SourcePosition start;
  size_t end = 0;
  auto finish = [&] { statements.push_back({start, std::string(script.substr(start.offset, end - start.offset))}); };
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
    bool first = boundary.empty();
    if (boundary.ends_at(token)) {
      if (!first) finish();
      continue;
    }
    if (first) start = token.position;
    end = token.position.offset + token.raw.size();
  }
  if (!boundary.empty()) finish();
  return statements;
}

Statement parse_statement(std::string_view sql, SourcePosition origin) {
  return SyntaxParser(sql, origin).parse_whole_statement();
}

ExpressionPtr parse_expression(std::string_view sql, SourcePosition origin) {
  return SyntaxParser(sql, origin).parse_whole_expression();
}

QueryPtr parse_query(std::string_view sql, SourcePosition origin) {
  return SyntaxParser(sql, origin).parse_whole_query();
}

DataTypeSyntax parse_data_type(std::string_view sql, SourcePosition origin) {
  return SyntaxParser(sql, origin).parse_whole_data_type();
}

}  // namespace yeoul::ast
