#include "yeoul/connectors/kafka/upsert_buffer.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

TEST(UpsertBuffer, KeepsTheLastChangeOfEachKey) {
  UpsertBuffer buffer;
  const ProducedRecord first[] = {{"a", "1"}, {"b", "1"}, {"a", "2"}};
  buffer.add(first, {});
  const ProducedRecord second[] = {{"b", std::string_view()}, {"c", ""}};
  buffer.add(second, {});
  const std::vector<ProducedRecord> records = buffer.records();
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].key, "a");
  EXPECT_EQ(records[0].value, "2");
  EXPECT_EQ(records[1].key, "b");
  EXPECT_EQ(records[1].value.data(), nullptr) << "a tombstone stays one";
  EXPECT_EQ(records[2].key, "c");
  EXPECT_NE(records[2].value.data(), nullptr) << "an empty value is not a tombstone";
  buffer.clear();
  EXPECT_EQ(buffer.num_rows(), 0u);
}

TEST(UpsertBuffer, TellsTopicsApart) {
  UpsertBuffer buffer;
  const ProducedRecord records[] = {{"a", "1"}, {"a", "2"}};
  const uint32_t topics[] = {0, 1};
  buffer.add(records, topics);
  EXPECT_EQ(buffer.topics(), (std::vector<uint32_t>{0, 1}));
}

TEST(UpsertBuffer, OwnsHeaders) {
  UpsertBuffer buffer;
  {
    const std::string name = "trace";
    const std::string value = "xyz";
    const std::pair<std::string_view, std::string_view> headers[] = {{name, value}, {name, std::string_view()}};
    const ProducedRecord record{"a", "1", 17, headers};
    buffer.add(std::span(&record, 1), {});
  }
  const std::vector<ProducedRecord> records = buffer.records();
  ASSERT_EQ(records[0].headers.size(), 2u);
  EXPECT_EQ(records[0].headers[0].first, "trace");
  EXPECT_EQ(records[0].headers[0].second, "xyz");
  EXPECT_EQ(records[0].headers[1].second.data(), nullptr);
  EXPECT_EQ(records[0].timestamp_ms, 17);
}

}  // namespace
}  // namespace yeoul
