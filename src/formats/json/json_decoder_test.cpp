#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/json/json_index.h"
#include "yeoul/types/row_literal.h"
#include "yeoul/types/text.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {
namespace {

using Lines = std::vector<std::string>;

std::unique_ptr<Decoder> json_decoder(const Schema& schema, OptionMap options) {
  const auto factory = make_json_format();
  return factory->create_decoding(Options("test", factory->options(), std::move(options)), {})->create_decoder(schema);
}

/// One line a row, cells as CAST(… AS STRING) gives them, separated by '|', NULL as '.'; errors as
/// "message N field@byte: reason".
Lines decoded(const Schema& schema, OptionMap options, const Lines& texts) {
  const auto decoder = json_decoder(schema, std::move(options));
  std::vector<std::string> padded;
  for (const std::string& text : texts) padded.push_back(text + std::string(Buffer::kPadding, '7'));
  std::vector<Message> messages;
  for (size_t i = 0; i < texts.size(); ++i) {
    messages.push_back({padded[i].data(), static_cast<uint32_t>(texts[i].size())});
  }
  DecodedRows out;
  for (const RowField& field : schema.fields()) out.columns.emplace_back(field.type);
  decoder->decode(messages, out);
  std::vector<ColumnPtr> columns;
  for (ColumnBuilder& builder : out.columns) columns.push_back(builder.finish());
  Lines lines;
  for (size_t row = 0; row < out.num_rows(); ++row) {
    std::string line;
    for (const ColumnPtr& column : columns) {
      if (&column != &columns.front()) line += '|';
      if (column->is_null(row)) {
        line += '.';
      } else {
        append_text(*column, row, TimeZone(), line);
      }
    }
    lines.push_back(line);
  }
  for (const DecodeError& error : out.errors) {
    lines.push_back(fmt::format("message {} {}@{}: {}", error.message, error.field, error.byte, error.reason));
  }
  return lines;
}

const OptionMap kIgnore = {{"ignore-parse-errors", "true"}};

/// Each value as column `a` of a record of its own, bad ones as NULL.
Lines coerced(const LogicalType& type, const Lines& values, OptionMap options = kIgnore) {
  Lines texts;
  for (const std::string& value : values) texts.push_back("{\"n\":\"x\",\"a\":" + value + "}");
  return decoded(Schema({{"a", type}}), std::move(options), texts);
}

std::string float_text(float value) {
  std::string text;
  append_float_text(value, text);
  return text;
}

/// The values of Flink's coercion cases, and what each type makes of them.
const Lines kValues = {"1",
                       "-1",
                       "0",
                       "1.5",
                       "1.0",
                       "-1.9",
                       "1e2",
                       "1.5e3",
                       "\"7\"",
                       "\" 8 \"",
                       "\"+9\"",
                       "\"1.5\"",
                       "\"abc\"",
                       "\"\"",
                       "true",
                       "false",
                       "\"true\"",
                       "null",
                       "[]",
                       "{}",
                       "[1]",
                       "{\"x\":1}",
                       "2147483648",
                       "128",
                       "9223372036854775808",
                       "123456789012345678901234567890",
                       "0.1234567890123456789",
                       "12345678.995",
                       "99999999.995",
                       "1e-7",
                       "100",
                       "\"TRUE\"",
                       "\"1e3\"",
                       "\"0x10\"",
                       "1E400"};

/// A record that follows one of the same form is read without an index: what comes out is the same.
TEST(JsonDecoderTest, ARecordGivesTheSameWhateverCameBefore) {
  const std::string usual = R"({"k":"x","n":12,"t":"2024-02-29 12:34:56.789","b":true,"z":[1]})";
  const std::string flat = R"({"k":"x","n":12,"t":"2024-02-29 12:34:56.789","b":true,"u":"v"})";
  Lines texts = {usual, flat, "{}", "[]", R"({"k":"x"})", R"({"k":"x","n":1,"k":"y"})", flat + "x", flat + "}"};
  for (const char* k : {R"("")", R"("a longer string than sixteen bytes")", R"("tab \t")", R"("q\"")", R"("\x")",
                        R"("é")", "\"\xff\"", "\"\x01\"", "null", "nul", "1", "01", "[]", "{}", R"("open)"}) {
    texts.push_back(fmt::format(R"({{"k":{},"n":12,"t":"2024-02-29 12:34:56","b":true,"u":"v"}})", k));
  }
  for (const char* n : {"-5", "1 ", " 1", "1 2", "1.5", "1e3", "9223372036854775808", "-", "1x", "true", R"("7")",
                        R"("seven")", "", "\xc3\xa9"}) {
    texts.push_back(fmt::format(R"({{"k":"x","n":{},"t":"2024-02-29 12:34:56","b":true,"u":"v"}})", n));
    texts.push_back(fmt::format(R"({{"k":"x","n":1,"t":"2024-02-29 12:34:56","b":true,"u":{}}})", n));
  }
  for (const char* t :
       {"2023-02-29 12:34:56", "2024-02-30 00:00:00", "2024-01-01 24:00:00", "2024-13-01 00:00:00",
        "2024-01-01 23:59:60", "2024-01-01 23:60:00", "2024-01-01 0a:00:00", "2024-01-01 00:00;00",
        "2024-01-01 00:00:00.", "2024-01-01 00:00:00.1234567891", "2024-01-01 00:00:00.5x", "2024-01-01",
        "2024-01-01T00:00:00", "-2024-01-01 00:00:00", "12024-01-01 00:00:00", "2024-1-01 000:00:00"}) {
    texts.push_back(fmt::format(R"({{"k":"x","n":12,"t":"{}","b":true,"u":"v"}})", t));
  }
  for (size_t cut = 1; cut < flat.size(); ++cut) texts.push_back(flat.substr(0, cut));
  const Schema schema({{"k", LogicalType::string()},
                       {"n", LogicalType::integer()},
                       {"t", LogicalType::timestamp(3)},
                       {"b", LogicalType::boolean()},
                       {"missing", LogicalType::double_()}});
  for (const OptionMap& options :
       {OptionMap(), kIgnore, OptionMap{{"decode.json-parser.enabled", "false"}},
        OptionMap{{"fail-on-missing-field", "true"}}, OptionMap{{"timestamp-format.standard", "ISO-8601"}}}) {
    for (const std::string& text : texts) {
      Lines alone = decoded(schema, options, {text});
      Lines after = decoded(schema, options, {flat, flat, text});
      for (std::string& line : after) {
        if (line.starts_with("message 2")) line[8] = '0';
      }
      const Lines flat_twice = decoded(schema, options, {flat, flat});
      for (const std::string& line : flat_twice) {
        const auto it = std::find(after.begin(), after.end(), line);
        if (it != after.end() && line.starts_with("message")) after.erase(it);
      }
      if (flat_twice.empty() || !flat_twice[0].starts_with("message")) {
        ASSERT_GE(after.size(), flat_twice.size());
        after.erase(after.begin(), after.begin() + static_cast<ptrdiff_t>(flat_twice.size()));
      }
      EXPECT_EQ(after, alone) << text;
    }
  }
}

TEST(JsonDecoderTest, CoercionsAreFlinks) {
  EXPECT_EQ(coerced(LogicalType::integer(), kValues),
            (Lines{"1", "-1", "0", "1",        "1",        "-1", "100", "1500", "7", "8", "9", ".",
                   ".", ".",  ".", ".",        ".",        ".",  ".",   ".",    ".", ".", ".", "128",
                   ".", ".",  "0", "12345678", "99999999", "0",  "100", ".",    ".", ".", "."}));
  EXPECT_EQ(coerced(LogicalType::tinyint(), kValues),
            (Lines{"1", "-1", "0", ".", ".", ".", ".", ".", "7", "8", "9", ".", ".",   ".", ".", ".", ".", ".",
                   ".", ".",  ".", ".", ".", ".", ".", ".", ".", ".", ".", ".", "100", ".", ".", ".", "."}));
  EXPECT_EQ(coerced(LogicalType::smallint(), kValues),
            (Lines{"1", "-1", "0", ".", ".", ".",   ".", ".", "7", "8", "9", ".", ".",   ".", ".", ".", ".", ".",
                   ".", ".",  ".", ".", ".", "128", ".", ".", ".", ".", ".", ".", "100", ".", ".", ".", "."}));
  EXPECT_EQ(coerced(LogicalType::bigint(), kValues),
            (Lines{"1", "-1", "0", "1",        "1",        "-1", "100", "1500", "7", "8", "9",          ".",
                   ".", ".",  ".", ".",        ".",        ".",  ".",   ".",    ".", ".", "2147483648", "128",
                   ".", ".",  "0", "12345678", "99999999", "0",  "100", ".",    ".", ".", "."}));
  EXPECT_EQ(coerced(LogicalType::real(), kValues), (Lines{"1.0",
                                                          "-1.0",
                                                          "0.0",
                                                          "1.5",
                                                          "1.0",
                                                          "-1.9",
                                                          "100.0",
                                                          "1500.0",
                                                          "7.0",
                                                          "8.0",
                                                          "9.0",
                                                          "1.5",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          ".",
                                                          float_text(2147483648.0F),
                                                          "128.0",
                                                          "9.223372E18",
                                                          "1.2345679E29",
                                                          "0.12345679",
                                                          "1.2345679E7",
                                                          "1.0E8",
                                                          "1.0E-7",
                                                          "100.0",
                                                          ".",
                                                          "1000.0",
                                                          ".",
                                                          "Infinity"}));
  EXPECT_EQ(coerced(LogicalType::decimal(38, 18), kValues), (Lines{"1.000000000000000000",
                                                                   "-1.000000000000000000",
                                                                   "0.000000000000000000",
                                                                   "1.500000000000000000",
                                                                   "1.000000000000000000",
                                                                   "-1.900000000000000000",
                                                                   "100.000000000000000000",
                                                                   "1500.000000000000000000",
                                                                   "7.000000000000000000",
                                                                   "8.000000000000000000",
                                                                   "9.000000000000000000",
                                                                   "1.500000000000000000",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   ".",
                                                                   "2147483648.000000000000000000",
                                                                   "128.000000000000000000",
                                                                   "9223372036854775808.000000000000000000",
                                                                   ".",
                                                                   "0.123456789012345679",
                                                                   "12345678.995000000000000000",
                                                                   "99999999.995000000000000000",
                                                                   "0.000000100000000000",
                                                                   "100.000000000000000000",
                                                                   ".",
                                                                   "1000.000000000000000000",
                                                                   ".",
                                                                   "."}));
  EXPECT_EQ(coerced(LogicalType::string(), kValues, {}), (Lines{"1",
                                                                "-1",
                                                                "0",
                                                                "1.5",
                                                                "1.0",
                                                                "-1.9",
                                                                "1e2",
                                                                "1.5e3",
                                                                "7",
                                                                " 8 ",
                                                                "+9",
                                                                "1.5",
                                                                "abc",
                                                                "",
                                                                "true",
                                                                "false",
                                                                "true",
                                                                ".",
                                                                "[]",
                                                                "{}",
                                                                "[1]",
                                                                "{\"x\":1}",
                                                                "2147483648",
                                                                "128",
                                                                "9223372036854775808",
                                                                "123456789012345678901234567890",
                                                                "0.1234567890123456789",
                                                                "12345678.995",
                                                                "99999999.995",
                                                                "1e-7",
                                                                "100",
                                                                "TRUE",
                                                                "1e3",
                                                                "0x10",
                                                                "1E400"}));
  EXPECT_EQ(coerced(LogicalType::boolean(),
                    {"true", "false", "\"TRUE\"", "\" true \"", "\"yes\"", "1", "null", "[1]", "{\"x\":1}"}),
            (Lines{"TRUE", "FALSE", "TRUE", "TRUE", "FALSE", "FALSE", ".", "FALSE", "FALSE"}));
  EXPECT_EQ(coerced(LogicalType::double_(), {"NaN", "\"NaN\"", "Infinity", "\"Infinity\"", "\"-INF\"", "1", "\"1d\"",
                                             "\"1f\"", "1.", ".5", "-.5", "+1", "01", "-0.0", "\"0x1p3\"", "1e-400"}),
            (Lines{"NaN", "Infinity", ".", "1.0", "1.0", "1.0", "-0.0", "8.0", "0.0"}));
  EXPECT_EQ(coerced(LogicalType::bytes(), {"\"AQI=\"", "\"AQ\"", "1", "\"AQIDBA==\"", "\"\""}),
            (Lines{"\x01\x02", ".", ".", "\x01\x02\x03\x04", ""}));
}

TEST(JsonDecoderTest, IntegersAtTheirEdges) {
  EXPECT_EQ(coerced(LogicalType::bigint(), {"9223372036854775807", "-9223372036854775808", "-9223372036854775809",
                                            "1e18", "9.3e18", "-0", "00", "0.9"}),
            (Lines{"9223372036854775807", "-9223372036854775808", ".", "1000000000000000000", ".", "0", "0"}));
  EXPECT_EQ(coerced(LogicalType::integer(), {"2147483647", "-2147483648", "2147483647.5", "\"-0\"", "\"+-1\""}),
            (Lines{"2147483647", "-2147483648", ".", "0", "."}));
}

TEST(JsonDecoderTest, MalformedTextIsDroppedOrAnError) {
  const Schema schema({{"a", LogicalType::integer()}});
  const Lines texts = {"{\"a\":1}",
                       "{\"a\":2",
                       "{\"a\":3}}",
                       "not json",
                       "{\"a\":4} trailing",
                       "{\"a\":5}{\"a\":6}",
                       "{'a':7}",
                       "{a:8}",
                       "{\"a\":09}",
                       "{\"a\":10,}",
                       "",
                       "   ",
                       "{\"a\":11} ",
                       "\"str\"",
                       "12",
                       "null",
                       "[{\"a\":13}]",
                       "{\"a\":+14}",
                       "{\"a\":.5}",
                       "// c",
                       "{\"a\":15/*c*/}",
                       "{\"a\":16} \"",
                       "{\"a\":17,",
                       "{\"a\":18 1}",
                       "{\"a\" 19}",
                       "{\"a\":20,\"b\":tru}",
                       "{\"a\":21,\"b\":\"\\x\"}",
                       "{\"a\":22]",
                       "[{\"a\":23}",
                       "{\"a\":tru\"x\"}",
                       "{\"b\":[1,{]},\"a\":24}",
                       "{\"a\":25,\"b\":[1 2]}",
                       "\xef\xbb\xbf{\"a\":26}"};
  EXPECT_EQ(decoded(schema, kIgnore, texts), (Lines{"1", "3", "4", "5", "11", "13", "16", "26"}));
  EXPECT_EQ(decoded(schema, {},
                    {"{\"a\":2", "{\"a\":1,\"b\":tru}", "x", "  ", "[1]", "{\"a\":1,\"b\":\"\xff\"}", "{\"a\":\"x\"}",
                     "{\"a\":\"\\q\"}", "{\"a\":7}"}),
            (Lines{"7", "message 0 @6: ',' or '}' is missing", "message 1 @11: this is no JSON value",
                   "message 2 @0: this is no JSON object", "message 3 @0: it is empty",
                   "message 4 @1: this is no JSON object", "message 5 @12: it is not valid UTF-8",
                   "message 6 a@5: this is no whole number (type INT)",
                   "message 7 a@6: a string holds an escape that JSON does not know (type INT)"}));
}

TEST(JsonDecoderTest, MissingFields) {
  const Schema schema({{"a", LogicalType::integer()}, {"b", LogicalType::string()}, {"c", LogicalType::boolean()}});
  const Lines texts = {"{\"a\":1,\"b\":\"x\",\"c\":true}",
                       "{\"a\":2}",
                       "{\"a\":null,\"b\":null,\"c\":null}",
                       "{}",
                       "{\"b\":\"y\",\"extra\":{\"q\":[1,2]},\"a\":3}",
                       "",
                       "{ \"c\" : false , \"a\" : 4 }"};
  EXPECT_EQ(decoded(schema, {}, texts), (Lines{"1|x|TRUE", "2|.|.", ".|.|.", ".|.|.", "3|y|.", "4|.|FALSE"}));
  EXPECT_EQ(decoded(schema, {{"fail-on-missing-field", "true"}}, {texts[0], texts[1], texts[2]}),
            (Lines{"1|x|TRUE", ".|.|.", "message 1 b@-1: the field is missing (type STRING)"}));
  EXPECT_THROW(json_decoder(schema, {{"fail-on-missing-field", "true"}, {"ignore-parse-errors", "true"}}), Error);
}

TEST(JsonDecoderTest, EqualKeys) {
  const LogicalType row = LogicalType::row({{"x", LogicalType::integer()}});
  const LogicalType map = LogicalType::map(LogicalType::string(), LogicalType::integer());
  const Schema schema({{"id", LogicalType::integer()}, {"a", LogicalType::integer()}, {"r", row}, {"m", map}});
  const Lines texts = {"{\"id\":1,\"a\":1,\"a\":2,\"r\":{\"x\":1,\"x\":2},\"m\":{\"k\":1,\"k\":2}}",
                       "{\"id\":2,\"a\":5,\"a\":null,\"r\":{\"x\":3},\"r\":null,\"m\":{\"k\":1},\"m\":{\"j\":2}}",
                       "{\"id\":3,\"id\":4,\"a\":1}"};
  EXPECT_EQ(decoded(schema, {}, texts), (Lines{"1|2|(1)|.", "2|.|(3)|.", "4|1|.|."}));
  EXPECT_EQ(decoded(schema, {{"decode.json-parser.enabled", "false"}}, texts),
            (Lines{"1|2|(2)|{k=2}", "2|.|.|{j=2}", "4|1|.|."}));
}

TEST(JsonDecoderTest, KeysAreExact) {
  const Schema schema({{"A", LogicalType::integer()}, {"a", LogicalType::integer()}, {"b c", LogicalType::string()}});
  EXPECT_EQ(decoded(schema, {},
                    {"{\"A\":1,\"a\":2,\"b c\":\"x\"}", "{\"a\":3}", "{\"A\":4,\"B C\":\"no\"}",
                     "{\"\\u0041\":5,\"b\\u0020c\":\"y\"}"}),
            (Lines{"1|2|x", ".|3|.", "4|.|.", "5|.|y"}));
  // Keys of 8 and more bytes, prefixes of each other, in changing order.
  const Schema longer({{"abcdefgh", LogicalType::integer()}, {"abcdefghi", LogicalType::integer()}});
  const std::string far(40, 'k');
  EXPECT_EQ(decoded(longer, {},
                    {"{\"abcdefgh\":1,\"abcdefghi\":2}", "{\"abcdefghi\":3,\"abcdefgh\":4}",
                     "{\"" + far + "\":0,\"abcdefgh\":5}", "{\"abcdefgx\":1,\"abcdefghi\":6}"}),
            (Lines{"1|2", "4|3", "5|.", ".|6"}));
}

TEST(JsonDecoderTest, NestedRows) {
  const LogicalType inner = LogicalType::row({{"z", LogicalType::string()}});
  const LogicalType row = LogicalType::row({{"x", LogicalType::integer()}, {"y", inner}});
  const Schema schema({{"id", LogicalType::integer()}, {"r", row}});
  EXPECT_EQ(decoded(schema, kIgnore,
                    {"{\"id\":1,\"r\":{\"x\":1,\"y\":{\"z\":\"q\"}}}", "{\"id\":2,\"r\":{}}", "{\"id\":3,\"r\":null}",
                     "{\"id\":4}", "{\"id\":5,\"r\":{\"x\":\"7\",\"y\":{}}}", "{\"id\":6,\"r\":[1,2]}",
                     "{\"id\":7,\"r\":\"str\"}", "{\"id\":8,\"r\":{\"x\":1,\"y\":\"str\"}}",
                     "{\"id\":9,\"r\":{\"x\":\"bad\",\"y\":{\"z\":5}}}"}),
            (Lines{"1|(1, (q))", "2|(NULL, NULL)", "3|.", "4|.", "5|(7, (NULL))", "6|.", "7|.", "8|(1, NULL)",
                   "9|(NULL, (5))"}));
}

TEST(JsonDecoderTest, ArraysAndMaps) {
  const LogicalType map = LogicalType::map(LogicalType::string(), LogicalType::double_());
  const LogicalType deep = LogicalType::array(LogicalType::array(LogicalType::string()));
  const Schema schema({{"a", LogicalType::array(LogicalType::integer())}, {"m", map}, {"aa", deep}});
  const Lines texts = {
      "{\"a\":[1,2],\"m\":{\"a\":1,\"b\":2.5},\"aa\":[[\"x\"],[],null,[\"y\",null]]}", "{\"a\":[],\"m\":{},\"aa\":[]}",
      "{\"a\":[1,\"2\",null,\"x\"],\"m\":{\"a\":\"1.5\",\"b\":\"x\",\"c\":null},\"aa\":[[1,true]]}",
      "{\"a\":5,\"m\":[1],\"aa\":{}}", "{\"a\":{\"x\":1},\"m\":{\"b\":1,\"a\":2},\"aa\":[[{\"q\":1}]]}"};
  EXPECT_EQ(decoded(schema, kIgnore, texts), (Lines{"[1, 2]|{a=1.0, b=2.5}|[[x], [], NULL, [y, NULL]]", "[]|{}|[]",
                                                    "[1, 2, NULL, NULL]|{a=1.5, b=NULL, c=NULL}|[[1, true]]", ".|.|.",
                                                    ".|{b=1.0, a=2.0}|[[{\"q\":1}]]"}));
  EXPECT_EQ(decoded(schema, {}, {texts[2]}), (Lines{"message 0 a@17: this is no whole number (type ARRAY<INT>)"}));
  EXPECT_THROW(json_decoder(Schema({{"m", LogicalType::map(LogicalType::integer(), LogicalType::integer())}}), {}),
               Error);
}

TEST(JsonDecoderTest, TopLevelArraysGiveARowAnElement) {
  const Schema schema({{"a", LogicalType::integer()}});
  EXPECT_EQ(decoded(schema, kIgnore,
                    {"{\"a\":1}", "[{\"a\":2},{\"a\":3}]", "[]", "[1,{\"a\":4}]", "[[{\"a\":5}]]", "{\"a\":6}"}),
            (Lines{"1", "2", "3", "6"}));
}

TEST(JsonDecoderTest, Timestamps) {
  const Lines texts = {"\"2024-01-01 00:00:00\"",
                       "\"2024-01-01 00:00:00.123\"",
                       "\"2024-01-01 00:00:00.123456789\"",
                       "\"2024-01-01T00:00:00\"",
                       "\"2024-01-01T00:00:00.5\"",
                       "\"2024-01-01T00:00:00Z\"",
                       "\"2024-01-01 00:00:00Z\"",
                       "\"2024-01-01 00:00:00.123Z\"",
                       "\"2024-01-01T00:00:00+09:00\"",
                       "\"2024-01-01\"",
                       "\"2024-01-01 00:00\"",
                       "\"2024-1-1 0:0:0\"",
                       "\"2024-02-30 00:00:00\"",
                       "\"2023-02-29 00:00:00\"",
                       "\"2024-12-31 24:00:00\"",
                       "\"2024-12-31 23:59:60\"",
                       "\"1969-12-31 23:59:59.999\"",
                       "\"0001-01-01 00:00:00\"",
                       "\"10000-01-01 00:00:00\"",
                       "\" 2024-01-01 00:00:00\"",
                       "\"\"",
                       "1704067200000",
                       "null",
                       "\"2024-01-01T00:00\""};
  EXPECT_EQ(coerced(LogicalType::timestamp(3), texts), (Lines{"2024-01-01 00:00:00.000",
                                                              "2024-01-01 00:00:00.123",
                                                              "2024-01-01 00:00:00.123",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              "2024-02-29 00:00:00.000",
                                                              "2023-02-28 00:00:00.000",
                                                              "2025-01-01 00:00:00.000",
                                                              ".",
                                                              "1969-12-31 23:59:59.999",
                                                              "0001-01-01 00:00:00.000",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              ".",
                                                              "."}));
  EXPECT_EQ(coerced(LogicalType::timestamp(9), {texts[2], texts[16]}),
            (Lines{"2024-01-01 00:00:00.123456789", "1969-12-31 23:59:59.999000000"}));
  EXPECT_EQ(coerced(LogicalType::timestamp(6), {texts[2]}), (Lines{"2024-01-01 00:00:00.123456"}));
  EXPECT_EQ(coerced(LogicalType::timestamp_ltz(3), {texts[0], texts[5], texts[6], texts[7], texts[8]}),
            (Lines{".", ".", "2024-01-01 00:00:00.000", "2024-01-01 00:00:00.123", "."}));
  const OptionMap iso = {{"ignore-parse-errors", "true"}, {"timestamp-format.standard", "ISO-8601"}};
  EXPECT_EQ(
      coerced(LogicalType::timestamp(3),
              {texts[0], texts[3], texts[4], texts[5], texts[23], "\"2024-02-30T00:00:00\"", "\"2024-01-01T24:00:00\""},
              iso),
      (Lines{".", "2024-01-01 00:00:00.000", "2024-01-01 00:00:00.500", ".", "2024-01-01 00:00:00.000", ".", "."}));
  EXPECT_EQ(coerced(LogicalType::timestamp_ltz(3), {texts[5], texts[3], texts[8], texts[6]}, iso),
            (Lines{"2024-01-01 00:00:00.000", ".", ".", "."}));
}

TEST(JsonDecoderTest, DatesAndTimes) {
  EXPECT_EQ(coerced(LogicalType::date(), {"\"2024-02-29\"", "\"2023-02-29\"", "\"2024-1-5\"", "\"2024-01-01 00:00:00\"",
                                          "\"0001-01-01\"", "\"\"", "19000"}),
            (Lines{"2024-02-29", ".", ".", ".", "0001-01-01", ".", "."}));
  EXPECT_EQ(coerced(LogicalType::time(3), {"\"01:02:03\"", "\"01:02\"", "\"1:2:3\"", "\"01:02:03.456\"",
                                           "\"01:02:03Z\"", "\"24:00:00\"", "\"\"", "3600"}),
            (Lines{"01:02:03.0", ".", ".", "01:02:03.456", ".", "00:00:00.0", ".", "."}));
}

TEST(JsonDecoderTest, StringsAndTrees) {
  EXPECT_EQ(coerced(LogicalType::string(), {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u00e9\\ud83d\\ude00\"",
                                            "\"\\ud83d\"", "\"raw\ttab\"", "\"\xea\xb0\x80\""}),
            (Lines{"\"\\/\b\f\n\r\t", "\xc3\xa9\xf0\x9f\x98\x80", "?", "raw\ttab", "\xea\xb0\x80"}));
  EXPECT_EQ(coerced(LogicalType::string(),
                    {"{ \"a\" : [ 1 , 1e2 , -0, \"x\\u000a\" , {} ] , \"a\" : null }", "[1.50, 1E400]"}),
            (Lines{"{\"a\":null}", "[1.5,\"Infinity\"]"}));
  EXPECT_EQ(decoded(Schema({{"s", LogicalType::string()}, {"d", LogicalType::decimal(5, 2)}}), {},
                    {"{\"s\":[1.50,1e2,1e-9],\"d\":1.005}"}),
            (Lines{"[1.5,1E+2,1E-9]|1.01"}));
  EXPECT_EQ(coerced(LogicalType::string(), {"1e2", "1.50", "7"}, {{"decode.json-parser.enabled", "false"}}),
            (Lines{"100.0", "1.5", "7"}));
}

TEST(JsonDecoderTest, NoColumnsStillGiveRows) {
  EXPECT_EQ(decoded(Schema(), kIgnore, {"{\"a\":1}", "{", "[{},{}]"}).size(), 3u);
}

TEST(JsonDecoderTest, DepthIsLimited) {
  const std::string deep(5000, '[');
  const std::string text = "{\"a\":1,\"b\":" + deep + std::string(5000, ']') + "}";
  EXPECT_EQ(decoded(Schema({{"a", LogicalType::integer()}}), {}, {text}),
            (Lines{"message 0 @1011: it is nested too deeply"}));
}

TEST(JsonIndexTest, BytewiseIndexEqualsSimdjsons) {
  // A text that the first stage takes, and the same with something behind it that it refuses.
  const std::string text = "{\"a\\\"b\" : [1, true,null,\"\xea\xb0\x80\",{}], \"c\":-1.5e3 , \"\":\"\\\\\" }";
  const std::string refused = text + " \"";
  std::string padded = text + std::string(64, ' ');
  std::string padded_refused = refused + std::string(64, ' ');
  JsonIndex fast;
  JsonIndex slow;
  ASSERT_TRUE(fast.build(padded.data(), static_cast<uint32_t>(text.size())));
  ASSERT_TRUE(slow.build(padded_refused.data(), static_cast<uint32_t>(refused.size())));
  EXPECT_EQ(std::vector(fast.tokens(), fast.tokens() + fast.num_tokens() + 1),
            std::vector(slow.tokens(), slow.tokens() + slow.num_tokens() + 1));
}

}  // namespace
}  // namespace yeoul
