// The peer of the pageviews benchmark: reads a whole topic with librdkafka's batch consumer and does nothing but count.
// usage: kafka_consume BOOTSTRAP TOPIC PARTITIONS ROUNDS [property=value]…
#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kTimeoutMs = 10'000;
constexpr size_t kMessagesPerPoll = 10'000;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "kafka_consume: %s\n", what.c_str());
  std::exit(1);
}

void set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  char reason[256];
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason) != RD_KAFKA_CONF_OK) fail(reason);
}

/// Reads every partition from its beginning to the end it has now; returns the bytes of keys and values.
uint64_t read_all(rd_kafka_t* client, const std::string& topic, int num_partitions, uint64_t* num_records) {
  rd_kafka_topic_partition_list_t* partitions = rd_kafka_topic_partition_list_new(num_partitions);
  std::vector<int64_t> ends(num_partitions);
  int num_open = 0;
  for (int p = 0; p < num_partitions; ++p) {
    rd_kafka_topic_partition_list_add(partitions, topic.c_str(), p)->offset = RD_KAFKA_OFFSET_BEGINNING;
    int64_t low = 0;
    if (rd_kafka_query_watermark_offsets(client, topic.c_str(), p, &low, &ends[p], kTimeoutMs)) fail("no offsets");
    if (low < ends[p]) ++num_open;
  }
  rd_kafka_assign(client, partitions);
  rd_kafka_queue_t* queue = rd_kafka_queue_get_consumer(client);
  std::vector<rd_kafka_message_t*> messages(kMessagesPerPoll);
  uint64_t num_bytes = 0;
  while (num_open > 0) {
    const ssize_t count = rd_kafka_consume_batch_queue(queue, 100, messages.data(), messages.size());
    for (ssize_t i = 0; i < count; ++i) {
      const rd_kafka_message_t& message = *messages[i];
      if (message.err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        num_bytes += message.len + message.key_len;
        ++*num_records;
        if (message.offset + 1 == ends[message.partition]) --num_open;
      }
      rd_kafka_message_destroy(messages[i]);
    }
  }
  rd_kafka_assign(client, nullptr);
  rd_kafka_queue_destroy(queue);
  rd_kafka_topic_partition_list_destroy(partitions);
  return num_bytes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) fail("usage: kafka_consume BOOTSTRAP TOPIC PARTITIONS ROUNDS [property=value]...");
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  set(conf, "bootstrap.servers", argv[1]);
  set(conf, "group.id", "kafka_consume");
  set(conf, "enable.auto.commit", "false");
  set(conf, "enable.auto.offset.store", "false");
  for (int i = 5; i < argc; ++i) {
    const std::string setting = argv[i];
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) fail("expected property=value, got " + setting);
    set(conf, setting.substr(0, equals), setting.substr(equals + 1));
  }
  char reason[256];
  rd_kafka_t* client = rd_kafka_new(RD_KAFKA_CONSUMER, conf, reason, sizeof reason);
  if (client == nullptr) fail(reason);
  rd_kafka_poll_set_consumer(client);
  uint64_t num_records = 0;
  uint64_t num_bytes = 0;
  for (int round = 0; round < std::atoi(argv[4]); ++round) {
    num_bytes += read_all(client, argv[2], std::atoi(argv[3]), &num_records);
  }
  std::printf("%llu records, %llu bytes\n", static_cast<unsigned long long>(num_records),
              static_cast<unsigned long long>(num_bytes));
  rd_kafka_destroy(client);
  return 0;
}
