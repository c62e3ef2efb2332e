#include "yeoul/connectors/kafka/test_broker.h"

#include <librdkafka/rdkafka.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr int kTimeoutMs = 30'000;

using Settings = std::vector<std::pair<std::string, std::string>>;

void require(rd_kafka_resp_err_t error, const char* what) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw external_error(4000, "{}: {}", what, rd_kafka_err2str(error));
}

void require(rd_kafka_error_t* error, const char* what) {
  if (error == nullptr) return;
  const std::string text = rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
  throw external_error(4000, "{}: {}", what, text);
}

struct ClientDeleter {
  void operator()(rd_kafka_t* client) const { rd_kafka_destroy(client); }
};
using Client = std::unique_ptr<rd_kafka_t, ClientDeleter>;

Client make(rd_kafka_type_t type, const Settings& settings) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char reason[512];
  Settings all{{"bootstrap.servers", TestBroker::bootstrap()}};
  all.insert(all.end(), settings.begin(), settings.end());
  for (const auto& [name, value] : all) {
    YEOUL_CHECK(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason) == RD_KAFKA_CONF_OK, "{}",
                reason);
  }
  Client client(rd_kafka_new(type, conf, reason, sizeof reason));
  YEOUL_CHECK(client != nullptr, "{}", reason);
  return client;
}

/// Waits for the one result of an admin request, and checks it.
template <class Check>
void finish(rd_kafka_queue_t* queue, Check check) {
  rd_kafka_event_t* event = rd_kafka_queue_poll(queue, kTimeoutMs);
  YEOUL_CHECK(event != nullptr, "the broker did not answer");
  const rd_kafka_resp_err_t error = rd_kafka_event_error(event);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) check(event);
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
  require(error, "admin request");
}

void check_topics(const rd_kafka_topic_result_t** results, size_t count) {
  for (size_t i = 0; i < count; ++i) require(rd_kafka_topic_result_error(results[i]), "topic");
}

void produce_with(rd_kafka_t* producer, const std::string& topic, const std::vector<TestRecord>& records) {
  for (const TestRecord& record : records) {
    rd_kafka_headers_t* headers = rd_kafka_headers_new(record.headers.size());
    for (const auto& [name, value] : record.headers) {
      rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                          static_cast<ssize_t>(value.size()));
    }
    const auto part = [](const std::optional<std::string>& text) {
      return std::pair<void*, size_t>(text ? const_cast<char*>(text->data()) : nullptr, text ? text->size() : 0);
    };
    const auto [value, value_size] = part(record.value);
    const auto [key, key_size] = part(record.key);
    const rd_kafka_resp_err_t error = rd_kafka_producev(
        producer, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(record.partition),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_VALUE(value, value_size), RD_KAFKA_V_KEY(key, key_size),
        RD_KAFKA_V_TIMESTAMP(record.timestamp_ms < 0 ? 0 : record.timestamp_ms), RD_KAFKA_V_HEADERS(headers),
        RD_KAFKA_V_END);
    require(error, "produce");
  }
  require(rd_kafka_flush(producer, kTimeoutMs), "flush");
}

struct TopicDeleter {
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
};

/// A broker answers "created" before it knows the topic itself.
void wait_for_partitions(rd_kafka_t* client, const std::string& topic, int partitions) {
  const std::unique_ptr<rd_kafka_topic_t, TopicDeleter> handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const int64_t deadline_ns = system_clock().steady_ns() + int64_t{kTimeoutMs} * 1'000'000;
  for (bool known = false; !known;) {
    YEOUL_CHECK(system_clock().steady_ns() < deadline_ns, "the broker does not know {} yet", topic);
    const rd_kafka_metadata_t* metadata = nullptr;
    require(rd_kafka_metadata(client, 0, handle.get(), &metadata, kTimeoutMs), "metadata");
    known = metadata->topic_cnt == 1 && metadata->topics[0].partition_cnt == partitions;
    for (int i = 0; known && i < partitions; ++i) known = metadata->topics[0].partitions[i].leader >= 0;
    rd_kafka_metadata_destroy(metadata);
  }
}

struct ListDeleter {
  void operator()(rd_kafka_topic_partition_list_t* list) const { rd_kafka_topic_partition_list_destroy(list); }
};
using List = std::unique_ptr<rd_kafka_topic_partition_list_t, ListDeleter>;

List list_of(const std::string& topic, const std::vector<int64_t>& offsets) {
  List list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (size_t i = 0; i < offsets.size(); ++i) {
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), static_cast<int32_t>(i))->offset = offsets[i];
  }
  return list;
}

TestRecord to_record(const rd_kafka_message_t& message) {
  TestRecord record;
  record.partition = message.partition;
  const auto text = [](const void* bytes, size_t size) {
    return bytes == nullptr ? std::nullopt : std::optional(std::string(static_cast<const char*>(bytes), size));
  };
  record.key = text(message.key, message.key_len);
  record.value = text(message.payload, message.len);
  rd_kafka_timestamp_type_t type;
  record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  const char* name;
  const void* value;
  size_t size;
  for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    record.headers.emplace_back(name, std::string(static_cast<const char*>(value), size));
  }
  return record;
}

}  // namespace

struct TestBroker::Impl {
  Client client = make(RD_KAFKA_PRODUCER, {{"linger.ms", "0"}});
};

TestBroker::TestBroker() : impl_(std::make_unique<Impl>()) {}
TestBroker::~TestBroker() = default;

bool TestBroker::is_available() {
  return std::getenv("YEOUL_TEST_BOOTSTRAP") != nullptr;
}
std::string TestBroker::bootstrap() {
  return std::getenv("YEOUL_TEST_BOOTSTRAP");
}

std::string TestBroker::create_topic(int partitions, Settings configuration) {
  static std::atomic<int> next{0};
  const std::string name = "kafka-test-" + std::to_string(system_clock().wall_ms()) + "-" + std::to_string(getpid()) +
                           "-" + std::to_string(++next);
  rd_kafka_queue_t* queue = rd_kafka_queue_new(impl_->client.get());
  rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(name.c_str(), partitions, 1, nullptr, 0);
  for (const auto& [key, value] : configuration) rd_kafka_NewTopic_set_config(topic, key.c_str(), value.c_str());
  rd_kafka_CreateTopics(impl_->client.get(), &topic, 1, nullptr, queue);
  rd_kafka_NewTopic_destroy(topic);
  finish(queue, [](rd_kafka_event_t* event) {
    size_t count = 0;
    const rd_kafka_topic_result_t** topics =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    check_topics(topics, count);
  });
  wait_for_partitions(impl_->client.get(), name, partitions);
  return name;
}

void TestBroker::add_partitions(const std::string& topic, int partitions) {
  rd_kafka_queue_t* queue = rd_kafka_queue_new(impl_->client.get());
  char reason[256];
  rd_kafka_NewPartitions_t* more =
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<size_t>(partitions), reason, sizeof reason);
  rd_kafka_CreatePartitions(impl_->client.get(), &more, 1, nullptr, queue);
  rd_kafka_NewPartitions_destroy(more);
  finish(queue, [](rd_kafka_event_t* event) {
    size_t count = 0;
    const rd_kafka_topic_result_t** topics =
        rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event), &count);
    check_topics(topics, count);
  });
  wait_for_partitions(impl_->client.get(), topic, partitions);
}

void TestBroker::delete_records_before(const std::string& topic, int32_t partition, int64_t offset) {
  rd_kafka_queue_t* queue = rd_kafka_queue_new(impl_->client.get());
  const List list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
  rd_kafka_DeleteRecords_t* request = rd_kafka_DeleteRecords_new(list.get());
  rd_kafka_DeleteRecords(impl_->client.get(), &request, 1, nullptr, queue);
  rd_kafka_DeleteRecords_destroy(request);
  finish(queue, [](rd_kafka_event_t*) {});
}

void TestBroker::produce(const std::string& topic, const std::vector<TestRecord>& records) {
  produce_with(impl_->client.get(), topic, records);
}

void TestBroker::produce_transaction(const std::string& topic, const std::vector<TestRecord>& records, bool commit) {
  const Client producer = make(RD_KAFKA_PRODUCER, {{"transactional.id", topic + "-tx"}, {"linger.ms", "0"}});
  require(rd_kafka_init_transactions(producer.get(), kTimeoutMs), "init_transactions");
  require(rd_kafka_begin_transaction(producer.get()), "begin_transaction");
  produce_with(producer.get(), topic, records);
  if (commit) {
    require(rd_kafka_commit_transaction(producer.get(), kTimeoutMs), "commit_transaction");
  } else {
    require(rd_kafka_abort_transaction(producer.get(), kTimeoutMs), "abort_transaction");
  }
}

void TestBroker::commit_offsets(const std::string& group, const std::string& topic, std::vector<int64_t> offsets) {
  const Client consumer = make(RD_KAFKA_CONSUMER, {{"group.id", group}});
  require(rd_kafka_commit(consumer.get(), list_of(topic, offsets).get(), 0), "commit");
}

std::vector<int64_t> TestBroker::committed_offsets(const std::string& group, const std::string& topic, int partitions) {
  const Client consumer = make(RD_KAFKA_CONSUMER, {{"group.id", group}});
  const List list = list_of(topic, std::vector<int64_t>(static_cast<size_t>(partitions), -1));
  require(rd_kafka_committed(consumer.get(), list.get(), kTimeoutMs), "committed");
  std::vector<int64_t> offsets;
  for (int i = 0; i < list->cnt; ++i) offsets.push_back(list->elems[i].offset < 0 ? -1 : list->elems[i].offset);
  return offsets;
}

std::vector<TestRecord> TestBroker::read(const std::string& topic, int partitions) {
  std::vector<TestRecord> records;
  for (int partition = 0; partition < partitions; ++partition) {
    const Client consumer = make(
        RD_KAFKA_CONSUMER, {{"group.id", "reader"}, {"enable.partition.eof", "true"}, {"fetch.wait.max.ms", "10"}});
    const List list(rd_kafka_topic_partition_list_new(1));
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = RD_KAFKA_OFFSET_BEGINNING;
    require(rd_kafka_assign(consumer.get(), list.get()), "assign");
    for (bool at_end = false; !at_end;) {
      rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer.get(), kTimeoutMs);
      YEOUL_CHECK(message != nullptr, "nothing arrived from {}", topic);
      at_end = message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
      if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) records.push_back(to_record(*message));
      rd_kafka_message_destroy(message);
    }
  }
  return records;
}

}  // namespace yeoul
