#include "yeoul/formats/debezium_json/debezium_json_format.h"

#include <gtest/gtest.h>

#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

using Lines = std::vector<std::string>;

const Schema& account() {
  static const Schema schema({{"id", LogicalType::integer()}, {"owner", LogicalType::string()}});
  return schema;
}

/// Decodes each text as a message; the rows as row lines, then errors as "field@byte: reason", then what was ignored.
Lines decoded(OptionMap options, Lines texts) {
  const auto factory = make_debezium_json_format();
  const auto decoder =
      factory->create_decoding(Options("test", factory->options(), std::move(options)), {})->create_decoder(account());
  std::vector<Message> messages;
  for (std::string& text : texts) {
    const auto size = static_cast<uint32_t>(text.size());
    text.append(Buffer::kPadding, '\0');
    messages.push_back({text.data(), size});
  }
  messages.push_back({});
  DecodedRows out;
  for (const RowField& field : account().fields()) out.columns.emplace_back(field.type);
  decoder->decode(messages, out);
  RowBatch batch({}, out.num_rows());
  for (ColumnBuilder& builder : out.columns) batch.columns.push_back(builder.finish());
  batch.kinds = out.kinds;
  Lines lines = row_lines(batch);
  for (const DecodeError& error : out.errors) {
    lines.push_back(fmt::format("{}: {}@{}: {}", error.message, error.field, error.byte, error.reason));
  }
  if (out.num_ignored != 0) lines.push_back(fmt::format("ignored {}", out.num_ignored));
  return lines;
}

TEST(DebeziumJsonFormatTest, OpSaysWhatTheRowsDo) {
  EXPECT_EQ(decoded({}, {R"({"before":null,"after":{"id":1,"owner":"a"},"op":"c","ts_ms":7})",
                         R"({"op":"r","after":{"owner":"b","id":2}})",
                         R"({"before":{"id":1,"owner":"a"},"after":{"id":1,"owner":"z"},"op":"u"})",
                         R"({"before":{"id":2,"owner":"b"},"after":null,"op":"d"})"}),
            (Lines{"+I 1 a", "+I 2 b", "-U 1 a", "+U 1 z", "-D 2 b"}));
}

TEST(DebeziumJsonFormatTest, SchemaIncludeReadsThePayload) {
  const std::string text =
      R"({"schema":{"type":"struct"},"payload":{"before":null,"after":{"id":1,"owner":"a"},"op":"c"}})";
  EXPECT_EQ(decoded({{"schema-include", "true"}}, {text}), (Lines{"+I 1 a"}));
  EXPECT_EQ(decoded({{"schema-include", "true"}}, {R"({"op":"c"})"}),
            (Lines{"0: payload@-1: the field is missing, but 'debezium-json.schema-include' is true"}));
  EXPECT_EQ(decoded({}, {text}), (Lines{"0: op@-1: the field is missing; where messages carry their schema, set "
                                        "'debezium-json.schema-include' to 'true'"}));
}

TEST(DebeziumJsonFormatTest, WhatIsNoEventIsAnErrorInTheOrderOfMessages) {
  const Lines texts = {R"({"after":{"id":9},"op":"x"})", R"({"after":{"id":"q"},"op":"c"})",
                       R"({"before":null,"op":"d"})",    R"({"after":{"id":5},"op":"u"})",
                       R"({"after":null,"op":"c"})",     R"([{"after":{"id":1},"op":"c"}])",
                       R"({"after":{"id":1},"op":"c"})"};
  const Lines lines = decoded({}, texts);
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[0], "+I 1 .");
  EXPECT_EQ(lines[1], "0: op@-1: unknown \"op\" value \"x\"; known are c, r, u and d");
  EXPECT_TRUE(lines[2].starts_with("1: after@15: this is no whole number")) << lines[2];
  EXPECT_TRUE(lines[3].starts_with("2: before@-1: the \"before\" field of a DELETE message is null")) << lines[3];
  EXPECT_TRUE(lines[4].starts_with("3: before@-1: the \"before\" field of an UPDATE message is null")) << lines[4];
  EXPECT_EQ(lines[5], "4: after@-1: the \"after\" field is null");
  EXPECT_EQ(lines[6], "5: @0: a change event is one JSON object, and this is an array");
}

TEST(DebeziumJsonFormatTest, ParseErrorsAreIgnoredWhenAskedFor) {
  EXPECT_EQ(decoded({{"ignore-parse-errors", "true"}},
                    {R"({"after":{"id":9},"op":"x"})", R"({"after":{"id":"q","owner":"a"},"op":"c"})", "{"}),
            (Lines{"+I . a", "ignored 3"}));
}

TEST(DebeziumJsonFormatTest, EncodesInsertionsAndDeletions) {
  const auto factory = make_debezium_json_format();
  const auto encoded = [&](OptionMap options) {
    const auto encoder = factory->create_encoding(Options("test", factory->options(), std::move(options)), {})
                             ->create_encoder(account());
    EncodedRows out;
    const int columns[] = {0, 1};
    encoder->encode(*rows(account(), "+I 1 a\n-U 1 a\n+U 1 .\n-D 1 ."), columns, out);
    Lines lines;
    for (size_t i = 0; i < out.size(); ++i) lines.emplace_back(out[i]);
    return lines;
  };
  EXPECT_EQ(encoded({}), (Lines{R"({"before":null,"after":{"id":1,"owner":"a"},"op":"c"})",
                                R"({"before":{"id":1,"owner":"a"},"after":null,"op":"d"})",
                                R"({"before":null,"after":{"id":1,"owner":null},"op":"c"})",
                                R"({"before":{"id":1,"owner":null},"after":null,"op":"d"})"}));
  EXPECT_EQ(encoded({{"encode.ignore-null-fields", "true"}})[2], R"({"after":{"id":1},"op":"c"})");
  EXPECT_THROW(encoded({{"schema-include", "true"}}), Error);
}

}  // namespace
}  // namespace yeoul
