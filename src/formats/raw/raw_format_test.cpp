#include "yeoul/formats/raw/raw_format.h"

#include <gtest/gtest.h>

#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

/// Decodes each text as a message; what came out as row lines, errors as "field: reason".
std::vector<std::string> decoded(const LogicalType& type, OptionMap options, std::vector<std::string> texts) {
  const Schema schema({{"x", type}});
  const auto factory = make_raw_format();
  const auto decoder =
      factory->create_decoding(Options("test", factory->options(), std::move(options)), {})->create_decoder(schema);
  std::vector<Message> messages;
  for (std::string& text : texts) {
    const auto size = static_cast<uint32_t>(text.size());
    text.append(Buffer::kPadding, '\0');
    messages.push_back({text.data(), size});
  }
  messages.push_back({});
  DecodedRows out;
  out.columns.emplace_back(type);
  decoder->decode(messages, out);
  const RowBatch batch({out.columns[0].finish()}, out.num_rows());
  std::vector<std::string> lines = row_lines(batch);
  for (const DecodeError& error : out.errors) lines.push_back(error.field + ": " + error.reason);
  return lines;
}

TEST(RawFormatTest, DecodesBytesAsTheColumn) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(decoded(LogicalType::string(), {}, {"a", "b c"}), (Lines{"+I a", "+I 'b c'"}));
  EXPECT_EQ(decoded(LogicalType::string(), {{"charset", "ISO-8859-1"}}, {"caf\xe9"}), (Lines{"+I caf\xc3\xa9"}));
  EXPECT_EQ(decoded(LogicalType::string(), {{"charset", "utf-8"}}, {"caf\xc3\xa9"}), (Lines{"+I caf\xc3\xa9"}));
  EXPECT_EQ(decoded(LogicalType::integer(), {}, {std::string("\0\0\1\2", 4)}), (Lines{"+I 258"}));
  EXPECT_EQ(decoded(LogicalType::integer(), {{"endianness", "little-endian"}}, {std::string("\2\1\0\0", 4)}),
            (Lines{"+I 258"}));
  EXPECT_EQ(decoded(LogicalType::integer(), {}, {"ab"}),
            (Lines{"x: a value of type INT has 4 bytes, but there are 2"}));
  EXPECT_EQ(decoded(LogicalType::string(), {{"charset", "US-ASCII"}}, {"\xe9"}),
            (Lines{"x: byte 0xe9 is not US-ASCII"}));
}

TEST(RawFormatTest, EncodesWhatItDecodes) {
  const auto factory = make_raw_format();
  const Schema schema({{"x", LogicalType::smallint()}});
  const auto encoder = factory->create_encoding(Options("test", factory->options(), {}), {})->create_encoder(schema);
  EncodedRows out;
  const int columns[] = {0};
  encoder->encode(*rows(schema, "+I 258\n+I ."), columns, out);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0], std::string_view("\1\2", 2));
  EXPECT_EQ(out[1].data(), nullptr);
}

TEST(RawFormatTest, ANullIsNoEmptyString) {
  const auto factory = make_raw_format();
  const Schema schema({{"x", LogicalType::string()}});
  const auto encoder = factory->create_encoding(Options("test", factory->options(), {}), {})->create_encoder(schema);
  EncodedRows out;
  const int columns[] = {0};
  encoder->encode(*rows(schema, "+I .\n+I a\n+I ."), columns, out);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].data(), nullptr);
  EXPECT_EQ(out[1], "a");
  EXPECT_EQ(out[2].data(), nullptr);
  out.clear();
  encoder->encode(*rows(schema, "+I ''"), columns, out);
  EXPECT_NE(out[0].data(), nullptr);
  EXPECT_EQ(out[0], "");
}

TEST(RawFormatTest, TakesOneColumnOfAKnownType) {
  const auto factory = make_raw_format();
  const auto format = factory->create_decoding(Options("test", factory->options(), {}), {});
  EXPECT_THROW(format->create_decoder(Schema({{"a", LogicalType::string()}, {"b", LogicalType::string()}})), Error);
  EXPECT_THROW(format->create_decoder(Schema({{"a", LogicalType::date()}})), Error);
  EXPECT_NO_THROW(format->create_decoder(Schema()));
}

}  // namespace
}  // namespace yeoul
