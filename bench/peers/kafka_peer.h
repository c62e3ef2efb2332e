#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

/// What the benchmark's plain librdkafka programs share: as little between the client and the job as a program can
/// have.

namespace peer {

constexpr int kTimeoutMs = 10'000;

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

inline void set(rd_kafka_conf_t* conf, const std::string& name, const std::string& value) {
  char reason[256];
  if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason) != RD_KAFKA_CONF_OK) fail(reason);
}

/// "name=value"
inline void set(rd_kafka_conf_t* conf, const std::string& setting) {
  set(conf, setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
}

inline rd_kafka_t* make_client(rd_kafka_type_t type, rd_kafka_conf_t* conf) {
  char reason[256];
  rd_kafka_t* client = rd_kafka_new(type, conf, reason, sizeof reason);
  if (client == nullptr) fail(reason);
  return client;
}

/// Settings as Yeoul's reader makes them, but for the queue: with the reader's small one version 2.0 of the client
/// stalls for a second whenever it is full. The large one costs less CPU time, so it does not flatter Yeoul.
inline rd_kafka_conf_t* consumer_conf(const std::string& bootstrap) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] : {std::pair<const char*, const char*>{"group.id", "peer"},
                                    {"enable.auto.commit", "false"},
                                    {"enable.auto.offset.store", "false"},
                                    {"isolation.level", "read_committed"},
                                    {"check.crcs", "true"},
                                    {"enable.partition.eof", "true"},
                                    {"queued.min.messages", "1000000"},
                                    {"queued.max.messages.kbytes", "1048576"}}) {
    set(conf, name, value);
  }
  set(conf, "bootstrap.servers", bootstrap);
  return conf;
}

/// Reads every partition of the topic from its beginning to the end it has now, in polls of at most `poll_messages`.
/// @param on_record  called for each message
/// @param on_batch   called after the messages of one poll
template <class OnRecord, class OnBatch>
void read_all(rd_kafka_t* client, const std::string& topic, int num_partitions, size_t poll_messages,
              const OnRecord& on_record, const OnBatch& on_batch) {
  rd_kafka_topic_partition_list_t* partitions = rd_kafka_topic_partition_list_new(num_partitions);
  std::vector<int64_t> ends(static_cast<size_t>(num_partitions));
  int num_open = 0;
  for (int p = 0; p < num_partitions; ++p) {
    rd_kafka_topic_partition_list_add(partitions, topic.c_str(), p)->offset = RD_KAFKA_OFFSET_BEGINNING;
    int64_t low = 0;
    int64_t& end = ends[static_cast<size_t>(p)];
    if (rd_kafka_query_watermark_offsets(client, topic.c_str(), p, &low, &end, kTimeoutMs)) fail("no offsets");
    if (low < end) ++num_open;
  }
  rd_kafka_assign(client, partitions);
  rd_kafka_queue_t* queue = rd_kafka_queue_get_consumer(client);
  std::vector<rd_kafka_message_t*> messages(poll_messages);
  while (num_open > 0) {
    const ssize_t count = rd_kafka_consume_batch_queue(queue, 100, messages.data(), messages.size());
    for (ssize_t i = 0; i < count; ++i) {
      rd_kafka_message_t* message = messages[static_cast<size_t>(i)];
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
        on_record(*message);
        if (message->offset + 1 == ends[static_cast<size_t>(message->partition)]) --num_open;
      }
      rd_kafka_message_destroy(message);
    }
    if (count > 0) on_batch();
  }
  rd_kafka_assign(client, nullptr);
  rd_kafka_queue_destroy(queue);
  rd_kafka_topic_partition_list_destroy(partitions);
}

/// A producer with the settings of Yeoul's writer: those of the Java client.
class Producer {
 public:
  Producer(const std::string& bootstrap, const std::string& topic, const char* compression = "none",
           const char* batch_size = "1000000") {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    for (const auto& [name, value] : {std::pair<const char*, const char*>{"linger.ms", "5"},
                                      {"acks", "all"},
                                      {"enable.idempotence", "true"},
                                      {"max.in.flight.requests.per.connection", "5"},
                                      {"queue.buffering.max.messages", "500000"},
                                      {"queue.buffering.max.kbytes", "1048576"},
                                      {"delivery.report.only.error", "true"},
                                      {"partitioner", "murmur2_random"}}) {
      set(conf, name, value);
    }
    set(conf, "bootstrap.servers", bootstrap);
    set(conf, "compression.codec", compression);
    set(conf, "batch.size", batch_size);
    rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void*) {
      if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) fail("a record was not delivered");
    });
    client_ = make_client(RD_KAFKA_PRODUCER, conf);
    topic_ = rd_kafka_topic_new(client_, topic.c_str(), nullptr);
  }
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;
  ~Producer() {
    if (rd_kafka_flush(client_, 60'000) != RD_KAFKA_RESP_ERR_NO_ERROR) fail("not everything was delivered");
    rd_kafka_topic_destroy(topic_);
    rd_kafka_destroy(client_);
  }

  void send(std::string_view key, std::string_view value, int32_t partition = RD_KAFKA_PARTITION_UA) {
    while (rd_kafka_produce(topic_, partition, RD_KAFKA_MSG_F_COPY, const_cast<char*>(value.data()), value.size(),
                            key.data(), key.size(), nullptr) != 0) {
      if (rd_kafka_last_error() != RD_KAFKA_RESP_ERR__QUEUE_FULL) fail("a record cannot be sent");
      rd_kafka_poll(client_, 1);
    }
  }
  void poll() { rd_kafka_poll(client_, 0); }

 private:
  rd_kafka_t* client_ = nullptr;
  rd_kafka_topic_t* topic_ = nullptr;
};

}  // namespace peer
