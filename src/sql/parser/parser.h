#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yeoul/sql/parser/ast.h"

namespace yeoul::ast {

/// The text of one statement, without the semicolon, and where it starts in the script.
struct StatementText {
  SourcePosition position;
  std::string text;
};

/// No tree is deeper than this: deeper SQL is refused with an error.
inline constexpr int kSyntaxDepthMax = 1000;

/// Cuts a script at its semicolons, but for those in strings, quoted names, comments and `BEGIN STATEMENT SET; … END`
/// (one statement in either spelling). Empty statements are left out.
/// @throws Error 1001 for an unterminated string, name or comment.
std::vector<StatementText> split_statements(std::string_view script);

/// Parses one statement in Flink's dialect; a semicolon at its end is accepted. Positions in the tree and in errors are
/// relative to the script that `origin` is a position in.
/// @throws Error 1001 with line, column, the line of SQL with a caret below, what was found and what was expected.
Statement parse_statement(std::string_view sql, SourcePosition origin = {});

/// Parses an expression alone. @throws Error 1001 as parse_statement.
ExpressionPtr parse_expression(std::string_view sql, SourcePosition origin = {});

/// Parses a query alone, as a view's text. @throws Error 1001 as parse_statement.
QueryPtr parse_query(std::string_view sql, SourcePosition origin = {});

/// Parses a type alone, as `ROW<a INT NOT NULL>`. @throws Error 1001 as parse_statement.
DataTypeSyntax parse_data_type(std::string_view sql, SourcePosition origin = {});

}  // namespace yeoul::ast
