#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/sql/functions/aggregate_call.h"
#include "yeoul/sql/functions/evaluator.h"
#include "yeoul/sql/functions/expression.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/row_literal.h"
#include "yeoul/types/text.h"

namespace yeoul {
namespace {

ExpressionPtr integer(int64_t value) {
  return make_literal(LogicalType::integer().not_null(), Value(value));
}
ExpressionPtr bigint(int64_t value) {
  return make_literal(LogicalType::bigint().not_null(), Value(value));
}
ExpressionPtr real(double value) {
  return make_literal(LogicalType::double_().not_null(), Value(value));
}
ExpressionPtr text(std::string value) {
  const int length = static_cast<int>(value.size());
  return make_literal(LogicalType::char_(length).not_null(), Value(std::move(value)));
}
ExpressionPtr decimal(std::string_view digits, int precision, int scale) {
  return make_literal(LogicalType::decimal(precision, scale).not_null(),
                      Value(*parse_decimal(digits, precision, scale)));
}
ExpressionPtr null() {
  return make_literal(LogicalType::null(), Value());
}
ExpressionPtr null_of(const LogicalType& type) {
  return make_literal(type.as_nullable(), Value());
}
ExpressionPtr boolean(bool value) {
  return make_literal(LogicalType::boolean().not_null(), Value(value));
}
ExpressionPtr cast(ExpressionPtr e, const LogicalType& type) {
  return make_cast(std::move(e), type);
}
ExpressionPtr try_cast(ExpressionPtr e, const LogicalType& type) {
  return make_cast(std::move(e), type, true);
}

/// Value and type of an expression without inputs, or its error's code: "3 : INT NOT NULL", "error 1103".
template <class Build>
std::string answer(Build build) {
  try {
    const ExpressionPtr e = build();
    const RowBatch one({}, 1);
    const ColumnPtr column = ExpressionEvaluator({e}, {}).evaluate(one)[0];
    std::string value = "NULL";
    if (column->is_valid(0)) {
      value.clear();
      append_text(*column, 0, TimeZone(), value);
    }
    const ExpressionPtr folded = fold_constants(e, {});
    if (folded->kind == Expression::Kind::kLiteral) {
      EXPECT_EQ(folded->value.is_null(), value == "NULL") << e->to_string();
    }
    return value + " : " + e->type.to_string();
  } catch (const Error& e) {
    return "error " + std::to_string(e.code());
  }
}

struct Fact {
  const char* what;
  std::function<ExpressionPtr()> build;
  const char* expected;
};

void check(std::initializer_list<Fact> facts) {
  for (const Fact& fact : facts) EXPECT_EQ(answer(fact.build), fact.expected) << fact.what;
}

TEST(Functions, Arithmetic) {
  check({
      {"1 + 2",
       [] {
         return make_call("+", {integer(1), integer(2)});
       },
       "3 : INT NOT NULL"},
      {"wraps",
       [] {
         return make_call("+", {integer(2147483647), integer(1)});
       },
       "-2147483648 : INT NOT NULL"},
      {"tinyint",
       [] {
         return make_call("+", {cast(integer(127), LogicalType::tinyint()), cast(integer(1), LogicalType::tinyint())});
       },
       "-128 : TINYINT NOT NULL"},
      {"7 / 2",
       [] {
         return make_call("/", {integer(7), integer(2)});
       },
       "3 : INT NOT NULL"},
      {"1 / 0",
       [] {
         return make_call("/", {integer(1), integer(0)});
       },
       "error 3100"},
      {"1e0 / 0",
       [] {
         return make_call("/", {real(1), real(0)});
       },
       "error 3100"},
      {"-2147483648 / -1",
       [] {
         return make_call("/", {integer(-2147483648), integer(-1)});
       },
       "-2147483648 : INT NOT NULL"},
      {"MOD(bigint, int)",
       [] {
         return make_call("MOD", {bigint(10), integer(3)});
       },
       "1 : INT NOT NULL"},
      {"1.0 / 3.0",
       [] {
         return make_call("/", {decimal("1.0", 2, 1), decimal("3.0", 2, 1)});
       },
       "0.333333 : DECIMAL(8, 6) NOT NULL"},
      {"digits lost",
       [] {
         return make_call("+", {decimal("1.5", 38, 37), decimal("2", 38, 0)});
       },
       "3.500000 : DECIMAL(38, 6) NOT NULL"},
      {"decimal overflow is NULL",
       [] {
         return make_call("*", {decimal("99999999999999999999999999999999999999", 38, 0), integer(10)});
       },
       "NULL : DECIMAL(38, 0) NOT NULL"},
      {"1 + NULL",
       [] {
         return make_call("+", {integer(1), null()});
       },
       "error 1103"},
      {"'1' + '2'",
       [] {
         return make_call("+", {text("1"), text("2")});
       },
       "error 1103"},
      {"FLOAT + DOUBLE",
       [] {
         return make_call("+", {cast(real(0.5), LogicalType::real()), real(0.25)});
       },
       "0.75 : FLOAT NOT NULL"},
      {"-(1.50)", [] { return make_call("-", {decimal("1.50", 3, 2)}); }, "-1.50 : DECIMAL(3, 2) NOT NULL"},
  });
}

TEST(Functions, ComparisonAndLogic) {
  check({
      {"1 = 1.0",
       [] {
         return make_call("=", {integer(1), decimal("1.0", 2, 1)});
       },
       "TRUE : BOOLEAN NOT NULL"},
      {"1 = '1'",
       [] {
         return make_call("=", {integer(1), text("1")});
       },
       "error 1103"},
      {"'10' < 9",
       [] {
         return make_call("<", {text("10"), integer(9)});
       },
       "FALSE : BOOLEAN NOT NULL"},
      {"1 IN ('1')",
       [] {
         return make_call("IN", {integer(1), text("1")});
       },
       "TRUE : BOOLEAN NOT NULL"},
      {"3 NOT IN (1, NULL)",
       [] {
         return make_call("NOT IN", {integer(3), integer(1), null()});
       },
       "NULL : BOOLEAN"},
      {"NaN = NaN",
       [] {
         return make_call("=", {real(std::nan("")), real(std::nan(""))});
       },
       "TRUE : BOOLEAN NOT NULL"},
      {"2 BETWEEN 3 AND 1",
       [] {
         return make_call("BETWEEN", {integer(2), integer(3), integer(1)});
       },
       "FALSE : BOOLEAN NOT NULL"},
      {"FALSE AND 1/0 = 1",
       [] {
         return make_call("AND",
                          {boolean(false), make_call("=", {make_call("/", {integer(1), integer(0)}), integer(1)})});
       },
       "FALSE : BOOLEAN NOT NULL"},
      {"NULL AND FALSE",
       [] {
         return make_call("AND", {null_of(LogicalType::boolean()), boolean(false)});
       },
       "FALSE : BOOLEAN"},
      {"IS NOT DISTINCT FROM",
       [] {
         return make_call("IS NOT DISTINCT FROM", {integer(1), null_of(LogicalType::integer())});
       },
       "FALSE : BOOLEAN NOT NULL"},
      {"CASE",
       [] {
         return make_call("CASE", {boolean(true), integer(1), decimal("2.5", 2, 1)});
       },
       "1.0 : DECIMAL(11, 1) NOT NULL"},
      {"CASE mixes",
       [] {
         return make_call("CASE", {boolean(true), integer(1), text("a")});
       },
       "error 1103"},
      {"COALESCE",
       [] {
         return make_call("COALESCE", {null(), integer(1)});
       },
       "1 : INT NOT NULL"},
      {"GREATEST",
       [] {
         return make_call("GREATEST", {integer(1), decimal("2.5", 2, 1)});
       },
       "2.5 : DECIMAL(11, 1) NOT NULL"},
      {"LIKE",
       [] {
         return make_call("LIKE", {text("aXbYc"), text("a%b_c")});
       },
       "TRUE : BOOLEAN NOT NULL"},
      {"LIKE escape",
       [] {
         return make_call("LIKE", {text("a%c"), text("a!%c"), text("!")});
       },
       "TRUE : BOOLEAN NOT NULL"},
      {"SIMILAR TO",
       [] {
         return make_call("SIMILAR TO", {text("abbc"), text("ab{2}c")});
       },
       "TRUE : BOOLEAN NOT NULL"},
      {"no such function", [] { return make_call("UPER", {text("a")}); }, "error 1104"},
  });
}

TEST(Functions, Casts) {
  const LogicalType timestamp3 = LogicalType::timestamp(3);
  check({
      {"narrowing wraps", [] { return cast(bigint(2147483648), LogicalType::integer()); },
       "-2147483648 : INT NOT NULL"},
      {"double saturates", [] { return cast(real(1e10), LogicalType::integer()); }, "2147483647 : INT NOT NULL"},
      {"double to tinyint", [] { return cast(real(1e20), LogicalType::tinyint()); }, "-1 : TINYINT NOT NULL"},
      {"text to int", [] { return cast(text(" 12.9 "), LogicalType::integer()); }, "12 : INT NOT NULL"},
      {"text that is none", [] { return cast(text("1e3"), LogicalType::integer()); }, "error 3100"},
      {"TRY_CAST", [] { return try_cast(text("1e3"), LogicalType::integer()); }, "NULL : INT"},
      {"CHAR pads",
       [] {
         return make_call("||", {cast(text("ab"), LogicalType::char_(4)), text("|")});
       },
       "ab  | : CHAR(5) NOT NULL"},
      {"number to VARCHAR", [] { return cast(integer(12345), LogicalType::varchar(3)); }, "123 : VARCHAR(3) NOT NULL"},
      {"decimal that does not fit", [] { return cast(decimal("999.995", 6, 3), LogicalType::decimal(5, 2)); },
       "NULL : DECIMAL(5, 2) NOT NULL"},
      {"text to date", [] { return cast(text("2024-2-9"), LogicalType::date()); }, "2024-02-09 : DATE NOT NULL"},
      {"no such day", [] { return cast(text("2023-02-29"), LogicalType::date()); }, "error 3100"},
      {"clamped day", [=] { return cast(text("2023-02-30 01:02:03.5"), timestamp3); },
       "2023-02-28 01:02:03.500 : TIMESTAMP(3) NOT NULL"},
      {"no such pair", [] { return cast(integer(1), LogicalType::date()); }, "error 1105"},
      {"assignment", [] { return make_assignment_cast(text("a"), LogicalType::integer()); }, "error 1106"},
  });
}

TEST(Functions, Strings) {
  check({
      {"UPPER", [] { return make_call("UPPER", {text("a\xc3\xa9")}); }, "A\xc3\x89 : CHAR(3) NOT NULL"},
      {"SUBSTRING",
       [] {
         return make_call("SUBSTRING", {text("abcdef"), integer(-2), integer(1)});
       },
       "e : VARCHAR(6)"},
      {"TRIM",
       [] {
         return make_call("TRIM", {text("BOTH"), text("x"), text("xxabx")});
       },
       "ab : VARCHAR(5) NOT NULL"},
      {"LPAD",
       [] {
         return make_call("LPAD", {text("ab"), integer(5), text("xy")});
       },
       "xyxab : STRING NOT NULL"},
      {"REPLACE",
       [] {
         return make_call("REPLACE", {text("abc"), text(""), text("-")});
       },
       "-a-b-c- : STRING NOT NULL"},
      {"CONCAT_WS",
       [] {
         return make_call("CONCAT_WS", {text("-"), text("a"), null_of(LogicalType::string())});
       },
       "a : STRING"},
      {"UPPER(1)", [] { return make_call("UPPER", {integer(1)}); }, "error 1103"},
  });
}

ExpressionPtr date(std::string_view value) {
  return cast(text(std::string(value)), LogicalType::date());
}
ExpressionPtr timestamp(std::string_view value, int precision = 3) {
  return cast(text(std::string(value)), LogicalType::timestamp(precision));
}
ExpressionPtr months(int64_t count) {
  return make_literal(LogicalType::interval_year_month().not_null(), Value(count));
}

TEST(Functions, DatesAndTimes) {
  check({
      {"date + month",
       [] {
         return make_call("+", {date("2024-01-31"), months(1)});
       },
       "2024-02-29 : DATE NOT NULL"},
      {"EXTRACT",
       [] {
         return make_call("EXTRACT", {text("WEEK"), date("2023-01-01")});
       },
       "52 : BIGINT NOT NULL"},
      {"DAYOFWEEK", [] { return make_call("DAYOFWEEK", {date("2024-03-03")}); }, "1 : BIGINT NOT NULL"},
      {"FLOOR TO",
       [] {
         return make_call("FLOOR", {timestamp("2024-05-15 12:34:56.789"), text("WEEK")});
       },
       "2024-05-12 00:00:00.000 : TIMESTAMP(3) NOT NULL"},
      {"CEIL TO",
       [] {
         return make_call("CEIL", {date("2024-01-02"), text("MONTH")});
       },
       "2024-02-01 : DATE NOT NULL"},
      {"TIMESTAMPADD",
       [] {
         return make_call("TIMESTAMPADD", {text("SECOND"), integer(-1), date("2024-02-28")});
       },
       "2024-02-27 23:59:59.000000 : TIMESTAMP(6) NOT NULL"},
      {"TIMESTAMPDIFF",
       [] {
         return make_call("TIMESTAMPDIFF", {text("MONTH"), date("2024-01-31"), date("2024-02-29")});
       },
       "1 : INT NOT NULL"},
      {"DATE_FORMAT",
       [] {
         return make_call("DATE_FORMAT", {timestamp("2024-02-29 12:34:56"), text("EEE MMM d yyyy")});
       },
       "Thu Feb 29 2024 : STRING"},
      {"a pattern that is wrong",
       [] {
         return make_call("DATE_FORMAT", {timestamp("2024-02-29 12:34:56"), text("b")});
       },
       "error 3100"},
      {"TO_TIMESTAMP clamps",
       [] {
         return make_call("TO_TIMESTAMP", {text("2024-02-30"), text("yyyy-MM-dd")});
       },
       "2024-02-29 00:00:00.000 : TIMESTAMP(3)"},
      {"TO_TIMESTAMP of nonsense", [] { return make_call("TO_TIMESTAMP", {text("bad")}); }, "NULL : TIMESTAMP(3)"},
      {"TO_DATE rolls over",
       [] {
         return make_call("TO_DATE", {text("29/02/2023"), text("dd/MM/yyyy")});
       },
       "2023-03-01 : DATE"},
      {"UNIX_TIMESTAMP", [] { return make_call("UNIX_TIMESTAMP", {text("2024-02-30 00:00:00")}); },
       "1709251200 : BIGINT NOT NULL"},
      {"FROM_UNIXTIME", [] { return make_call("FROM_UNIXTIME", {bigint(-1)}); }, "1969-12-31 23:59:59 : STRING"},
      {"TO_TIMESTAMP_LTZ",
       [] {
         return make_call("TO_TIMESTAMP_LTZ", {bigint(1500), integer(3)});
       },
       "1970-01-01 00:00:01.500 : TIMESTAMP_LTZ(3)"},
      {"CONVERT_TZ",
       [] {
         return make_call("CONVERT_TZ", {text("2024-02-29 12:00:00"), text("UTC"), text("Asia/Seoul")});
       },
       "2024-02-29 21:00:00 : STRING"},
  });
}

TEST(Functions, Numbers) {
  check({
      {"ROUND",
       [] {
         return make_call("ROUND", {real(2.675), integer(2)});
       },
       "2.68 : DOUBLE NOT NULL"},
      {"ROUND of DECIMAL",
       [] {
         return make_call("ROUND", {decimal("99.99", 4, 2), integer(1)});
       },
       "100.0 : DECIMAL(4, 1) NOT NULL"},
      {"TRUNCATE",
       [] {
         return make_call("TRUNCATE", {integer(123), integer(-1)});
       },
       "120 : INT NOT NULL"},
      {"FLOOR", [] { return make_call("FLOOR", {decimal("-1.1", 2, 1)}); }, "-2 : DECIMAL(2, 0) NOT NULL"},
      {"LOG",
       [] {
         return make_call("LOG", {real(2), real(8)});
       },
       "3.0 : DOUBLE NOT NULL"},
      {"BIN", [] { return make_call("BIN", {integer(4)}); }, "100 : STRING NOT NULL"},
      {"ABS(NULL)", [] { return make_call("ABS", {null()}); }, "error 1103"},
  });
}

TEST(Functions, Collections) {
  const auto array = [](std::vector<ExpressionPtr> elements) { return make_call("ARRAY", std::move(elements)); };
  check({
      {"ARRAY",
       [=] {
         return array({integer(1), decimal("2.5", 2, 1)});
       },
       "[1.0, 2.5] : ARRAY<DECIMAL(11, 1) NOT NULL> NOT NULL"},
      {"element",
       [=] {
         return make_call("[]", {array({integer(7), integer(8)}), integer(2)});
       },
       "8 : INT"},
      {"no such element",
       [=] {
         return make_call("[]", {array({integer(7)}), integer(2)});
       },
       "NULL : INT"},
      {"MAP",
       [] {
         return make_call("MAP", {text("a"), integer(1), text("a"), integer(2)});
       },
       "{a=2} : MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL"},
      {"field",
       [] {
         return make_field_access(make_call("ROW", {integer(1), text("x")}), 1);
       },
       "x : CHAR(1) NOT NULL"},
      {"ARRAY_SORT",
       [=] {
         return make_call("ARRAY_SORT", {array({integer(3), null(), integer(2)})});
       },
       "[NULL, 2, 3] : ARRAY<INT> NOT NULL"},
      {"ARRAY_EXCEPT",
       [=] {
         return make_call("ARRAY_EXCEPT", {array({integer(1), integer(2), integer(1)}), array({integer(2)})});
       },
       "[1] : ARRAY<INT NOT NULL> NOT NULL"},
      {"CARDINALITY",
       [=] {
         return make_call("CARDINALITY", {array({integer(1), integer(2)})});
       },
       "2 : INT NOT NULL"},
      {"cast of elements",
       [=] {
         return cast(array({text("1"), text("x")}), LogicalType::array(LogicalType::integer()));
       },
       "error 3100"},
  });
}

TEST(Functions, PatternsAndDigests) {
  check({
      {"REGEXP_EXTRACT",
       [] {
         return make_call("REGEXP_EXTRACT", {text("foothebar"), text("foo(.*?)(bar)"), integer(2)});
       },
       "bar : STRING"},
      {"REGEXP_REPLACE",
       [] {
         return make_call("REGEXP_REPLACE", {text("abc"), text("(b)"), text("<$1>")});
       },
       "a<$1>c : STRING NOT NULL"},
      {"a wrong pattern",
       [] {
         return make_call("REGEXP_EXTRACT", {text("abc"), text("[")});
       },
       "NULL : STRING"},
      {"a pattern that explodes",
       [] {
         return make_call("REGEXP", {text(std::string(40, 'a')), text("(a|a)*b")});
       },
       "FALSE : BOOLEAN NOT NULL"},
      {"MD5", [] { return make_call("MD5", {text("")}); }, "d41d8cd98f00b204e9800998ecf8427e : CHAR(32) NOT NULL"},
      {"SHA1", [] { return make_call("SHA1", {text("abc")}); },
       "a9993e364706816aba3e25717850c26c9cd0d89d : CHAR(40) NOT NULL"},
      {"SHA256", [] { return make_call("SHA256", {text("abc")}); },
       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad : CHAR(64) NOT NULL"},
      {"SPLIT_INDEX",
       [] {
         return make_call("SPLIT_INDEX", {text("a,b,c"), text(","), integer(1)});
       },
       "b : STRING"},
      {"HEX", [] { return make_call("HEX", {integer(-1)}); }, "FFFFFFFFFFFFFFFF : STRING NOT NULL"},
  });
}

class OverRows : public ::testing::Test {
 protected:
  const Schema schema_{{{"a", LogicalType::integer()}, {"b", LogicalType::integer()}, {"s", LogicalType::string()}}};
  const std::shared_ptr<RowBatch> batch_ = rows(schema_, "+I 1 0 x\n+I 6 2 y\n+I . 3 .\n+I 9 0 y");
  const ExpressionPtr a_ = make_input_ref(0, LogicalType::integer());
  const ExpressionPtr b_ = make_input_ref(1, LogicalType::integer());
  const ExpressionPtr s_ = make_input_ref(2, LogicalType::string());

  std::string values(const ExpressionPtr& e) {
    const ColumnPtr column = ExpressionEvaluator({e}, {}).evaluate(*batch_)[0];
    std::string out;
    for (size_t i = 0; i < column->size(); ++i) {
      if (i > 0) out += ' ';
      if (column->is_null(i)) {
        out += '.';
      } else {
        append_text(*column, i, TimeZone(), out);
      }
    }
    return out;
  }
};

TEST_F(OverRows, ABranchSeesOnlyItsRows) {
  const ExpressionPtr quotient = make_call("/", {a_, b_});
  const ExpressionPtr guard = make_call("<>", {b_, integer(0)});
  EXPECT_THROW(values(quotient), Error);
  EXPECT_EQ(values(make_call("CASE", {guard, quotient, integer(-1)})), "-1 3 . -1");
  EXPECT_EQ(values(make_call("AND", {guard, make_call(">", {quotient, integer(2)})})), "FALSE TRUE . FALSE");
  EXPECT_EQ(values(make_call("OR", {make_call("=", {b_, integer(0)}), make_call("<", {quotient, integer(2)})})),
            "TRUE FALSE . TRUE");
  EXPECT_EQ(values(make_call("COALESCE", {s_, cast(a_, LogicalType::string()), text("none")})), "x y none y");
}

TEST_F(OverRows, DeadRowsAreNotComputed) {
  batch_->selection = std::make_shared<Selection>(Selection{1, 2});
  EXPECT_EQ(values(make_call("/", {a_, b_})), "3 .");
  EXPECT_EQ(values(a_), "6 .");
  EXPECT_EQ(values(integer(7)), "7 7");
}

TEST_F(OverRows, SelectKeepsTrueRows) {
  ExpressionEvaluator where({make_call("=", {s_, text("y")})}, {});
  EXPECT_EQ(where.select(*batch_), (Selection{1, 3}));
  batch_->selection = std::make_shared<Selection>(Selection{0, 3});
  EXPECT_EQ(where.select(*batch_), (Selection{3}));
}

TEST_F(OverRows, TextsCompareWithConstantsOfAnyLength) {
  const Schema schema({{"s", LogicalType::string()}});
  const auto batch = rows(schema, "+I Region_3\n+I Region_33\n+I region_3\n+I .\n+I abcdefghijklmnopq\n+I ''");
  const auto matches = [&](std::string value) {
    return ExpressionEvaluator({make_call("=", {make_input_ref(0, LogicalType::string()), text(std::move(value))})}, {})
        .select(*batch);
  };
  EXPECT_EQ(matches("Region_3"), (Selection{0}));
  EXPECT_EQ(matches("Region_33"), (Selection{1}));
  EXPECT_EQ(matches("abcdefghijklmnop"), (Selection{}));
  EXPECT_EQ(matches("abcdefghijklmnopq"), (Selection{4}));
  EXPECT_EQ(matches(""), (Selection{5}));
}

TEST_F(OverRows, AnErrorNamesExpressionAndReason) {
  try {
    values(make_call("/", {a_, b_}));
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), 3100);
    EXPECT_EQ(e.message(), "($0 / $1): Division by zero");
  }
}

TEST(Functions, TreesPrintAndSubstitute) {
  const ExpressionPtr sum = make_call("+", {make_input_ref(0, LogicalType::integer()), integer(1)});
  const ExpressionPtr test = make_call(
      "AND", {make_call(">", {sum, integer(3)}), make_call("IS NULL", {make_input_ref(2, LogicalType::string())})});
  EXPECT_EQ(test->to_string(), "((($0 + 1) > 3) AND $2 IS NULL)");
  const std::vector<std::string> names{"x", "y", "z"};
  EXPECT_EQ(sum->to_string(names), "(x + 1)");
  EXPECT_EQ(input_columns(std::span(&test, 1)), (std::vector<int>{0, 2}));
  const std::vector<ExpressionPtr> replacements{integer(5)};
  EXPECT_EQ(substitute(sum, replacements)->to_string(), "(5 + 1)");
}

TEST(Aggregates, Types) {
  const auto type = [](std::string_view name, const LogicalType& argument, bool grouped = true) {
    return resolve_aggregate(name, std::span(&argument, 1), false, false, grouped).type.to_string();
  };
  EXPECT_EQ(type("SUM", LogicalType::integer()), "INT");
  EXPECT_EQ(type("AVG", LogicalType::integer()), "INT");
  EXPECT_EQ(type("SUM", LogicalType::decimal(5, 2)), "DECIMAL(38, 2)");
  EXPECT_EQ(type("AVG", LogicalType::decimal(5, 2)), "DECIMAL(38, 6)");
  EXPECT_EQ(type("COUNT", LogicalType::string()), "BIGINT NOT NULL");
  EXPECT_EQ(type("MAX", LogicalType::string().not_null()), "STRING NOT NULL");
  EXPECT_EQ(type("MAX", LogicalType::string().not_null(), false), "STRING");
  EXPECT_THROW(type("SUM", LogicalType::string()), Error);
  AggregateCall count = resolve_aggregate("COUNT", {}, true, false, true);
  EXPECT_EQ(count.to_string({}), "COUNT(*)");
}

}  // namespace
}  // namespace yeoul
