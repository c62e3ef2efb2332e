// Writes page views to a topic, the same in every run: 100,000 users, 10,000 pages, 10 regions, evenly spread, one
// millisecond apart, in batches of 256 KB compressed with LZ4 unless said, round robin over the partitions.
// usage: kafka_fill BOOTSTRAP TOPIC PARTITIONS RECORDS [COMPRESSION]
#include <cstring>

#include "kafka_peer.h"

namespace {

/// SplitMix64, whose whole state is a number.
uint64_t next_random(uint64_t& state) {
  uint64_t x = state += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

int main(int argc, char** argv) {
  constexpr long long kRunRecords = 1'000;  // of one partition: makes producing cheap
  if (argc < 5) peer::fail("usage: kafka_fill BOOTSTRAP TOPIC PARTITIONS RECORDS [COMPRESSION]");
  const long long num_records = std::atoll(argv[4]);
  const int num_partitions = std::atoi(argv[3]);
  peer::Producer producer(argv[1], argv[2], argc > 5 ? argv[5] : "lz4", "262144");
  uint64_t seed = 42;
  char text[256];
  for (long long i = 0; i < num_records; ++i) {
    const auto user = static_cast<unsigned>(next_random(seed) % 100'000);
    const auto page = static_cast<unsigned>(next_random(seed) % 10'000);
    const auto region = static_cast<unsigned>(next_random(seed) % 10);
    const long long ms = i % 86'400'000;
    const long long day = i / 86'400'000 + 1;
    const int size =
        std::snprintf(text, sizeof text,
                      R"({"user_id":"User_%u","page_id":"Page_%u","viewtime":"2024-01-%02lld )"
                      R"(%02lld:%02lld:%02lld.%03lld","user_region":"Region_%u"})",
                      user, page, day, ms / 3'600'000, ms / 60'000 % 60, ms / 1'000 % 60, ms % 1'000, region);
    producer.send({}, {text, static_cast<size_t>(size)}, static_cast<int32_t>(i / kRunRecords % num_partitions));
    if (i % kRunRecords == 0) producer.poll();
  }
  return 0;
}
