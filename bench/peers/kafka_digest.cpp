// What a topic holds, whatever the order: number of records, bytes, and the sum of their hashes. Two programs that did
// the same job leave topics of the same digest. usage: kafka_digest BOOTSTRAP TOPIC PARTITIONS
#include <functional>

#include "kafka_peer.h"

int main(int argc, char** argv) {
  if (argc != 4) peer::fail("usage: kafka_digest BOOTSTRAP TOPIC PARTITIONS");
  rd_kafka_t* client = peer::make_client(RD_KAFKA_CONSUMER, peer::consumer_conf(argv[1]));
  rd_kafka_poll_set_consumer(client);
  uint64_t num_records = 0;
  uint64_t num_bytes = 0;
  uint64_t sum = 0;
  const auto hash = [](const void* bytes, size_t size) {
    return std::hash<std::string_view>()({static_cast<const char*>(bytes), size});
  };
  peer::read_all(
      client, argv[2], std::atoi(argv[3]), 2'000,
      [&](const rd_kafka_message_t& message) {
        ++num_records;
        num_bytes += message.len + message.key_len;
        sum += hash(message.payload, message.len) + 31 * hash(message.key, message.key_len);
      },
      [] {});
  std::printf("%llu %llu %016llx\n", static_cast<unsigned long long>(num_records),
              static_cast<unsigned long long>(num_bytes), static_cast<unsigned long long>(sum));
  rd_kafka_destroy(client);
  return 0;
}
