#include <gtest/gtest.h>

#include <limits>

#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/json/json_text.h"
#include "yeoul/formats/json/json_text_buffer.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

std::unique_ptr<Encoder> json_encoder(const Schema& schema, OptionMap options) {
  const auto factory = make_json_format();
  return factory->create_encoding(Options("test", factory->options(), std::move(options)), {})->create_encoder(schema);
}

std::string encoded(const Schema& schema, OptionMap options, const RowBatch& batch) {
  const auto encoder = json_encoder(schema, std::move(options));
  std::vector<int> columns;
  for (size_t i = 0; i < schema.size(); ++i) columns.push_back(static_cast<int>(i));
  EncodedRows out;
  encoder->encode(batch, columns, out);
  std::string lines;
  for (size_t i = 0; i < out.size(); ++i) {
    lines += out[i];
    lines += '\n';
  }
  return lines;
}

/// One value as the only column `a`.
std::string encoded(const LogicalType& type, const Value& value, OptionMap options = {}) {
  const Schema schema({{"a", type}});
  ColumnBuilder builder(type);
  builder.append_value(value);
  std::string line = encoded(schema, std::move(options), RowBatch({builder.finish()}, 1));
  return line.substr(0, line.size() - 1);
}

Value list(std::vector<Value> values) {
  return Value(std::make_shared<ValueList>(std::move(values)));
}

const LogicalType kMap = LogicalType::map(LogicalType::string(), LogicalType::integer());

TEST(JsonEncoderTest, ScalarsAsJacksonWritesThem) {
  struct Case {
    LogicalType type;
    Value value;
    const char* text;
  };
  const Case cases[] = {
      {LogicalType::boolean(), Value(true), "true"},
      {LogicalType::tinyint(), Value(int64_t{-128}), "-128"},
      {LogicalType::bigint(), Value(std::numeric_limits<int64_t>::min()), "-9223372036854775808"},
      {LogicalType::double_(), Value(2.0), "2.0"},
      {LogicalType::double_(), Value(1e10), "1.0E10"},
      {LogicalType::double_(), Value(std::numeric_limits<double>::quiet_NaN()), "\"NaN\""},
      {LogicalType::real(), Value(-std::numeric_limits<double>::infinity()), "\"-Infinity\""},
      {LogicalType::string(), Value(std::string("a\"\\\b\f\n\r\t\x01/\x7f\xea\xb0\x80")),
       "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\x7f\xea\xb0\x80\""},
      {LogicalType::string(), Value(std::string("0123456789abcdef\"0123456789abcdef")),
       "\"0123456789abcdef\\\"0123456789abcdef\""},
      {LogicalType::bytes(), Value(std::string("\x01\x02")), "\"AQI=\""},
      {LogicalType::bytes(), Value(std::string("abc")), "\"YWJj\""},
      {LogicalType::decimal(10, 1), Value(int128{31}), "3.1"},
      {LogicalType::decimal(10, 8), Value(int128{1}), "1E-8"},
      {LogicalType::decimal(10, 8), Value(int128{-123}), "-0.00000123"},
      {LogicalType::decimal(10, 8), Value(int128{0}), "0E-8"},
      {LogicalType::decimal(10, 7), Value(int128{12}), "0.0000012"},
      {LogicalType::timestamp(3), Value(TimestampValue{1704067200120, 0}), "\"2024-01-01 00:00:00.12\""},
      {LogicalType::timestamp(0), Value(TimestampValue{1704067200000, 0}), "\"2024-01-01 00:00:00\""},
      {LogicalType::timestamp_ltz(3), Value(TimestampValue{1704067200100, 0}), "\"2024-01-01 00:00:00.1Z\""},
      {LogicalType::timestamp(9), Value(TimestampValue{1704067200000, 100}), "\"2024-01-01 00:00:00.0000001\""},
      {LogicalType::timestamp(3), Value(TimestampValue{-1, 0}), "\"1969-12-31 23:59:59.999\""},
      {LogicalType::date(), Value(int64_t{19782}), "\"2024-02-29\""},
      {LogicalType::date(), Value(int64_t{-719162}), "\"0001-01-01\""},
      {LogicalType::time(3), Value(int64_t{3723450}), "\"01:02:03.45\""},
      {LogicalType::time(0), Value(int64_t{0}), "\"00:00:00\""},
  };
  for (const Case& test : cases) {
    EXPECT_EQ(encoded(test.type, test.value), fmt::format("{{\"a\":{}}}", test.text)) << test.type.to_string();
  }
}

TEST(JsonEncoderTest, Options) {
  EXPECT_EQ(encoded(LogicalType::decimal(10, 8), Value(int128{1}), {{"encode.decimal-as-plain-number", "true"}}),
            "{\"a\":0.00000001}");
  EXPECT_EQ(encoded(LogicalType::timestamp(3), Value(TimestampValue{1704067200120, 0}),
                    {{"timestamp-format.standard", "ISO-8601"}}),
            "{\"a\":\"2024-01-01T00:00:00.12\"}");
  EXPECT_EQ(encoded(LogicalType::timestamp_ltz(3), Value(TimestampValue{1704067200000, 0}),
                    {{"timestamp-format.standard", "ISO-8601"}}),
            "{\"a\":\"2024-01-01T00:00:00Z\"}");
  const Schema schema({{"a", LogicalType::integer()}, {"b", LogicalType::string()}});
  EXPECT_EQ(encoded(schema, {}, *rows(schema, "+I 1 x\n+I . .")), "{\"a\":1,\"b\":\"x\"}\n{\"a\":null,\"b\":null}\n");
  EXPECT_EQ(encoded(schema, {{"encode.ignore-null-fields", "true"}}, *rows(schema, "+I . x\n+I 1 .\n+I . .")),
            "{\"b\":\"x\"}\n{\"a\":1}\n{}\n");
}

TEST(JsonEncoderTest, NullKeysOfMaps) {
  const Value value = list({Value(std::string("x")), Value(int64_t{1}), Value(), Value(int64_t{2})});
  EXPECT_EQ(encoded(kMap, value, {{"map-null-key.mode", "DROP"}}), "{\"a\":{\"x\":1}}");
  EXPECT_EQ(encoded(kMap, value, {{"map-null-key.mode", "LITERAL"}}), "{\"a\":{\"x\":1,\"null\":2}}");
  EXPECT_EQ(encoded(kMap, value, {{"map-null-key.mode", "LITERAL"}, {"map-null-key.literal", "-"}}),
            "{\"a\":{\"x\":1,\"-\":2}}");
  try {
    encoded(kMap, value);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 3200);
    EXPECT_TRUE(error.message().starts_with("field 'a': ")) << error.what();
  }
}

TEST(JsonEncoderTest, Nested) {
  const LogicalType inner = LogicalType::row({{"z", LogicalType::string()}});
  const LogicalType row = LogicalType::row({{"x", LogicalType::integer()}, {"y", inner}});
  EXPECT_EQ(encoded(row, list({Value(int64_t{1}), list({Value(std::string("z"))})})),
            "{\"a\":{\"x\":1,\"y\":{\"z\":\"z\"}}}");
  EXPECT_EQ(encoded(kMap, list({Value(std::string("b")), Value(int64_t{1}), Value(std::string("a")), Value()})),
            "{\"a\":{\"b\":1,\"a\":null}}");
  EXPECT_EQ(encoded(LogicalType::array(inner), list({list({Value()}), Value()})), "{\"a\":[{\"z\":null},null]}");
  EXPECT_THROW(json_encoder(Schema({{"m", LogicalType::map(LogicalType::integer(), LogicalType::integer())}}), {}),
               Error);
}

// The buffer's own ways must write what the plain functions write, whatever the length and wherever an escape stands.
TEST(JsonEncoderTest, BufferWritesStringsAsEver) {
  JsonTextBuffer buffer;
  std::string expected;
  const auto check = [&](const std::string& text) {
    buffer.append_quoted(text);
    append_json_string(text, expected);
  };
  for (size_t size = 0; size <= 40; ++size) {
    std::string text(size, 'x');
    check(text);
    for (size_t at = 0; at < size; ++at) {
      for (const char c : {'"', '\\', '\n', '\x01', '\x1f', ' ', '\x7f', '\xc3'}) {
        text[at] = c;
        check(text);
      }
      text[at] = 'x';
    }
  }
  EXPECT_EQ(buffer.view(), expected);
}

TEST(JsonEncoderTest, BufferWritesTimestampsAndNumbersAsEver) {
  JsonTextBuffer buffer;
  std::string expected;
  const auto check = [&](TimestampValue value, char separator) {
    buffer.append_timestamp(value, separator);
    append_java_timestamp(value, separator, expected);
  };
  for (const int64_t day : {-800'000, -719'529, -1, 0, 19'723, 19'724, 19'723, 2'932'896, 2'932'897, 5'000'000}) {
    for (const int64_t millis : {0, 1, 10, 100, 120, 123, 999, 1'000, 59'999, 3'600'000, 86'399'999}) {
      check({day * 86'400'000 + millis, 0}, ' ');
      check({day * 86'400'000 + millis, 1'000}, 'T');
    }
  }
  for (const int64_t number : {std::numeric_limits<int64_t>::min(), int64_t{-1}, int64_t{0}, int64_t{42},
                               std::numeric_limits<int64_t>::max()}) {
    buffer.append_integer(number);
    append_json_integer(number, expected);
  }
  EXPECT_EQ(buffer.view(), expected);
}

TEST(JsonEncoderTest, NamesAreEscapedAndColumnsChosen) {
  const Schema schema({{"a\"b", LogicalType::integer()}});
  const Schema wide({{"x", LogicalType::integer()}, {"y", LogicalType::integer()}});
  const auto encoder = json_encoder(schema, {});
  EncodedRows out;
  const int columns[] = {1};
  encoder->encode(*rows(wide, "+I 1 2"), columns, out);
  EXPECT_EQ(out[0], "{\"a\\\"b\":2}");
}

}  // namespace
}  // namespace yeoul
