#include "yeoul/connectors/kafka/kafka_split.h"

#include <gtest/gtest.h>

#include <string>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

using namespace std::string_literals;

TEST(KafkaPartitionSplit, BytesAreTheseForEver) {
  const KafkaPartitionSplit open{{"orders", 3}, 42, KafkaPartitionSplit::kNoStoppingOffset};
  EXPECT_EQ(open.to_source_split().id, "orders-3");
  const std::string unknown = "\x00\x00\x01"s;
  EXPECT_EQ(open.to_source_split().bytes, "\x02\x06orders\x03\x54\x00"s + unknown);
  EXPECT_EQ(KafkaPartitionSplit::from_bytes("\x01\x06orders\x03\x54\x00"s), open);
  const KafkaPartitionSplit bounded{{"orders", 300}, 0, 64};
  EXPECT_EQ(bounded.to_source_split().bytes, "\x02\x06orders\xac\x02\x00\x01\x80\x01"s + unknown);
  EXPECT_EQ(KafkaPartitionSplit::from_bytes("\x01\x06orders\xac\x02\x00\x01\x80\x01"s), bounded);
}

TEST(KafkaPartitionSplit, ReadsWhatItWrote) {
  for (const KafkaPartitionSplit& split :
       {KafkaPartitionSplit{{"a", 0}, 0}, KafkaPartitionSplit{{"b.c", 7}, 1ll << 40, 1ll << 41, {1, ~0ull}, 9}}) {
    EXPECT_EQ(KafkaPartitionSplit::from_bytes(split.to_source_split().bytes), split);
  }
}

TEST(KafkaPartitionSplit, DamagedBytesAreRefused) {
  EXPECT_THROW(KafkaPartitionSplit::from_bytes("\x01\x06ord"), Error);
  EXPECT_THROW(KafkaPartitionSplit::from_bytes("\x02\x06orders\x03\x54\x00"s), Error);
  EXPECT_THROW(KafkaPartitionSplit::from_bytes("\x03"), Error);
  EXPECT_THROW(KafkaPartitionSplit::from_bytes(""), Error);
}

TEST(SplitOwner, FollowsFlinksRule) {
  EXPECT_EQ(split_owner({"topic-a", 0}, 3), 1);
  EXPECT_EQ(split_owner({"topic-a", 1}, 3), 2);
  EXPECT_EQ(split_owner({"topic-a", 2}, 3), 0);
  EXPECT_EQ(split_owner({"topic-b", 0}, 3), 2);
  EXPECT_EQ(split_owner({"topic-b", 1}, 3), 0);
  EXPECT_EQ(split_owner({"topic-b", 2}, 3), 1);
  EXPECT_EQ(split_owner({"orders", 0}, 3), 0);
}

}  // namespace
}  // namespace yeoul
