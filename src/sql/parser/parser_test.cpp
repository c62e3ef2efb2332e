#include "yeoul/sql/parser/parser.h"

#include <gtest/gtest.h>

namespace yeoul::ast {
namespace {

// SQL as a user writes it, and what to_sql() makes of its tree.
struct Case {
  const char* sql;
  const char* printed;
};

// clang-format off
constexpr Case kExpressions[] = {
    {R"(1 + 2 * 3 - -4)",
     R"(1 + 2 * 3 - -4)"},
    {R"((1 + 2) * 3)",
     R"((1 + 2) * 3)"},
    {R"(NOT a = b AND c OR d)",
     R"(NOT `a` = `b` AND `c` OR `d`)"},
    {R"(a = NOT b)",
     R"(`a` = (NOT `b`))"},
    {R"(a OR b AND NOT c IS NULL)",
     R"(`a` OR `b` AND NOT `c` IS NULL)"},
    {R"(a || b || c)",
     R"(`a` || `b` || `c`)"},
    {R"(x BETWEEN 1 AND 2 AND y NOT BETWEEN SYMMETRIC 3 AND 4 + 1)",
     R"(`x` BETWEEN 1 AND 2 AND `y` NOT BETWEEN SYMMETRIC 3 AND 4 + 1)"},
    {R"(a LIKE 'x%' ESCAPE '!' AND b NOT LIKE '_' AND c SIMILAR TO 'd')",
     R"(`a` LIKE 'x%' ESCAPE '!' AND `b` NOT LIKE '_' AND `c` SIMILAR TO 'd')"},
    {R"(a IN (1, 2, 3) AND (b, c) NOT IN (SELECT x, y FROM t))",
     R"(`a` IN (1, 2, 3) AND (`b`, `c`) NOT IN (SELECT `x`, `y` FROM `t`))"},
    {R"(a IN ((SELECT 1)))",
     R"(`a` IN (SELECT 1))"},
    {R"(a IS NOT DISTINCT FROM b AND c IS DISTINCT FROM d + 1)",
     R"(`a` IS NOT DISTINCT FROM `b` AND `c` IS DISTINCT FROM `d` + 1)"},
    {R"(a IS NULL IS NOT TRUE)",
     R"(`a` IS NULL IS NOT TRUE)"},
    {R"(j IS NOT JSON OBJECT)",
     R"(`j` IS NOT JSON OBJECT)"},
    {R"(-x.y[1].z)",
     R"(-`x`.`y`[1].`z`)"},
    {R"((a).b)",
     R"((`a`).`b`)"},
    {R"(`select`.`a``b`)",
     R"(`select`.`a``b`)"},
    {R"('it''s' || U&'\D55C' || U&'!0041!!' UESCAPE '!')",
     R"('it''s' || '한' || 'A!')"},
    {R"(U&'\D55C\AE00')",
     R"('한글')"},
    {R"('a')",
     R"('a')"},
    {R"(x'0aFF')",
     R"(x'0AFF')"},
    {R"(DATE '2024-01-01')",
     R"(DATE '2024-01-01')"},
    {R"(TIMESTAMP '2024-01-01 00:00:00.123')",
     R"(TIMESTAMP '2024-01-01 00:00:00.123')"},
    {R"(TIMESTAMP WITH LOCAL TIME ZONE '2024-01-01 00:00:00')",
     R"(TIMESTAMP WITH LOCAL TIME ZONE '2024-01-01 00:00:00')"},
    {R"(INTERVAL '1-2' YEAR TO MONTH)",
     R"(INTERVAL '1-2' YEAR TO MONTH)"},
    {R"(INTERVAL -'1 02:03:04.5' DAY(3) TO SECOND(6))",
     R"(INTERVAL -'1 02:03:04.5' DAY(3) TO SECOND(6))"},
    {R"(INTERVAL '5' SECOND(2, 3))",
     R"(INTERVAL '5' SECOND(2, 3))"},
    {R"(INTERVAL a DAY)",
     R"(INTERVAL (`a`) DAY)"},
    {R"((a - b) DAY TO SECOND)",
     R"((`a` - `b`) DAY TO SECOND)"},
    {R"(1.50 + .5 + 5. + 1e3 + 1.5E-3)",
     R"(1.50 + .5 + 5. + 1e3 + 1.5E-3)"},
    {R"(CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END)",
     R"(CASE WHEN `a` THEN 1 WHEN `b` THEN 2 ELSE 3 END)"},
    {R"(CASE x WHEN 1, 2 THEN 'a' END)",
     R"(CASE `x` WHEN 1, 2 THEN 'a' END)"},
    {R"(CAST(a AS DECIMAL(10, 2)))",
     R"(CAST(`a` AS DECIMAL(10, 2)))"},
    {R"(TRY_CAST(a AS ROW<f INT NOT NULL 'c', g ARRAY<MAP<STRING, BYTES>>>))",
     R"(TRY_CAST(`a` AS ROW<`f` INT NOT NULL 'c', `g` ARRAY<MAP<STRING, BYTES>>>))"},
    {R"(count(*) FILTER (WHERE a > 1))",
     R"(count(*) FILTER (WHERE `a` > 1))"},
    {R"(COUNT(DISTINCT a, b))",
     R"(COUNT(DISTINCT `a`, `b`))"},
    {R"(SUM(a) OVER (PARTITION BY b ORDER BY c DESC NULLS LAST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW))",
     R"(SUM(`a`) OVER (PARTITION BY `b` ORDER BY `c` DESC NULLS LAST ROWS BETWEEN 2 PRECEDING AND CURRENT ROW))"},
    {R"(SUM(a) OVER (ORDER BY c RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW))",
     R"(SUM(`a`) OVER (ORDER BY `c` RANGE BETWEEN INTERVAL '1' HOUR PRECEDING AND CURRENT ROW))"},
    {R"(LAG(a, 1) IGNORE NULLS OVER w)",
     R"(LAG(`a`, 1) IGNORE NULLS OVER `w`)"},
    {R"(LISTAGG(a, ',') WITHIN GROUP (ORDER BY b))",
     R"(LISTAGG(`a`, ',') WITHIN GROUP (ORDER BY `b`))"},
    {R"(ARRAY_AGG(a ORDER BY b))",
     R"(ARRAY_AGG(`a` ORDER BY `b`))"},
    {R"(CURRENT_TIMESTAMP)",
     R"(CURRENT_TIMESTAMP)"},
    {R"(CURRENT_TIMESTAMP(3))",
     R"(CURRENT_TIMESTAMP(3))"},
    {R"(EXTRACT(YEAR FROM ts))",
     R"(EXTRACT(YEAR FROM `ts`))"},
    {R"(FLOOR(ts TO HOUR) + CEIL(x))",
     R"(FLOOR(`ts` TO HOUR) + CEIL(`x`))"},
    {R"(TRIM(a))",
     R"(TRIM(BOTH FROM `a`))"},
    {R"(TRIM(LEADING 'x' FROM a))",
     R"(TRIM(LEADING 'x' FROM `a`))"},
    {R"(SUBSTRING(a FROM 2 FOR 3))",
     R"(SUBSTRING(`a`, 2, 3))"},
    {R"(POSITION('a' IN b))",
     R"(POSITION('a' IN `b`))"},
    {R"(OVERLAY(a PLACING b FROM 1 FOR 2))",
     R"(OVERLAY(`a`, `b`, 1, 2))"},
    {R"(TIMESTAMPDIFF(DAY, a, b))",
     R"(TIMESTAMPDIFF(DAY, `a`, `b`))"},
    {R"(JSON_VALUE(a, '$.x' RETURNING INT NULL ON EMPTY DEFAULT 0 ON ERROR))",
     R"(JSON_VALUE(`a`, '$.x' RETURNING INT NULL ON EMPTY DEFAULT 0 ON ERROR))"},
    {R"(JSON_QUERY(a, '$.x' WITH CONDITIONAL ARRAY WRAPPER EMPTY ARRAY ON EMPTY ERROR ON ERROR))",
     R"(JSON_QUERY(`a`, '$.x' WITH CONDITIONAL ARRAY WRAPPER EMPTY ARRAY ON EMPTY ERROR ON ERROR))"},
    {R"(JSON_EXISTS(a, 'lax $.x' TRUE ON ERROR))",
     R"(JSON_EXISTS(`a`, 'lax $.x' TRUE ON ERROR))"},
    {R"(JSON_OBJECT(KEY 'a' VALUE 1, 'b' VALUE c FORMAT JSON ABSENT ON NULL))",
     R"(JSON_OBJECT(KEY 'a' VALUE 1, KEY 'b' VALUE `c` FORMAT JSON ABSENT ON NULL))"},
    {R"(JSON_OBJECTAGG(k VALUE v NULL ON NULL) FILTER (WHERE k > 1))",
     R"(JSON_OBJECTAGG(KEY `k` VALUE `v` NULL ON NULL) FILTER (WHERE `k` > 1))"},
    {R"(JSON_ARRAY(1, NULL NULL ON NULL))",
     R"(JSON_ARRAY(1, NULL NULL ON NULL))"},
    {R"(ARRAY[1, 2][1] + MAP['a', 1]['a'])",
     R"(ARRAY[1, 2][1] + MAP['a', 1]['a'])"},
    {R"(ROW(1, 'a'))",
     R"(ROW(1, 'a'))"},
    {R"((1, 'a') = (2, 'b'))",
     R"((1, 'a') = (2, 'b'))"},
    {R"(f(a => 1, b => DEFAULT))",
     R"(f(`a` => 1, `b` => DEFAULT))"},
    {R"(cat.db.f(x).y)",
     R"(cat.db.f(`x`).`y`)"},
    {R"(a = SOME (SELECT 1) OR b > ALL (1, 2))",
     R"(`a` = SOME (SELECT 1) OR `b` > ALL (1, 2))"},
    {R"(EXISTS (SELECT * FROM t))",
     R"(EXISTS (SELECT * FROM `t`))"},
    {R"((SELECT MAX(a) FROM t) + 1)",
     R"((SELECT MAX(`a`) FROM `t`) + 1)"},
    {R"(((SELECT 1) UNION (SELECT 2)))",
     R"((SELECT 1 UNION SELECT 2))"},
    {R"(ARRAY(SELECT a FROM t))",
     R"(ARRAY(SELECT `a` FROM `t`))"},
    {R"((a, b) OVERLAPS (c, d))",
     R"((`a`, `b`) OVERLAPS (`c`, `d`))"},
    {R"({d '2024-01-01'})",
     R"(DATE '2024-01-01')"},
    {R"($a + EXPR$0 + 한글)",
     R"(`$a` + `EXPR$0` + `한글`)"},
    {R"(a /* c */ + b -- d)",
     R"(`a` + `b`)"},
    {R"(LEFT(a, 1) || RIGHT(a, 1) || IF(b, 'x', 'y'))",
     R"(LEFT(`a`, 1) || RIGHT(`a`, 1) || IF(`b`, 'x', 'y'))"},
    {R"(user.a)",
     R"(user.`a`)"},
};

constexpr Case kTypes[] = {
    {R"(INT NOT NULL)",
     R"(INT NOT NULL)"},
    {R"(TIMESTAMP(3) WITH LOCAL TIME ZONE)",
     R"(TIMESTAMP_LTZ(3))"},
    {R"(TIMESTAMP(3) WITHOUT TIME ZONE)",
     R"(TIMESTAMP(3))"},
    {R"(INT ARRAY NOT NULL MULTISET)",
     R"(MULTISET<ARRAY<INT> NOT NULL>)"},
    {R"(CHARACTER VARYING(10))",
     R"(VARCHAR(10))"},
    {R"(DOUBLE PRECISION)",
     R"(DOUBLE)"},
    {R"(INTERVAL DAY(3) TO SECOND(3))",
     R"(INTERVAL DAY(3) TO SECOND(3))"},
    {R"(ROW(a INT, `b c` STRING NULL))",
     R"(ROW<`a` INT, `b c` STRING NULL>)"},
    {R"(RAW('java.lang.Object', 'abc'))",
     R"(RAW('java.lang.Object', 'abc'))"},
    {R"(my.db.Type)",
     R"(`my`.`db`.`Type`)"},
    {R"(DEC(5))",
     R"(DECIMAL(5))"},
};

constexpr Case kStatements[] = {
    {R"(SELECT DISTINCT a, t.*, b AS c, d e FROM t)",
     R"(SELECT DISTINCT `a`, `t`.*, `b` AS `c`, `d` AS `e` FROM `t`)"},
    {R"(SELECT 1)",
     R"(SELECT 1)"},
    {R"(SELECT * FROM a, b AS x (c, d) LEFT OUTER JOIN c USING (k) CROSS JOIN d)",
     R"(SELECT * FROM `a`, `b` AS `x`(`c`, `d`) LEFT JOIN `c` USING (`k`) CROSS JOIN `d`)"},
    {R"(SELECT * FROM (a JOIN b ON a.x = b.x) JOIN (c CROSS JOIN d) ON TRUE)",
     R"(SELECT * FROM `a` JOIN `b` ON `a`.`x` = `b`.`x` JOIN (`c` CROSS JOIN `d`) ON TRUE)"},
    {R"(SELECT * FROM o LEFT JOIN d FOR SYSTEM_TIME AS OF o.proc AS x ON o.k = x.k)",
     R"(SELECT * FROM `o` LEFT JOIN `d` FOR SYSTEM_TIME AS OF `o`.`proc` AS `x` ON `o`.`k` = `x`.`k`)"},
    {R"(SELECT * FROM t /*+ OPTIONS('scan.startup.mode' = 'latest-offset') */ AS x)",
     R"(SELECT * FROM `t` /*+ `OPTIONS`('scan.startup.mode'='latest-offset') */ AS `x`)"},
    {R"(SELECT /*+ STATE_TTL('a' = '1d'), BROADCAST(b) */ * FROM a)",
     R"(SELECT /*+ `STATE_TTL`('a'='1d'), `BROADCAST`('b') */ * FROM `a`)"},
    {R"(SELECT * FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) w)",
     R"(SELECT * FROM TABLE(TUMBLE(TABLE `t`, DESCRIPTOR(`ts`), INTERVAL '1' MINUTE)) AS `w`)"},
    {R"(SELECT * FROM TUMBLE(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '1' MINUTE))",
     R"(SELECT * FROM TABLE(TUMBLE(`DATA` => TABLE `t`, `TIMECOL` => DESCRIPTOR(`ts`), `SIZE` => INTERVAL '1' MINUTE)))"},
    {R"(SELECT * FROM TABLE(SESSION(TABLE t PARTITION BY k, DESCRIPTOR(ts), INTERVAL '1' MINUTE)))",
     R"(SELECT * FROM TABLE(SESSION(TABLE `t` PARTITION BY (`k`), DESCRIPTOR(`ts`), INTERVAL '1' MINUTE)))"},
    {R"(SELECT * FROM t, LATERAL TABLE(f(a)) AS x (b) CROSS JOIN UNNEST(t.arr) WITH ORDINALITY AS u (e, i))",
     R"(SELECT * FROM `t`, LATERAL TABLE(f(`a`)) AS `x`(`b`) CROSS JOIN UNNEST(`t`.`arr`) WITH ORDINALITY AS `u`(`e`, `i`))"},
    {R"(SELECT a, COUNT(*) FROM t WHERE b > 1 GROUP BY a, GROUPING SETS ((a, b), ROLLUP (c, (d, e)), ()) HAVING COUNT(*) > 1)",
     R"(SELECT `a`, COUNT(*) FROM `t` WHERE `b` > 1 GROUP BY `a`, GROUPING SETS ((`a`, `b`), ROLLUP (`c`, (`d`, `e`)), ()) HAVING COUNT(*) > 1)"},
    {R"(SELECT a FROM t GROUP BY ())",
     R"(SELECT `a` FROM `t` GROUP BY ())"},
    {R"(SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY b) QUALIFY ROW_NUMBER() OVER w = 1)",
     R"(SELECT SUM(`a`) OVER `w` FROM `t` WINDOW `w` AS (PARTITION BY `b`) QUALIFY ROW_NUMBER() OVER `w` = 1)"},
    {R"(SELECT a FROM t ORDER BY a DESC, 2 LIMIT 10 OFFSET 5)",
     R"(SELECT `a` FROM `t` ORDER BY `a` DESC, 2 LIMIT 10 OFFSET 5)"},
    {R"(SELECT a FROM t FETCH FIRST 3 ROWS ONLY)",
     R"(SELECT `a` FROM `t` LIMIT 3)"},
    {R"(WITH x AS (SELECT 1), y (a) AS (VALUES 1, 2) SELECT * FROM x, y)",
     R"(WITH `x` AS (SELECT 1), `y`(`a`) AS (VALUES (1), (2)) SELECT * FROM `x`, `y`)"},
    {R"(SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4)",
     R"(SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4)"},
    {R"((SELECT 1 UNION SELECT 2) INTERSECT SELECT 3)",
     R"((SELECT 1 UNION SELECT 2) INTERSECT SELECT 3)"},
    {R"(SELECT 1 UNION ALL (SELECT 2 UNION ALL SELECT 3))",
     R"(SELECT 1 UNION ALL (SELECT 2 UNION ALL SELECT 3))"},
    {R"((SELECT a FROM t ORDER BY a LIMIT 5) ORDER BY b)",
     R"((SELECT `a` FROM `t` ORDER BY `a` LIMIT 5) ORDER BY `b`)"},
    {R"(SELECT * FROM ((SELECT 1) UNION ALL (SELECT 2)) AS t (a))",
     R"(SELECT * FROM (SELECT 1 UNION ALL SELECT 2) AS `t`(`a`))"},
    {R"(SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t (a, b))",
     R"(SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS `t`(`a`, `b`))"},
    {R"(TABLE t)",
     R"(TABLE `t`)"},
    {R"(VALUES (1, 2), (3, 4))",
     R"(VALUES (1, 2), (3, 4))"},
    {R"(SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY a PATTERN (A B+) DEFINE A AS A.x > 1) AS m)",
     R"(SELECT * FROM `t` MATCH_RECOGNIZE (PARTITION BY a PATTERN (A B+) DEFINE A AS A.x > 1) AS `m`)"},
    {R"(CREATE TABLE t (a INT NOT NULL COMMENT 'x', b AS a + 1, c BIGINT METADATA FROM 'offset' VIRTUAL, ts TIMESTAMP(3) METADATA, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, CONSTRAINT pk PRIMARY KEY (a) NOT ENFORCED) COMMENT 'it''s' PARTITIONED BY (a) WITH ('connector' = 'kafka', 'topic' = 'x'))",
     R"(CREATE TABLE `t` (`a` INT NOT NULL COMMENT 'x', `b` AS `a` + 1, `c` BIGINT METADATA FROM 'offset' VIRTUAL, `ts` TIMESTAMP(3) METADATA, WATERMARK FOR `ts` AS `ts` - INTERVAL '5' SECOND, CONSTRAINT `pk` PRIMARY KEY (`a`) NOT ENFORCED) COMMENT 'it''s' PARTITIONED BY (`a`) WITH ('connector' = 'kafka', 'topic' = 'x'))"},
    {R"(CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (id STRING PRIMARY KEY NOT ENFORCED) WITH ('connector'='print'))",
     R"(CREATE TEMPORARY TABLE IF NOT EXISTS `c`.`d`.`t` (`id` STRING, PRIMARY KEY (`id`) NOT ENFORCED) WITH ('connector' = 'print'))"},
    {R"(CREATE TABLE t (WATERMARK FOR a.b AS a.b) DISTRIBUTED BY HASH(k) INTO 4 BUCKETS LIKE s (INCLUDING ALL OVERWRITING OPTIONS))",
     R"(CREATE TABLE `t` (WATERMARK FOR `a`.`b` AS `a`.`b`) DISTRIBUTED BY HASH (`k`) INTO 4 BUCKETS LIKE `s` (INCLUDING ALL OVERWRITING OPTIONS))"},
    {R"(CREATE TABLE t (a, b) WITH () AS SELECT 1, 2)",
     R"(CREATE TABLE `t` (`a`, `b`) AS SELECT 1, 2)"},
    {R"(CREATE TABLE t WITH ('a' = 'b') AS SELECT 1 AS x)",
     R"(CREATE TABLE `t` WITH ('a' = 'b') AS SELECT 1 AS `x`)"},
    {R"(CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) COMMENT 'c' AS SELECT 1, 2)",
     R"(CREATE TEMPORARY VIEW IF NOT EXISTS `v` (`a`, `b`) COMMENT 'c' AS SELECT 1, 2)"},
    {R"(DROP TEMPORARY TABLE IF EXISTS t)",
     R"(DROP TEMPORARY TABLE IF EXISTS `t`)"},
    {R"(DROP VIEW a.b)",
     R"(DROP VIEW `a`.`b`)"},
    {R"(INSERT INTO t SELECT * FROM s)",
     R"(INSERT INTO `t` SELECT * FROM `s`)"},
    {R"(INSERT OVERWRITE t PARTITION (dt = '1', h) (a, b) VALUES (1, 2);)",
     R"(INSERT OVERWRITE `t` PARTITION (`dt` = '1', `h`) (`a`, `b`) VALUES (1, 2))"},
    {R"(INSERT INTO t (SELECT 1))",
     R"(INSERT INTO `t` SELECT 1)"},
    {R"(EXECUTE INSERT INTO t TABLE s)",
     R"(INSERT INTO `t` TABLE `s`)"},
    {R"(EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END)",
     R"(EXECUTE STATEMENT SET BEGIN INSERT INTO `a` SELECT 1; INSERT INTO `b` SELECT 2; END)"},
    {R"(BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN x THEN 1 END FROM t; END;)",
     R"(EXECUTE STATEMENT SET BEGIN INSERT INTO `a` SELECT CASE WHEN `x` THEN 1 END FROM `t`; END)"},
    {R"(EXPLAIN SELECT 1)",
     R"(EXPLAIN PLAN FOR SELECT 1)"},
    {R"(EXPLAIN PLAN FOR INSERT INTO t SELECT 1)",
     R"(EXPLAIN PLAN FOR INSERT INTO `t` SELECT 1)"},
    {R"(EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT 1)",
     R"(EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT 1)"},
    {R"(EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END)",
     R"(EXPLAIN PLAN FOR STATEMENT SET BEGIN INSERT INTO `a` SELECT 1; END)"},
    {R"(SET)",
     R"(SET)"},
    {R"(SET 'a.b' = 'c')",
     R"(SET 'a.b' = 'c')"},
    {R"(SET table.exec.state.ttl = 1h)",
     R"(SET 'table.exec.state.ttl' = '1h')"},
    {R"(SET pipeline.name = my-job;)",
     R"(SET 'pipeline.name' = 'my-job')"},
    {R"(RESET)",
     R"(RESET)"},
    {R"(RESET 'a.b')",
     R"(RESET 'a.b')"},
    {R"(SHOW TABLES)",
     R"(SHOW TABLES)"},
    {R"(SHOW TABLES FROM db NOT LIKE '%x')",
     R"(SHOW TABLES FROM `db` NOT LIKE '%x')"},
    {R"(SHOW CREATE TABLE a.t)",
     R"(SHOW CREATE TABLE `a`.`t`)"},
    {R"(SHOW CURRENT DATABASE)",
     R"(SHOW CURRENT DATABASE)"},
    {R"(DESC t)",
     R"(DESCRIBE `t`)"},
    {R"(DESCRIBE EXTENDED t)",
     R"(DESCRIBE EXTENDED `t`)"},
    {R"(USE CATALOG c)",
     R"(USE CATALOG `c`)"},
    {R"(USE c.d)",
     R"(USE `c`.`d`)"},
    {R"(USE MODULES a, b)",
     R"(USE MODULES `a`, `b`)"},
    {R"(ALTER TABLE t RENAME TO u)",
     R"(ALTER TABLE)"},
    {R"(CREATE TEMPORARY SYSTEM FUNCTION f AS 'x')",
     R"(CREATE TEMPORARY SYSTEM FUNCTION)"},
    {R"(DROP DATABASE d)",
     R"(DROP DATABASE)"},
};
// clang-format on

TEST(Parser, PrintsExpressionsThatParseToTheSameTree) {
  for (const Case& each : kExpressions) {
    EXPECT_EQ(to_sql(*parse_expression(each.sql)), each.printed) << each.sql;
    EXPECT_EQ(to_sql(*parse_expression(each.printed)), each.printed) << each.sql;
  }
}

TEST(Parser, PrintsTypesThatParseToTheSameTree) {
  for (const Case& each : kTypes) {
    EXPECT_EQ(to_sql(parse_data_type(each.sql)), each.printed) << each.sql;
    EXPECT_EQ(to_sql(parse_data_type(each.printed)), each.printed) << each.sql;
  }
}

TEST(Parser, PrintsStatementsThatParseToTheSameTree) {
  for (const Case& each : kStatements) {
    Statement statement = parse_statement(each.sql);
    EXPECT_EQ(to_sql(statement), each.printed) << each.sql;
    if (std::holds_alternative<UnsupportedStatement>(statement.node)) continue;  // keeps its first words only
    EXPECT_EQ(to_sql(parse_statement(each.printed)), each.printed) << each.sql;
  }
}

TEST(Parser, PositionsCountFromTheOriginInCodePoints) {
  ExpressionPtr sum = parse_expression("'한글' || \n  b.c", {7, 5, 100});
  EXPECT_EQ(sum->position, (SourcePosition{7, 10, 109}));
  EXPECT_EQ(sum->as<BinaryOperation>()->left->position, (SourcePosition{7, 5, 100}));
  const ColumnReference* column = sum->as<BinaryOperation>()->right->as<ColumnReference>();
  EXPECT_EQ(column->parts[0].position, (SourcePosition{8, 3, 115}));
  EXPECT_EQ(column->parts[1].position, (SourcePosition{8, 5, 117}));
}

TEST(Parser, AlternatesUnitSpellings) {
  EXPECT_EQ(to_sql(*parse_expression("TIMESTAMPADD(SQL_TSI_DAY, 1, a)")), "TIMESTAMPADD(DAY, 1, `a`)");
  EXPECT_EQ(to_sql(*parse_expression("INTERVAL '1' DAYS")), "INTERVAL '1' DAY");
}

TEST(Parser, JoinsStringsOnLinesOfTheirOwn) {
  EXPECT_EQ(parse_expression("'a'\n'b'")->as<Literal>()->text, "ab");
}

TEST(Parser, DepthCountsSubqueries) {
  EXPECT_EQ(parse_expression("a")->depth, 1);
  EXPECT_EQ(parse_expression("a + 1 + 2")->depth, 3);
  EXPECT_GE(parse_expression("(SELECT a + 1 FROM t)")->depth, 4);
  EXPECT_GE(parse_query("SELECT 1 UNION SELECT 2 UNION SELECT 3")->depth, 4);
}

TEST(Parser, WatermarkHasTheColumnAndItsExpression) {
  Statement statement =
      parse_statement("CREATE TABLE t (\n ts TIMESTAMP(3),\n WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)");
  const CreateTableStatement& table = std::get<CreateTableStatement>(statement.node);
  ASSERT_EQ(table.watermarks.size(), 1u);
  EXPECT_EQ(table.watermarks[0].column.last(), "ts");
  EXPECT_EQ(table.watermarks[0].position, (SourcePosition{3, 2, 36}));
  EXPECT_EQ(to_sql(*table.watermarks[0].expression), "`ts` - INTERVAL '5' SECOND");
}

TEST(Parser, SetTakesAnUnquotedValueUpToTheNextBlank) {
  auto value = [](const char* sql) { return std::get<SetStatement>(parse_statement(sql).node).value; };
  EXPECT_EQ(value("SET a.b-c = x:/y.z -- comment"), "x:/y.z");
  EXPECT_EQ(value("SET a=10s;"), "10s");
  EXPECT_EQ(value("SET 'a' = 'b c'"), "b c");
}

TEST(SplitStatements, RespectsStringsNamesCommentsAndStatementSets) {
  std::vector<StatementText> parts = split_statements(
      "-- first; comment\nSET 'a;b' = ';';\n;SELECT `x;` /* ; */ FROM t -- ;\n; "
      "BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN b THEN 1 END; INSERT INTO b SELECT 1; END;"
      "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END; EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; "
      "END;"
      "\"; SELECT 3");
  std::vector<std::string> texts;
  for (const StatementText& part : parts) texts.push_back(part.text);
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "SET 'a;b' = ';'", "SELECT `x;` /* ; */ FROM t",
                       "BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN b THEN 1 END; INSERT INTO b SELECT 1; END",
                       "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END",
                       "EXPLAIN STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", "\"", "SELECT 3"}));
  EXPECT_EQ(parts[0].position, (SourcePosition{2, 1, 18}));
  EXPECT_EQ(parts[1].position, (SourcePosition{3, 2, 36}));
}

TEST(SplitStatements, AnEmptyScriptHasNoStatements) {
  EXPECT_TRUE(split_statements("").empty());
  EXPECT_TRUE(split_statements("\xEF\xBB\xBF ; -- x\n;;").empty());
}

}  // namespace
}  // namespace yeoul::ast
