// The least that a job's client can do: reads a whole topic with librdkafka's batch consumer and does nothing but
// count. usage: kafka_consume BOOTSTRAP TOPIC PARTITIONS ROUNDS [property=value]... with librdkafka's names
#include "kafka_peer.h"

int main(int argc, char** argv) {
  constexpr size_t kMessagesPerPoll = 10'000;
  if (argc < 5) peer::fail("usage: kafka_consume BOOTSTRAP TOPIC PARTITIONS ROUNDS [property=value]...");
  rd_kafka_conf_t* conf = peer::consumer_conf(argv[1]);
  for (int i = 5; i < argc; ++i) peer::set(conf, argv[i]);
  rd_kafka_t* client = peer::make_client(RD_KAFKA_CONSUMER, conf);
  rd_kafka_poll_set_consumer(client);
  uint64_t num_records = 0;
  uint64_t num_bytes = 0;
  for (int round = 0; round < std::atoi(argv[4]); ++round) {
    peer::read_all(
        client, argv[2], std::atoi(argv[3]), kMessagesPerPoll,
        [&](const rd_kafka_message_t& message) {
          ++num_records;
          num_bytes += message.len + message.key_len;
        },
        [] {});
  }
  std::printf("%llu records, %llu bytes\n", static_cast<unsigned long long>(num_records),
              static_cast<unsigned long long>(num_bytes));
  rd_kafka_destroy(client);
  return 0;
}
