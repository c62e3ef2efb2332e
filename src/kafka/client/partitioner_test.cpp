#include "yeoul/kafka/client/partitioner.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/wire.h"

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

/// tests/kafka_samples/PartitionSamples.java picks the partitions of the same keys.
TEST(PartitionForKey, EqualsTheJavaProducersFor100000Keys) {
  uint64_t state = 42;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state;
  };
  std::string partitions;
  std::string key;
  for (int i = 0; i < 100'000; ++i) {
    key.assign((next() >> 33) % 40, '\0');
    for (char& byte : key) byte = static_cast<char>(next() >> 56);
    const auto num_partitions = static_cast<int32_t>(1 + (next() >> 33) % 1000);
    WireWriter(partitions).fixed(partition_for_key(key, num_partitions));
  }
  EXPECT_EQ(crc32c(partitions), 0xa22a83c8u);
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
