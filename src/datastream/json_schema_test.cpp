#include "yeoul/datastream/json_schema.h"

#include <gtest/gtest.h>

#include <random>

namespace yeoul {
namespace {

struct Order {
  std::string customer;
  int64_t id = 0;
  int16_t small = 0;
  double price = 0;
  bool paid = false;
  TimestampValue at;
  std::optional<std::string> note;
  bool operator==(const Order&) const = default;
  static constexpr auto fields() {
    return describe("Order", 1, field("customer", &Order::customer), field("id", &Order::id),
                    field("small", &Order::small), field("price", &Order::price), field("paid", &Order::paid),
                    field("at", &Order::at), field("note", &Order::note));
  }
};

struct Basket {
  std::string customer;
  std::vector<Order> orders;
  std::map<std::string, int32_t> counts;
  static constexpr auto fields() {
    return describe("Basket", 1, field("customer", &Basket::customer), field("orders", &Basket::orders),
                    field("counts", &Basket::counts));
  }
};

constexpr std::string_view kOrder =
    R"({"customer":"ana","id":7,"small":-3,"price":2.5,"paid":true,"at":"2024-02-29 12:34:56.789","note":null})";

const Order kAna{"ana", 7, -3, 2.5, true, {1709210096789, 0}, std::nullopt};

/// What a schema makes of a message: its records as JSON, or the error.
std::string outcome(const JsonDeserializationSchema<Order>& schema, std::string_view message) {
  std::vector<Order> out;
  try {
    schema.deserialize(message, out);
  } catch (const Error& error) {
    return error.message();
  }
  std::string text;
  for (const Order& order : out) text += JsonSerializationSchema<Order>().serialize(order);
  return text;
}

TEST(JsonSchema, ReadsAndWritesRecords) {
  const JsonDeserializationSchema<Order> schema;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(schema.deserialize(kOrder), kAna);
  EXPECT_EQ(JsonSerializationSchema<Order>().serialize(kAna), kOrder);
  Order noted = kAna;
  noted.note = "a \"quoted\" 여울\n";
  noted.price = -1e300;
  EXPECT_EQ(schema.deserialize(JsonSerializationSchema<Order>().serialize(noted)), noted);
  EXPECT_EQ(JsonSerializationSchema<Order>({.encode_ignore_null_fields = true}).serialize(kAna).find("note"),
            std::string_view::npos);
}

TEST(JsonSchema, NestedRecordsTakeTheWayOfTables) {
  const JsonDeserializationSchema<Basket> schema;
  const std::string text = R"({"customer":"bob","orders":[)" + std::string(kOrder) + R"(],"counts":{"a":1,"b":2}})";
  const Basket basket = schema.deserialize(text);
  EXPECT_EQ(basket.customer, "bob");
  EXPECT_EQ(basket.orders, std::vector<Order>{kAna});
  EXPECT_EQ(basket.counts, (std::map<std::string, int32_t>{{"a", 1}, {"b", 2}}));
  EXPECT_EQ(JsonSerializationSchema<Basket>().serialize(basket), text);
}

/// A batch is written behind the rows there are, as its records one by one.
template <class T>
void expect_batch_as_single_records(const std::vector<T>& records, const JsonFormatOptions& options = {}) {
  const JsonSerializationSchema<T> schema(options);
  EncodedRows rows;
  rows.append("before");
  schema.serialize(records, rows);
  ASSERT_EQ(rows.size(), records.size() + 1);
  EXPECT_EQ(rows[0], "before");
  for (size_t i = 0; i < records.size(); ++i) EXPECT_EQ(rows[i + 1], schema.serialize(records[i]));
}

TEST(JsonSchema, WritesBatchesAsSingleRecords) {
  Order noted = kAna;
  noted.note = "\"";
  const std::vector<Order> orders{kAna, noted, Order{}, kAna};
  expect_batch_as_single_records(orders);
  expect_batch_as_single_records(orders, {.encode_ignore_null_fields = true});
  expect_batch_as_single_records(std::vector<Order>());
  expect_batch_as_single_records(std::vector<Basket>{{"bob", orders, {{"a", 1}}}, {"eve", {}, {}}});
}

TEST(JsonSchema, ReadsWhereTheMessageStands) {
  const JsonDeserializationSchema<Order> schema;
  const std::string text = std::string(kOrder) + std::string(Buffer::kPadding, '}');
  std::vector<Order> out;
  for (int i = 0; i < 2; ++i) schema.deserialize(Message{text.data(), static_cast<uint32_t>(kOrder.size())}, out);
  EXPECT_EQ(out, (std::vector<Order>{kAna, kAna}));
}

TEST(JsonSchema, SaysWhatIsWrong) {
  const JsonDeserializationSchema<Order> schema;
  EXPECT_EQ(outcome(schema, R"({"customer":"ana","id":"x"})"),
            "field 'id': this is no whole number (type BIGINT NOT NULL) at byte 23");
  EXPECT_NE(outcome(schema, R"({"customer":"ana"})").find("field 'id'"), std::string::npos);
  EXPECT_NE(outcome(schema, R"({"customer":"ana)"), "");
  EXPECT_THROW(schema.deserialize(""), Error);
  EXPECT_THROW(schema.deserialize("[" + std::string(kOrder) + "," + std::string(kOrder) + "]"), Error);
  std::vector<Order> out;
  schema.deserialize("[" + std::string(kOrder) + "," + std::string(kOrder) + "]", out);
  EXPECT_EQ(out, (std::vector<Order>{kAna, kAna}));
}

TEST(JsonSchema, PassesOverWhatItMayIgnore) {
  const JsonDeserializationSchema<Order> schema({.ignore_parse_errors = true});
  EXPECT_EQ(outcome(schema, kOrder), kOrder);
  EXPECT_EQ(outcome(schema, "{"), "");
  EXPECT_EQ(outcome(schema, R"({"customer":"ana"})"), "") << "a number that is missing has no place";
  std::string wrong_note(kOrder);
  wrong_note.replace(wrong_note.find("2024"), 4, "year");
  EXPECT_EQ(outcome(schema, wrong_note), "");
  EXPECT_EQ(outcome(schema, kOrder), kOrder);
}

TEST(JsonSchema, SaysAtTheEndHowManyMessagesItPassedOver) {
  testing::internal::CaptureStderr();
  {
    const JsonDeserializationSchema<Order> schema({.ignore_parse_errors = true});
    std::vector<Order> out;
    schema.deserialize(kOrder, out);
    schema.deserialize("[]", out);
    schema.deserialize(R"({"customer":"ana"})", out);
    schema.deserialize("{", out);
    EXPECT_EQ(out.size(), 1u);
    const JsonDeserializationSchema<Order> copy = schema;
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("2 messages gave no record, and were passed over as ignore_parse_errors says; the first: field "
                      "'id': it is NULL, which int64_t cannot be"),
            std::string::npos)
      << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
}

/// One place of a message is changed; a schema that knows the form of messages must make the same of it as one that
/// does not.
TEST(JsonSchema, MessagesOfTheKnownFormAreReadAsAnyOther) {
  const std::vector<std::string> parts = {"{",
                                          "}",
                                          ",",
                                          ":",
                                          "\"",
                                          "\\",
                                          "\\u00e9",
                                          "null",
                                          "true",
                                          "1",
                                          "-",
                                          "0",
                                          "1e5",
                                          "1.5",
                                          " ",
                                          "\t",
                                          "[",
                                          "]",
                                          "\xc3",
                                          "é",
                                          "NaN",
                                          "\"x\"",
                                          "999999999999999999999",
                                          "\"a\":1,",
                                          "\"id\":5,",
                                          "\x01",
                                          "+"};
  std::mt19937 random(1);
  int good = 0;
  const JsonDeserializationSchema<Order> known;
  for (int i = 0; i < 20'000; ++i) {
    ASSERT_EQ(outcome(known, kOrder), kOrder);  // its keys are known again
    std::string message(kOrder);
    const size_t at = random() % message.size();
    message.replace(at, random() % 4, parts[random() % parts.size()]);
    if (random() % 8 == 0) message.resize(random() % message.size());
    const std::string expected = outcome(JsonDeserializationSchema<Order>(), message);
    ASSERT_EQ(outcome(known, message), expected) << message;
    good += expected.starts_with('{') ? 1 : 0;
  }
  EXPECT_GT(good, 1000);
}

}  // namespace
}  // namespace yeoul
