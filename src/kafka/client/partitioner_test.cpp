#include "yeoul/kafka/client/partitioner.h"

#include <gtest/gtest.h>

#include <utility>

namespace yeoul {
namespace {

TEST(Murmur2, EqualsTheJavaClients) {
  const std::pair<std::string_view, int32_t> known[] = {
      {"21", -973932308},
      {"foobar", -790332482},
      {"a-little-bit-long-string", -985981536},
      {"a-little-bit-longer-string", -1486304829},
      {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
  };
  for (const auto& [key, hash] : known) EXPECT_EQ(murmur2(key), hash) << key;
}

TEST(PartitionForKey, EqualsTheJavaProducers) {
  EXPECT_EQ(partition_for_key(R"({"user_id":1})", 4), 1);
  EXPECT_EQ(partition_for_key(R"({"user_id":3})", 4), 3);
  EXPECT_EQ(partition_for_key(R"({"user_id":1,"item_id":10})", 4), 0);
  EXPECT_EQ(partition_for_key(R"({"id":1})", 4), 0);
  EXPECT_EQ(partition_for_key(R"({"id":2})", 4), 0);
  EXPECT_EQ(partition_for_key(R"({"id":3})", 4), 3);
  EXPECT_EQ(partition_for_key(R"({"id":4})", 4), 0);
  EXPECT_GE(partition_for_key("", 7), 0);
}

}  // namespace
}  // namespace yeoul
