#include <algorithm>

#include "yeoul/sql/parser/syntax_parser.h"

// All statements but what CREATE TABLE and queries have inside.
namespace yeoul::ast {

Statement SyntaxParser::parse_whole_statement() {
  Statement statement = parse_statement();
  expect_end();
  return statement;
}

ExpressionPtr SyntaxParser::parse_whole_expression() {
  ExpressionPtr expression = parse_expression();
  if (peek().kind != TokenKind::kEnd) fail_here("the end of the expression");
  return expression;
}

QueryPtr SyntaxParser::parse_whole_query() {
  QueryPtr query = parse_query();
  expect_end();
  return query;
}

DataTypeSyntax SyntaxParser::parse_whole_data_type() {
  DataTypeSyntax type = parse_data_type();
  if (peek().kind != TokenKind::kEnd) fail_here("the end of the type");
  return type;
}

Statement SyntaxParser::parse_statement() {
  static constexpr std::pair<std::string_view, StatementNode (SyntaxParser::*)()> kStatements[] = {
      {"CREATE", &SyntaxParser::parse_create},     {"DROP", &SyntaxParser::parse_drop},
      {"EXECUTE", &SyntaxParser::parse_execute},   {"SET", &SyntaxParser::parse_set},
      {"RESET", &SyntaxParser::parse_reset},       {"SHOW", &SyntaxParser::parse_show},
      {"DESCRIBE", &SyntaxParser::parse_describe}, {"DESC", &SyntaxParser::parse_describe},
      {"EXPLAIN", &SyntaxParser::parse_explain},   {"USE", &SyntaxParser::parse_use},
  };
  SourcePosition position = peek().position;
  for (const auto& [word, parse] : kStatements) {
    if (at_word(word)) return {position, (this->*parse)()};
  }
  if (at_query() || at_symbol("(")) return {position, QueryStatement{parse_query()}};
  if (at_word("INSERT")) return {position, parse_insert()};
  if (at_word("BEGIN")) return {position, parse_statement_set(true)};
  for (std::string_view word : {"ALTER", "ANALYZE", "COMPILE", "LOAD", "UNLOAD", "ADD", "REMOVE", "STOP", "TRUNCATE"}) {
    if (at_word(word)) return {position, parse_unsupported(2)};
  }
  for (std::string_view word : {"CALL", "DELETE", "UPDATE", "MERGE"}) {
    if (at_word(word)) return {position, parse_unsupported(1)};
  }
  fail_here("a statement such as SELECT, INSERT INTO, CREATE TABLE, SET or EXPLAIN");
}

// Takes the whole statement, of which the first words say what it is.
StatementNode SyntaxParser::parse_unsupported(size_t words) {
  UnsupportedStatement statement;
  for (size_t i = 0; i < words && peek().kind == TokenKind::kWord; ++i) {
    statement.what += i == 0 ? take().text : " " + take().text;
  }
  while (peek().kind != TokenKind::kEnd) take();
  return statement;
}

StatementNode SyntaxParser::parse_create() {
  size_t start = at_;
  take();
  bool or_replace = accept_words({"OR", "REPLACE"});
  bool temporary = accept_word("TEMPORARY");
  bool table = accept_word("TABLE");
  if (!table && !accept_word("VIEW")) {
    static constexpr std::string_view kOthers[] = {"CATALOG", "DATABASE",   "FUNCTION",    "MODEL",
                                                   "SYSTEM",  "CONNECTION", "MATERIALIZED"};
    bool known =
        std::any_of(std::begin(kOthers), std::end(kOthers), [&](std::string_view word) { return at_word(word); }) ||
        (at_word("OR") && at_word("ALTER", 1));
    if (!known) fail_here();
    bool two = at_word("SYSTEM") || at_word("MATERIALIZED");
    size_t words = at_ - start + (two ? 2 : 1);
    at_ = start;
    return parse_unsupported(words);
  }
  bool if_not_exists = accept_words({"IF", "NOT", "EXISTS"});
  CompoundIdentifier name = parse_compound_name(table ? "a table name" : "a view name");
  if (table) {
    CreateTableStatement result;
    result.name = std::move(name);
    result.temporary = temporary;
    result.if_not_exists = if_not_exists;
    result.or_replace = or_replace;
    return parse_create_table(std::move(result));
  }
  CreateViewStatement result;
  result.name = std::move(name);
  result.temporary = temporary;
  result.if_not_exists = if_not_exists;
  result.or_replace = or_replace;
  return parse_create_view(std::move(result));
}

CreateViewStatement SyntaxParser::parse_create_view(CreateViewStatement view) {
  if (at_symbol("(")) view.columns = parse_name_list("a column name");
  if (accept_word("COMMENT")) view.comment = parse_string("a comment in quotes");
  expect_word("AS");
  view.query = parse_query();
  return view;
}

StatementNode SyntaxParser::parse_drop() {
  size_t start = at_;
  take();
  DropStatement drop;
  drop.temporary = accept_word("TEMPORARY");
  if (accept_word("VIEW")) {
    drop.kind = ObjectKind::kView;
  } else if (!accept_word("TABLE")) {
    bool two = at_word("SYSTEM") || at_word("MATERIALIZED");
    if (peek().kind != TokenKind::kWord) fail_here();
    size_t words = at_ - start + (two ? 2 : 1);
    at_ = start;
    return parse_unsupported(words);
  }
  drop.if_exists = accept_words({"IF", "EXISTS"});
  drop.name = parse_compound_name(drop.kind == ObjectKind::kView ? "a view name" : "a table name");
  return drop;
}

InsertStatement SyntaxParser::parse_insert() {
  InsertStatement insert;
  expect_word("INSERT");
  insert.overwrite = accept_word("OVERWRITE");
  if (!insert.overwrite) expect_word("INTO");
  accept_word("TABLE");
  insert.table = parse_compound_name("a table name");
  if (peek().kind == TokenKind::kHintStart) insert.hints = parse_hints();
  if (accept_word("PARTITION")) {
    expect_symbol("(");
    do {
      InsertStatement::Partition partition;
      partition.column = parse_name("a column name");
      if (accept_symbol("=")) partition.value = parse_expression();
      insert.partition.push_back(std::move(partition));
    } while (accept_symbol(","));
    expect_symbol(")");
  }
  bool query_next = at_query(1) || at_symbol("(", 1);
  if (at_symbol("(") && !query_next) insert.columns = parse_name_list("a column name");
  insert.query = parse_query();
  return insert;
}

// BEGIN STATEMENT SET; …; END (begin_first), or STATEMENT SET BEGIN …; END.
StatementSet SyntaxParser::parse_statement_set(bool begin_first) {
  StatementSet set;
  set.position = peek().position;
  if (begin_first) {
    expect_words({"BEGIN", "STATEMENT", "SET"});
    expect_symbol(";");
  } else {
    expect_words({"STATEMENT", "SET", "BEGIN"});
  }
  while (!accept_word("END")) {
    if (!at_word("INSERT")) fail_here("INSERT");
    set.inserts.push_back(parse_insert());
    expect_symbol(";");
  }
  if (set.inserts.empty()) fail_at(set.position, "the statement set has no INSERT");
  return set;
}

StatementNode SyntaxParser::parse_execute() {
  take();
  if (at_word("STATEMENT")) return parse_statement_set(false);
  if (at_word("INSERT")) return parse_insert();
  if (at_query() || at_symbol("(")) return QueryStatement{parse_query()};
  if (at_word("PLAN")) {
    --at_;
    return parse_unsupported(2);
  }
  note_expected("STATEMENT SET BEGIN");
  note_expected("INSERT");
  fail_here("SELECT");
}

// 'key', or words with dots and dashes as Flink's client takes them.
std::string SyntaxParser::parse_option_key() {
  if (peek().kind == TokenKind::kString) return parse_string("an option's key");
  size_t start = peek().position.offset - origin_.offset, end = start;
  while (peek().kind != TokenKind::kEnd && !at_symbol("=") && !at_symbol(";")) {
    size_t token_start = peek().position.offset - origin_.offset;
    if (token_start != end) fail_here("\"=\"");
    end = token_start + take().raw.size();
  }
  if (start == end) fail_here("an option's key");
  return std::string(sql_.substr(start, end - start));
}

StatementNode SyntaxParser::parse_set() {
  take();
  SetStatement set;
  if (peek().kind == TokenKind::kEnd || at_symbol(";")) return set;
  set.key = parse_option_key();
  expect_symbol("=");
  if (peek().kind == TokenKind::kString) {
    set.value = parse_string("a value");
    return set;
  }
  // Unquoted, the value is what stands up to the next blank.
  const Token& equals = tokens_[at_ - 1];
  size_t start = sql_.find_first_not_of(" \t\r\n", equals.position.offset - origin_.offset + 1);
  start = std::min(start, sql_.size());
  size_t end = std::min(sql_.find_first_of(" \t\r\n;", start), sql_.size());
  if (start == end) fail_here("a value in quotes");
  set.value = sql_.substr(start, end - start);
  while (peek().kind != TokenKind::kEnd && peek().position.offset - origin_.offset < end) take();
  return set;
}

StatementNode SyntaxParser::parse_reset() {
  take();
  ResetStatement reset;
  if (peek().kind != TokenKind::kEnd && !at_symbol(";")) reset.key = parse_option_key();
  return reset;
}

StatementNode SyntaxParser::parse_show() {
  static constexpr struct {
    std::string_view first, second;  // the second may be empty
    ShowKind kind;
    bool named;
  } kShows[] = {
      {"TABLES", "", ShowKind::kTables, false},
      {"VIEWS", "", ShowKind::kViews, false},
      {"DATABASES", "", ShowKind::kDatabases, false},
      {"CATALOGS", "", ShowKind::kCatalogs, false},
      {"FUNCTIONS", "", ShowKind::kFunctions, false},
      {"USER", "FUNCTIONS", ShowKind::kUserFunctions, false},
      {"MODULES", "", ShowKind::kModules, false},
      {"FULL", "MODULES", ShowKind::kFullModules, false},
      {"JOBS", "", ShowKind::kJobs, false},
      {"JARS", "", ShowKind::kJars, false},
      {"COLUMNS", "", ShowKind::kColumns, false},
      {"PARTITIONS", "", ShowKind::kPartitions, true},
      {"PROCEDURES", "", ShowKind::kProcedures, false},
      {"CURRENT", "CATALOG", ShowKind::kCurrentCatalog, false},
      {"CURRENT", "DATABASE", ShowKind::kCurrentDatabase, false},
      {"CREATE", "TABLE", ShowKind::kCreateTable, true},
      {"CREATE", "VIEW", ShowKind::kCreateView, true},
      {"CREATE", "CATALOG", ShowKind::kCreateCatalog, true},
  };
  take();
  ShowStatement show;
  bool known = false, named = false;
  for (const auto& candidate : kShows) {
    known = candidate.second.empty() ? accept_word(candidate.first) : accept_words({candidate.first, candidate.second});
    if (!known) continue;
    show.kind = candidate.kind;
    named = candidate.named;
    break;
  }
  if (!known) fail_here();
  if (named || accept_word("FROM") || accept_word("IN")) show.name = parse_compound_name("a name");
  show.not_like = accept_word("NOT");
  show.ilike = accept_word("ILIKE");
  if (show.ilike || accept_word("LIKE")) {
    show.like = parse_string("a pattern in quotes");
  } else if (show.not_like) {
    fail_here();
  }
  return show;
}

StatementNode SyntaxParser::parse_describe() {
  size_t start = at_;
  take();
  for (std::string_view word : {"CATALOG", "DATABASE", "FUNCTION", "JOB", "MODEL", "CONNECTION"}) {
    bool object = at_word(word) && (at_name(1) || at_word("EXTENDED", 1) || peek(1).kind == TokenKind::kString);
    if (object) {
      at_ = start;
      return parse_unsupported(2);
    }
  }
  DescribeStatement describe;
  describe.extended = accept_word("EXTENDED");
  describe.name = parse_compound_name("a table name");
  return describe;
}

StatementNode SyntaxParser::parse_explain() {
  take();
  ExplainStatement explain;
  static constexpr std::pair<std::string_view, ExplainDetail> kDetails[] = {
      {"ESTIMATED_COST", ExplainDetail::kEstimatedCost},
      {"CHANGELOG_MODE", ExplainDetail::kChangelogMode},
      {"JSON_EXECUTION_PLAN", ExplainDetail::kJsonExecutionPlan},
      {"PLAN_ADVICE", ExplainDetail::kPlanAdvice},
  };
  if (!accept_words({"PLAN", "FOR"})) {
    do {
      size_t before = at_;
      for (const auto& [word, detail] : kDetails) {
        if (before == at_ && accept_word(word)) explain.details.push_back(detail);
      }
      if (before == at_) break;
    } while (accept_symbol(","));
  }
  accept_word("EXECUTE");
  if (at_word("STATEMENT")) {
    explain.target = parse_statement_set(false);
  } else if (at_word("INSERT")) {
    explain.target = parse_insert();
  } else if (at_word("CREATE")) {
    SourcePosition position = peek().position;
    StatementNode create = parse_create();
    auto* table = std::get_if<CreateTableStatement>(&create);
    if (table == nullptr || table->as_query == nullptr)
      fail_at(position, "EXPLAIN takes a query, INSERT or CREATE TABLE … AS");
    explain.target = std::move(*table);
  } else if (at_query() || at_symbol("(")) {
    explain.target = QueryStatement{parse_query()};
  } else {
    note_expected("SELECT");
    note_expected("INSERT");
    fail_here("STATEMENT SET BEGIN");
  }
  return explain;
}

StatementNode SyntaxParser::parse_use() {
  take();
  UseStatement use;
  if (at_word("CATALOG") && at_name(1)) {
    take();
    use.kind = UseKind::kCatalog;
  } else if (accept_word("MODULES")) {
    use.kind = UseKind::kModules;
  }
  do {
    use.names.push_back(parse_compound_name("a name"));
  } while (use.kind == UseKind::kModules && accept_symbol(","));
  return use;
}

}  // namespace yeoul::ast
