#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/sql/parser/ast.h"
#include "yeoul/sql/parser/lexer.h"
#include "yeoul/sql/parser/parser.h"

namespace yeoul::ast {

/// The recursive-descent parser behind parser.h: the tokens of one statement and a cursor. Its methods are grouped by
/// files: syntax_parser.cpp (cursor, names, errors), expression.cpp, function_call.cpp, json_function.cpp,
/// data_type.cpp, select.cpp, query.cpp, table_reference.cpp, create_table.cpp, statements.cpp.
class SyntaxParser {
 public:
  SyntaxParser(std::string_view sql, SourcePosition origin);

  Statement parse_whole_statement();
  ExpressionPtr parse_whole_expression();
  QueryPtr parse_whole_query();
  DataTypeSyntax parse_whole_data_type();

 private:
  // Recursion of the parser itself, as of parentheses.
  static constexpr int kNestingMax = 250;
  class Nesting {
   public:
    explicit Nesting(SyntaxParser& parser);
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    SyntaxParser& parser_;
  };

  // Cursor.
  const Token& peek(size_t ahead = 0) const;
  Token take();
  bool at_word(std::string_view keyword, size_t ahead = 0) const { return peek(ahead).is_word(keyword); }
  bool at_symbol(std::string_view symbol, size_t ahead = 0) const { return peek(ahead).is_symbol(symbol); }
  bool at_words(std::initializer_list<std::string_view> keywords) const;
  // The accept functions take the token if it is there, and else note it as expected for the error that may follow.
  bool accept_word(std::string_view keyword);
  bool accept_words(std::initializer_list<std::string_view> keywords);
  bool accept_symbol(std::string_view symbol);
  void expect_word(std::string_view keyword);
  void expect_words(std::initializer_list<std::string_view> keywords);
  void expect_symbol(std::string_view symbol);
  void expect_end();
  void note_expected(std::string expected);
  [[noreturn]] void fail_here();
  [[noreturn]] void fail_here(std::string expected);
  [[noreturn]] void fail_at(const SourcePosition& position, std::string_view problem) const;
  void check_depth(int depth, const SourcePosition& position) const;

  // Names and plain literals.
  bool at_name(size_t ahead = 0) const;
  Identifier name_from(const Token& token) const;
  Identifier parse_name(std::string_view what);
  CompoundIdentifier parse_compound_name(std::string_view what);
  std::vector<Identifier> parse_name_list(std::string_view what);
  std::string parse_string(std::string_view what);
  std::string parse_one_string(std::string_view what);  // without the strings that continue it
  std::string decode_unicode(const Token& token);
  int64_t parse_integer(std::string_view what, int64_t max);

  // Expressions.
  ExpressionPtr make(const SourcePosition& position, ExpressionNode node);
  ExpressionPtr parse_expression(int precedence_min = 0);
  ExpressionPtr parse_prefix();
  ExpressionPtr parse_postfix(ExpressionPtr base);
  bool parse_infix(ExpressionPtr& left, int precedence_min);
  bool parse_special_infix(ExpressionPtr& left, int precedence_min);
  ExpressionPtr parse_is(ExpressionPtr value);
  ExpressionPtr parse_in(ExpressionPtr value, const SourcePosition& position, bool negated);
  ExpressionPtr parse_between(ExpressionPtr value, const SourcePosition& position, bool negated);
  ExpressionPtr parse_like(ExpressionPtr value, const SourcePosition& position, bool negated);
  ExpressionPtr parse_quantified(ExpressionPtr left, BinaryOperator op, const SourcePosition& position);
  ExpressionPtr parse_primary();
  ExpressionPtr parse_keyword_primary();
  ExpressionPtr parse_literal();
  ExpressionPtr parse_interval();
  ExpressionPtr parse_parenthesised();
  ExpressionPtr parse_braces();
  ExpressionPtr parse_case();
  ExpressionPtr parse_cast();
  ExpressionPtr parse_exists();
  ExpressionPtr parse_collection();
  ExpressionPtr parse_name_or_call();
  std::vector<ExpressionPtr> parse_expression_list();
  std::vector<ExpressionPtr> parse_parenthesised_list();
  IntervalQualifier parse_interval_qualifier();
  std::optional<TimeUnit> time_unit_at(size_t ahead = 0) const;
  TimeUnit parse_time_unit();

  // Calls.
  ExpressionPtr parse_special_call();
  ExpressionPtr parse_call(CompoundIdentifier name);
  FunctionArgument parse_argument();
  ExpressionPtr parse_argument_value();
  ExpressionPtr parse_table_argument(QueryPtr query, const SourcePosition& position);
  CallClauses parse_call_clauses();
  WindowSpecification parse_window_specification();
  WindowFrame parse_window_frame();
  FrameBound parse_frame_bound();
  ExpressionPtr parse_extract();
  ExpressionPtr parse_position();
  ExpressionPtr parse_substring();
  ExpressionPtr parse_overlay();
  ExpressionPtr parse_trim();
  ExpressionPtr parse_floor_or_ceil();
  ExpressionPtr parse_timestamp_arithmetic();
  ExpressionPtr make_call(const Token& name, std::vector<ExpressionPtr> arguments);
  ExpressionPtr parse_json_path_call();
  ExpressionPtr parse_json_object();
  ExpressionPtr parse_json_array();
  ExpressionPtr parse_json_object_aggregate();
  ExpressionPtr parse_json_array_aggregate();
  JsonEntry parse_json_pair();
  JsonEntry parse_json_element();
  JsonOnNull parse_json_on_null();
  void parse_json_behaviors(JsonPathCall& call);
  JsonWrapper parse_json_wrapper();

  // Types.
  DataTypeSyntax parse_data_type();
  DataTypeSyntax parse_base_type();
  void parse_type_arguments(DataTypeSyntax& type);
  void parse_time_zone(DataTypeSyntax& type);
  void parse_row_fields(DataTypeSyntax& type);
  void parse_nullability(DataTypeSyntax& type);

  // Queries.
  bool at_query(size_t ahead = 0) const;
  QueryPtr parse_query();
  QueryPtr parse_query_after(QueryPtr first);
  QueryPtr parse_set_operations(QueryPtr left, bool intersect_only);
  QueryPtr parse_query_operand();
  void parse_order_and_limit(Query& query);
  CommonTableExpression parse_common_table_expression();
  bool at_query_clause() const;
  Select parse_select();
  void parse_select_clauses(Select& select);
  SelectItem parse_select_item();
  Values parse_values();
  GroupingElement parse_grouping_element();
  std::vector<OrderItem> parse_order_items();
  std::vector<Hint> parse_hints();
  TableReferencePtr parse_from();
  TableReferencePtr parse_join_chain();
  std::optional<JoinKind> parse_join_kind();
  TableReferencePtr make_join(Join join, const SourcePosition& position);
  TableReferencePtr parse_table_reference();
  TableReferencePtr parse_table_primary();
  TableReferencePtr parse_parenthesised_table(const SourcePosition& position, bool lateral);
  TableReferencePtr parse_named_table(const SourcePosition& position, bool lateral);
  void parse_match_recognize(TableReferencePtr& table);
  void parse_table_alias(TableReference& table);

  // Statements.
  Statement parse_statement();
  StatementNode parse_create();
  CreateTableStatement parse_create_table(CreateTableStatement table);
  void parse_table_element(CreateTableStatement& table);
  void parse_column(CreateTableStatement& table);
  void parse_column_constraints(CreateTableStatement& table, ColumnDefinition& column);
  bool parse_key_constraint(CreateTableStatement& table, const Identifier* column);
  WatermarkDefinition parse_watermark();
  Distribution parse_distribution();
  std::vector<TableOption> parse_table_options();
  LikeClause parse_like_clause();
  CreateViewStatement parse_create_view(CreateViewStatement view);
  StatementNode parse_drop();
  InsertStatement parse_insert();
  StatementSet parse_statement_set(bool begin_first);
  StatementNode parse_execute();
  StatementNode parse_set();
  std::string parse_option_key();
  StatementNode parse_reset();
  StatementNode parse_show();
  StatementNode parse_describe();
  StatementNode parse_explain();
  StatementNode parse_use();
  StatementNode parse_unsupported(size_t words);

  std::string_view sql_;
  SourcePosition origin_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
  // The deepest tree made since the query in hand began.
  int depth_seen_ = 0;
  // What was looked for at token expected_at_.
  std::vector<std::string> expected_;
  size_t expected_at_ = 0;
};

}  // namespace yeoul::ast
