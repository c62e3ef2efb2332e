#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/sql/parser/parser.h"

namespace yeoul::ast {
namespace {

enum class Kind { kExpression, kStatement };

struct ErrorCase {
  Kind kind;
  const char* sql;
  int line, column;
  const char* problem;
};

// clang-format off
constexpr ErrorCase kErrorCases[] = {
    {Kind::kExpression, R"(1 +)", 1, 4,
     R"(encountered the end of the statement, expected an expression)"},
    {Kind::kExpression, R"(a b)", 1, 3,
     R"(encountered "b", expected the end of the expression)"},
    {Kind::kExpression, R"(f(1, )", 1, 6,
     R"(encountered the end of the statement, expected an expression)"},
    {Kind::kExpression, R"("a")", 1, 1,
     R"(a double quote means nothing in SQL here; write 'text' for a string and `name` for a name)"},
    {Kind::kExpression, R"('abc)", 1, 1,
     R"(the string that starts here has no closing quote; a quote inside a string is written twice)"},
    {Kind::kExpression, R"(`abc)", 1, 1,
     R"(the quoted name that starts here has no closing back-tick)"},
    {Kind::kExpression, R"(a /* x)", 1, 3,
     R"(the comment that starts here has no end; write */ behind it)"},
    {Kind::kExpression, R"(a = 'b' 'c')", 1, 9,
     R"(two strings stand side by side: a comma or an operator is missing, or the second belongs on a new line to continue the first)"},
    {Kind::kExpression, R"(MAP[1])", 1, 1,
     R"(MAP[…] takes keys and values by turns, so an even number)"},
    {Kind::kExpression, R"(x'ABC')", 1, 1,
     R"(x'…' holds an even number of hexadecimal digits)"},
    {Kind::kExpression, R"(U&'\12')", 1, 1,
     R"(in a U& string, \ is followed by four hexadecimal digits)"},
    {Kind::kExpression, R"(U&'\D800x')", 1, 1,
     R"(the U& string holds half of a surrogate pair)"},
    {Kind::kExpression, R"(a.value)", 1, 3,
     R"(encountered "value", expected a name (VALUE is a reserved word: as a name it is written `value`, in back-ticks))"},
    {Kind::kExpression, R"(count)", 1, 1,
     R"(encountered "count", expected an expression (COUNT is a reserved word: as a name it is written `count`, in back-ticks))"},
    {Kind::kExpression, R"(CAST(a AS))", 1, 10,
     R"~(encountered ")", expected a data type)~"},
    {Kind::kExpression, R"(CAST(a AS VARCHAR(99999999999)))", 1, 19,
     R"(99999999999 is too large for a length or precision)"},
    {Kind::kExpression, R"(CASE END)", 1, 6,
     R"(encountered "END", expected an expression)"},
    {Kind::kExpression, R"(INTERVAL '1' FORTNIGHT)", 1, 14,
     R"(encountered "FORTNIGHT", expected a time unit such as DAY)"},
    {Kind::kExpression, R"(())", 1, 2,
     R"~(encountered ")", expected an expression)~"},
    {Kind::kExpression, R"(“x”)", 1, 1,
     R"(encountered "“", expected an expression)"},
    {Kind::kStatement, R"(SELEC 1)", 1, 1,
     R"(encountered "SELEC", expected a statement such as SELECT, INSERT INTO, CREATE TABLE, SET or EXPLAIN)"},
    {Kind::kStatement, R"(SELECT FROM t)", 1, 8,
     R"(encountered "FROM", expected one of: DISTINCT, ALL, an expression)"},
    {Kind::kStatement, R"(SELECT a FORM t)", 1, 15,
     R"(encountered "t", expected one of: ",", FROM, INTERSECT, UNION, EXCEPT, ";", the end of the statement)"},
    {Kind::kStatement, R"(SELECT a, FROM t)", 1, 11,
     R"(encountered "FROM", expected an expression)"},
    {Kind::kStatement, R"(SELECT a FROM t WHERE)", 1, 22,
     R"(encountered the end of the statement, expected an expression)"},
    {Kind::kStatement, R"(SELECT a FROM t GROUP a)", 1, 23,
     R"(encountered "a", expected BY)"},
    {Kind::kStatement, R"(SELECT a FROM (SELECT 1)", 1, 24,
     R"~(encountered the end of the statement, expected one of: AS, ",", FROM, INTERSECT, UNION, EXCEPT, ")")~"},
    {Kind::kStatement, R"(SELECT 1; SELECT 2)", 1, 11,
     R"(encountered "SELECT", expected the end of the statement)"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT b INT))", 1, 23,
     R"~(encountered "b", expected one of: METADATA, CONSTRAINT, PRIMARY KEY, UNIQUE, COMMENT, ",", ")")~"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT, order INT))", 1, 24,
     R"(encountered "order", expected one of: CONSTRAINT, PRIMARY KEY, UNIQUE, a column name (ORDER is a reserved word: as a name it is written `order`, in back-ticks))"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT) WITH (connector = 'x'))", 1, 30,
     R"(encountered "connector", expected an option's key in quotes)"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT) WITH ('connector' 'x'))", 1, 42,
     R"(encountered "'x'", expected "=")"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT PRIMARY KEY (a)))", 1, 35,
     R"~(encountered "(", expected one of: NOT ENFORCED, ENFORCED, CONSTRAINT, PRIMARY KEY, UNIQUE, COMMENT, ",", ")")~"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT,))", 1, 23,
     R"~(encountered ")", expected one of: CONSTRAINT, PRIMARY KEY, UNIQUE, a column name)~"},
    {Kind::kStatement, R"(CREATE TABLE t (a INT, b))", 1, 24,
     R"(column 'b' has no data type)"},
    {Kind::kStatement, R"(CREATE INDEX i)", 1, 8,
     R"(encountered "INDEX", expected one of: OR REPLACE, TEMPORARY, TABLE, VIEW)"},
    {Kind::kStatement, R"(INSERT t SELECT 1)", 1, 8,
     R"(encountered "t", expected one of: OVERWRITE, INTO)"},
    {Kind::kStatement, R"(BEGIN STATEMENT SET; END)", 1, 1,
     R"(the statement set has no INSERT)"},
    {Kind::kStatement, R"(EXECUTE STATEMENT SET BEGIN SELECT 1; END)", 1, 29,
     R"(encountered "SELECT", expected one of: END, INSERT)"},
    {Kind::kStatement, R"(SHOW TABLE)", 1, 6,
     R"(encountered "TABLE", expected one of: TABLES, VIEWS, DATABASES, CATALOGS, FUNCTIONS, USER FUNCTIONS, MODULES, FULL MODULES, …)"},
    {Kind::kStatement, R"(EXPLAIN CREATE VIEW v AS SELECT 1)", 1, 9,
     R"(EXPLAIN takes a query, INSERT or CREATE TABLE … AS)"},
    {Kind::kStatement, R"(SELECT * FROM t LIMIT x)", 1, 23,
     R"(encountered "x", expected one of: ALL, a number of rows)"},
    {Kind::kStatement, R"(SELECT * FROM t LIMIT 99999999999999999999)", 1, 23,
     R"(99999999999999999999 is too large for a number of rows)"},
    {Kind::kStatement, R"()", 1, 1,
     R"(encountered the end of the statement, expected a statement such as SELECT, INSERT INTO, CREATE TABLE, SET or EXPLAIN)"},
};
// clang-format on

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// The message of the error that `parse` throws; empty if it throws none.
template <class Parse>
std::string message_of(Parse parse) {
  try {
    parse();
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 1001);
    EXPECT_EQ(error.family(), ErrorFamily::kUser);
    return error.message();
  }
}

TEST(SyntaxError, SaysWhereAndWhat) {
  for (const ErrorCase& each : kErrorCases) {
    std::string message = message_of(
        [&] { each.kind == Kind::kExpression ? (void)parse_expression(each.sql) : (void)parse_statement(each.sql); });
    std::string expected =
        fmt::format("SQL parse failed at line {}, column {}: {}\n", each.line, each.column, each.problem);
    EXPECT_EQ(message.substr(0, expected.size()), expected) << each.sql;
  }
}

TEST(SyntaxError, ShowsTheLineWithACaret) {
  std::string message = message_of([] { parse_statement("SELECT a\n\tFROM 한글 WHERE )\nGROUP BY a", {10, 3, 500}); });
  EXPECT_EQ(message,
            "SQL parse failed at line 11, column 16: encountered \")\", expected an expression\n"
            "  \tFROM 한글 WHERE )\n"
            "  \t                ^");
}

TEST(SyntaxError, CutsLongLines) {
  std::string message = message_of([] { parse_expression(repeat("a + ", 100) + ")" + repeat(" + a", 100)); });
  EXPECT_LT(message.size(), 500u);
  EXPECT_NE(message.find("\n  ...a + "), std::string::npos);
}

TEST(SyntaxError, RefusesTextThatIsNotUtf8) {
  std::string message = message_of([] { parse_expression("a + '\xC3('"); });
  EXPECT_EQ(message, "SQL parse failed at line 1, column 6: byte 0xC3 is not UTF-8; save the SQL file as UTF-8");
}

TEST(SyntaxError, NestingIsBoundedInEveryDirection) {
  constexpr int kMany = 20000;
  const std::string kDeep[] = {
      repeat("(", kMany) + "1" + repeat(")", kMany),
      repeat("(SELECT ", kMany) + "1" + repeat(")", kMany),
      repeat("NOT ", kMany) + "a",
      repeat("- ", kMany) + "a",
      "a" + repeat(" + 1", kMany),
      "a" + repeat(" OR a", kMany),
      "a" + repeat(" IS NULL", kMany),
      "a" + repeat("[1]", kMany),
      "f(x)" + repeat(".a", kMany),
      repeat("f(", kMany) + repeat(")", kMany),
      repeat("CASE WHEN a THEN ", kMany) + "1" + repeat(" END", kMany),
      "CAST(a AS " + repeat("ARRAY<", kMany) + "INT" + repeat(">", kMany) + ")",
      "CAST(a AS INT" + repeat(" ARRAY", kMany) + ")",
      "EXISTS (SELECT 1 " + repeat("UNION SELECT 1 ", kMany) + ")",
      "EXISTS (SELECT 1 FROM a" + repeat(" JOIN b ON c", kMany) + ")",
      "EXISTS (SELECT 1 FROM a" + repeat(", b", kMany) + ")",
      "EXISTS (SELECT 1 FROM " + repeat("(", kMany) + "a" + repeat(")", kMany) + ")",
      "EXISTS (SELECT 1 FROM a GROUP BY " + repeat("ROLLUP (", kMany) + "a" + repeat(")", kMany) + ")",
  };
  for (const std::string& sql : kDeep) {
    EXPECT_NE(message_of([&] { parse_expression(sql); }), "") << sql.substr(0, 40);
  }
  std::string nested = "a";  // long chains inside each other's first operands
  for (int i = 0; i < 200; ++i) nested = "(" + nested + repeat(" + 1", 100) + ")";
  EXPECT_NE(message_of([&] { parse_expression(nested); }), "");
}

TEST(SyntaxError, LongFlatSqlIsNotNested) {
  EXPECT_EQ(message_of([] { parse_expression("a IN (1" + repeat(", 1", 20000) + ")"); }), "");
  EXPECT_EQ(message_of([] { parse_statement("VALUES (1)" + repeat(", (1 + 1)", 20000)); }), "");
  EXPECT_EQ(message_of([] { parse_expression("a" + repeat(" OR a = 1", 900)); }), "");
  EXPECT_EQ(message_of([] { parse_expression(repeat("(", 200) + "1" + repeat(")", 200)); }), "");
}

// Every cut of valid SQL parses or throws an Error.
TEST(SyntaxError, NeverCrashesOnHalfAStatement) {
  const std::string kSql =
      "CREATE TABLE t (a ROW<b INT 'x'> NOT NULL, c AS JSON_VALUE(a, '$' DEFAULT 1 ON ERROR), PRIMARY KEY (a) NOT "
      "ENFORCED) "
      "WITH ('a'='b') AS WITH x AS (SELECT /*+ H('a'='b') */ SUM(a) OVER (ORDER BY b ROWS 1 PRECEDING) FROM t) SELECT "
      "CASE a WHEN U&'\\D55C' THEN x'00' END, EXTRACT(DAY FROM b) FROM x MATCH_RECOGNIZE (a) JOIN LATERAL TABLE(f(a => "
      "1)) ON b NOT IN "
      "(SELECT 1) GROUP BY CUBE (a) ORDER BY 1 LIMIT 3";
  for (size_t length = 0; length <= kSql.size(); ++length) {
    message_of([&] { parse_statement(kSql.substr(0, length)); });
    message_of([&] { parse_statement(kSql.substr(length)); });
    message_of([&] { split_statements(kSql.substr(length)); });
  }
  EXPECT_EQ(message_of([&] { parse_statement(kSql); }), "");
}

}  // namespace
}  // namespace yeoul::ast
