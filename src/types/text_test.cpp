#include "yeoul/types/text.h"

#include <gtest/gtest.h>

#include <limits>

#include "yeoul/types/row_literal.h"
#include "yeoul/types/test_values.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {
namespace {

std::string double_text(double value) {
  std::string out;
  append_double_text(value, out);
  return out;
}

std::string float_text(float value) {
  std::string out;
  append_float_text(value, out);
  return out;
}

std::string decimal_text(int128 unscaled, int scale) {
  std::string out;
  append_decimal_text(unscaled, scale, out);
  return out;
}

std::string timestamp_text(int64_t millis, int32_t nanos, int precision) {
  std::string out;
  append_timestamp_text({millis, nanos}, precision, out);
  return out;
}

std::string text_of(const LogicalType& type, const Value& value, std::string_view zone = "UTC") {
  return value_text(type, value, TimeZone::load(zone));
}

TEST(Text, DoublesLookLikeJava) {
  EXPECT_EQ(double_text(0.0), "0.0");
  EXPECT_EQ(double_text(-0.0), "-0.0");
  EXPECT_EQ(double_text(1e10), "1.0E10");
  EXPECT_EQ(double_text(1e308), "1.0E308");
  EXPECT_EQ(double_text(1.7976931348623157E308), "1.7976931348623157E308");
  EXPECT_EQ(double_text(0.1 + 0.2), "0.30000000000000004");
  EXPECT_EQ(double_text(100000), "100000.0");
  EXPECT_EQ(double_text(9999999), "9999999.0");
  EXPECT_EQ(double_text(12345678.9), "1.23456789E7");
  EXPECT_EQ(double_text(0.001), "0.001");
  EXPECT_EQ(double_text(0.00123), "0.00123");
  EXPECT_EQ(double_text(0.0005), "5.0E-4");
  EXPECT_EQ(double_text(1.0e-5), "1.0E-5");
  EXPECT_EQ(double_text(-2.5), "-2.5");
  EXPECT_EQ(double_text(99999.995), "99999.995");
  EXPECT_EQ(double_text(std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(double_text(-std::numeric_limits<double>::infinity()), "-Infinity");
  EXPECT_EQ(double_text(std::numeric_limits<double>::denorm_min()), "4.9E-324");
  EXPECT_EQ(double_text(2e23), "2.0E23");
  EXPECT_EQ(float_text(std::numeric_limits<float>::denorm_min()), "1.4E-45");
  EXPECT_EQ(float_text(3.4e38f), "3.4E38");
  // Answers of Java 17, where Java 19 writes the shortest text.
  EXPECT_EQ(float_text(-2147483648.0f), "-2.14748365E9");
  EXPECT_EQ(float_text(8.2e10f), "8.2000003E10");
  EXPECT_EQ(float_text(7.8e18f), "7.7999998E18");
  EXPECT_EQ(float_text(1e13f), "9.9999998E12");
  EXPECT_EQ(double_text(59028721132322368.0), "5.9028721132322368E16");
  EXPECT_EQ(double_text(3e9), "3.0E9");
  EXPECT_EQ(float_text(0.3f), "0.3");
  EXPECT_EQ(float_text(1.1f), "1.1");
}

TEST(Text, Decimals) {
  const int128 largest = power_of_ten(38) - 1;
  EXPECT_EQ(decimal_text(largest, 0), "99999999999999999999999999999999999999");
  EXPECT_EQ(decimal_text(-largest, 38), "-0.99999999999999999999999999999999999999");
  EXPECT_EQ(decimal_text(0, 0), "0");
  EXPECT_EQ(decimal_text(0, 3), "0.000");
  EXPECT_EQ(decimal_text(-5, 2), "-0.05");
  EXPECT_EQ(decimal_text(150, 2), "1.50");
  EXPECT_EQ(decimal_text(power_of_ten(20), 20), "1.00000000000000000000");
}

TEST(Text, ParsesDecimals) {
  EXPECT_EQ(parse_decimal("1.015", 5, 2), int128{102});
  EXPECT_EQ(parse_decimal("-1.015", 5, 2), int128{-102});
  EXPECT_EQ(parse_decimal("1.0149999", 5, 2), int128{101});
  EXPECT_EQ(parse_decimal("1234.5", 5, 2), std::nullopt);
  EXPECT_EQ(parse_decimal("999.995", 5, 2), std::nullopt);
  EXPECT_EQ(parse_decimal("999.994", 5, 2), int128{99999});
  EXPECT_EQ(parse_decimal("1e3", 4, 0), int128{1000});
  EXPECT_EQ(parse_decimal("12.50E-1", 10, 3), int128{1250});
  EXPECT_EQ(parse_decimal("+.5", 3, 1), int128{5});
  EXPECT_EQ(parse_decimal("5.", 3, 1), int128{50});
  EXPECT_EQ(parse_decimal("0.5", 1, 0), int128{1});
  EXPECT_EQ(parse_decimal("0.05", 1, 0), int128{0});
  EXPECT_EQ(parse_decimal("0.0000000000000000000000000000000000000000000000001", 38, 38), int128{0});
  EXPECT_EQ(parse_decimal("000000000000000000000000000000000000000000000000001", 38, 0), int128{1});
  EXPECT_EQ(parse_decimal("99999999999999999999999999999999999999", 38, 0), power_of_ten(38) - 1);
  EXPECT_EQ(parse_decimal("99999999999999999999999999999999999999.5", 38, 0), std::nullopt);
  EXPECT_EQ(parse_decimal("100000000000000000000000000000000000000", 38, 0), std::nullopt);
  EXPECT_EQ(parse_decimal("1e999999999999999999999", 38, 0), std::nullopt);
  EXPECT_EQ(parse_decimal("1e-999999999999999999999", 38, 0), int128{0});
  EXPECT_EQ(parse_decimal("0e999999999999", 38, 0), int128{0});
  for (const char* bad : {"", ".", "-", "abc", "1.2.3", "1e", "1e+", "1 ", " 1", "0x1", "1_0"}) {
    EXPECT_EQ(parse_decimal(bad, 38, 2), std::nullopt) << bad;
  }
}

TEST(Text, CivilDatesRoundTrip) {
  EXPECT_EQ(days_from_civil(1970, 1, 1), 0);
  EXPECT_EQ(days_from_civil(2024, 2, 29), 19782);
  EXPECT_EQ(days_from_civil(1, 1, 1), -719162);
  for (int64_t days = -1'000'000; days < 4'000'000; days += 37) {
    const CivilDate date = civil_from_days(days);
    ASSERT_EQ(days_from_civil(date.year, date.month, date.day), days);
    ASSERT_LE(date.day, days_in_month(date.year, date.month));
    ASSERT_GE(date.day, 1);
  }
}

TEST(Text, DatesAndTimes) {
  EXPECT_EQ(text_of(LogicalType::date(), Value(int64_t{-719162})), "0001-01-01");
  EXPECT_EQ(text_of(LogicalType::date(), Value(days_from_civil(9999, 12, 31))), "9999-12-31");
  EXPECT_EQ(text_of(LogicalType::date(), Value(days_from_civil(0, 12, 31))), "0000-12-31");
  EXPECT_EQ(text_of(LogicalType::date(), Value(days_from_civil(-44, 3, 15))), "-0044-03-15");
  EXPECT_EQ(text_of(LogicalType::time(0), Value(int64_t{3723000})), "01:02:03");
  EXPECT_EQ(text_of(LogicalType::time(3), Value(int64_t{45296789})), "12:34:56.789");
  EXPECT_EQ(text_of(LogicalType::time(3), Value(int64_t{45296000})), "12:34:56.0");
  EXPECT_EQ(text_of(LogicalType::time(3), Value(int64_t{45296050})), "12:34:56.05");
  EXPECT_EQ(timestamp_text(0, 0, 0), "1970-01-01 00:00:00");
  EXPECT_EQ(timestamp_text(-1, 999999, 9), "1969-12-31 23:59:59.999999999");
  EXPECT_EQ(timestamp_text(-500, 0, 1), "1969-12-31 23:59:59.5");
  EXPECT_EQ(timestamp_text(123, 456789, 6), "1970-01-01 00:00:00.123456");
  // Flink writes the last four digits of the year only.
  EXPECT_EQ(text_of(LogicalType::timestamp_ltz(3), Value(TimestampValue{253402300799999, 0}), "Asia/Seoul"),
            "0000-01-01 08:59:59.999");
}

TEST(Text, Intervals) {
  EXPECT_EQ(text_of(LogicalType::interval_day_time(), Value(int64_t{93784567})), "+1 02:03:04.567");
  EXPECT_EQ(text_of(LogicalType::interval_day_time(), Value(int64_t{-86400000})), "-1 00:00:00.000");
  EXPECT_EQ(text_of(LogicalType::interval_day_time(), Value(std::numeric_limits<int64_t>::min())),
            "-106751991167 07:12:55.808");
  EXPECT_EQ(text_of(LogicalType::interval_year_month(), Value(int64_t{14})), "+1-02");
  EXPECT_EQ(text_of(LogicalType::interval_year_month(), Value(int64_t{1188})), "+99-00");
  EXPECT_EQ(text_of(LogicalType::interval_year_month(), Value(int64_t{-1})), "-0-01");
}

TEST(Text, Collections) {
  const LogicalType ints = LogicalType::array(LogicalType::integer());
  EXPECT_EQ(text_of(ints, list_value({Value(int64_t{1}), Value()})), "[1, NULL]");
  EXPECT_EQ(text_of(ints, list_value({})), "[]");
  EXPECT_EQ(text_of(LogicalType::map(LogicalType::string(), LogicalType::integer()),
                    list_value({text_value("a"), Value(int64_t{1}), text_value("b"), Value()})),
            "{a=1, b=NULL}");
  const LogicalType row = LogicalType::row({{"b", LogicalType::bytes()},
                                            {"t", LogicalType::time(0)},
                                            {"s", LogicalType::timestamp(1)},
                                            {"x", LogicalType::boolean()}});
  EXPECT_EQ(text_of(row, list_value({text_value("AB"), Value(int64_t{3723000}), Value(TimestampValue{1704067200500, 0}),
                                     Value(true)})),
            "(AB, 01:02:03, 2024-01-01 00:00:00.5, TRUE)");
}

TEST(Text, BinariesAreReadAsUtf8) {
  const auto read = [](std::string_view bytes) { return text_of(LogicalType::bytes(), text_value(bytes)); };
  constexpr std::string_view kReplacement = "\xef\xbf\xbd";
  EXPECT_EQ(read("\xed\x95\x9c"), "\xed\x95\x9c");
  EXPECT_EQ(read(std::string_view("\xff\0", 2)), std::string(kReplacement) + std::string(1, '\0'));
  EXPECT_EQ(read("\xe2\x82"), kReplacement);
  EXPECT_EQ(read("\xe2\x82z"), std::string(kReplacement) + "z");
  EXPECT_EQ(read("\xf0\x9f\x98\x80"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(read("\xc0\x80"), std::string(kReplacement) + std::string(kReplacement));
}

TEST(RowLiteral, IsItsOwnInverse) {
  const Schema schema({{"s", LogicalType::string()},
                       {"i", LogicalType::integer()},
                       {"d", LogicalType::decimal(10, 2)},
                       {"f", LogicalType::double_()},
                       {"b", LogicalType::bytes()},
                       {"t", LogicalType::timestamp(3)},
                       {"n", LogicalType::timestamp(9)},
                       {"a", LogicalType::array(LogicalType::array(LogicalType::integer()))},
                       {"m", LogicalType::map(LogicalType::string(), LogicalType::boolean())},
                       {"r", LogicalType::row({{"x", LogicalType::date()}, {"y", LogicalType::time(3)}})}});
  const std::vector<std::string> lines = {
      "+I a 1 1.50 1.5 0x00ff '2024-01-02 03:04:05.678' '1969-12-31 23:59:59.999999999' '[[1, 2], [], NULL]' "
      "'{k=TRUE, l=NULL}' '(2024-02-29, 01:02:03.004)'",
      "-U . . . . . . . . . .",
      "+U 'it''s' -7 -0.01 NaN 0x '0001-01-01 00:00:00.000' '1970-01-01 00:00:00.000000001' [] {} '(NULL, NULL)'",
      "-D '.' 0 0.00 -1.0E10 0x41 '9999-12-31 23:59:59.999' '1970-01-01 00:00:00.000000000' [[0]] {a=FALSE} "
      "'(1969-12-31, NULL)'",
      "+I '' 2147483647 99999999.99 Infinity . . . . . ."};
  std::string all;
  for (const std::string& line : lines) all += "  " + line + "\n\n";
  const std::shared_ptr<RowBatch> batch = rows(schema, all);
  ASSERT_EQ(batch->num_rows, lines.size());
  EXPECT_EQ(batch->kind(1), RowKind::kUpdateBefore);
  EXPECT_EQ(row_lines(*batch), lines);
}

TEST(RowLiteral, SelectionNamesTheLiveRows) {
  const Schema schema({{"i", LogicalType::integer()}});
  const std::shared_ptr<RowBatch> batch = rows(schema, "+I 1\n+I 2\n+I 3");
  EXPECT_TRUE(batch->kinds.empty());
  batch->selection = std::make_shared<const Selection>(Selection{0, 2});
  EXPECT_EQ(row_lines(*batch), (std::vector<std::string>{"+I 1", "+I 3"}));
  EXPECT_EQ(row_lines(*compact(batch)), (std::vector<std::string>{"+I 1", "+I 3"}));
}

TEST(RowLiteral, RefusesWhatItCannotRead) {
  const Schema schema({{"i", LogicalType::tinyint()}, {"t", LogicalType::date()}});
  for (const char* bad :
       {"+I 1", "+I 128 2024-01-01", "+I 1 2023-02-29", "I 1 2024-01-01", "+I x 2024-01-01", "+I '1 2024-01-01"}) {
    EXPECT_THROW(rows(schema, bad), Error) << bad;
  }
}

}  // namespace
}  // namespace yeoul
