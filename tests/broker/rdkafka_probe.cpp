// librdkafka as the peer of Yeoul's own Kafka client.
// usage: rdkafka_probe write BOOTSTRAP TOPIC FILE [property=value]...
//        rdkafka_probe read BOOTSTRAP TOPIC FILE [property=value]...
// Writes the records of a file (record_stream.h) to partition 0, or partition 0 from its beginning to its end to a
// file.

#include <librdkafka/rdkafka.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record_stream.h"

namespace {

using namespace yeoul;

constexpr int kTimeoutMs = 60'000;
constexpr int kPollMs = 100;

using Client = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what);
}

Client make_client(rd_kafka_type_t type, const std::vector<std::string>& arguments) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  char reason[256];
  const auto set = [&](const std::string& name, const std::string& value) {
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), reason, sizeof reason) != RD_KAFKA_CONF_OK) fail(reason);
  };
  set("bootstrap.servers", arguments.at(1));
  for (size_t i = 4; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    set(arguments[i].substr(0, equals), arguments[i].substr(equals + 1));
  }
  if (type == RD_KAFKA_CONSUMER) {
    set("group.id", "rdkafka_probe");
    set("enable.auto.commit", "false");
    set("enable.partition.eof", "true");
  }
  rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void*) {
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      std::cerr << "not delivered: " << rd_kafka_err2str(message->err) << std::endl;
      std::_Exit(1);
    }
  });
  rd_kafka_t* client = rd_kafka_new(type, conf, reason, sizeof reason);
  if (client == nullptr) fail(reason);
  return {client, rd_kafka_destroy};
}

void write(const std::vector<std::string>& arguments) {
  const Client client = make_client(RD_KAFKA_PRODUCER, arguments);
  std::ifstream in(arguments.at(3), std::ios::binary);
  for (StreamedRecord record; read_record(in, record);) {
    rd_kafka_headers_t* headers = rd_kafka_headers_new(record.headers.size());
    for (const auto& [name, value] : record.headers) {
      rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value ? value->data() : nullptr,
                          value ? static_cast<ssize_t>(value->size()) : 0);
    }
    const std::string_view key = view_of(record.key), value = view_of(record.value);
    const rd_kafka_resp_err_t error = rd_kafka_producev(
        client.get(), RD_KAFKA_V_TOPIC(arguments.at(2).c_str()), RD_KAFKA_V_PARTITION(0),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY | RD_KAFKA_MSG_F_BLOCK), RD_KAFKA_V_TIMESTAMP(record.timestamp_ms),
        RD_KAFKA_V_KEY(key.data(), key.size()), RD_KAFKA_V_VALUE(const_cast<char*>(value.data()), value.size()),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) fail(rd_kafka_err2str(error));
    rd_kafka_poll(client.get(), 0);
  }
  if (rd_kafka_flush(client.get(), kTimeoutMs) != RD_KAFKA_RESP_ERR_NO_ERROR) fail("not all was delivered in time");
}

void write_message(std::ostream& out, const rd_kafka_message_t& message) {
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  rd_kafka_headers_t* list = nullptr;
  if (rd_kafka_message_headers(&message, &list) == RD_KAFKA_RESP_ERR_NO_ERROR) {
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    for (size_t i = 0; rd_kafka_header_get_all(list, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      headers.emplace_back(name, std::string_view(static_cast<const char*>(value), size));
    }
  }
  write_record(out, rd_kafka_message_timestamp(&message, nullptr),
               {static_cast<const char*>(message.key), message.key_len},
               {static_cast<const char*>(message.payload), message.len}, headers);
}

void read(const std::vector<std::string>& arguments) {
  const Client client = make_client(RD_KAFKA_CONSUMER, arguments);
  rd_kafka_poll_set_consumer(client.get());
  rd_kafka_topic_partition_list_t* partitions = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(partitions, arguments.at(2).c_str(), 0)->offset = RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(client.get(), partitions);
  rd_kafka_topic_partition_list_destroy(partitions);
  std::ofstream out(arguments.at(3), std::ios::binary);
  for (int idle_ms = 0; idle_ms < kTimeoutMs;) {
    const std::unique_ptr<rd_kafka_message_t, decltype(&rd_kafka_message_destroy)> message(
        rd_kafka_consumer_poll(client.get(), kPollMs), rd_kafka_message_destroy);
    idle_ms = message == nullptr ? idle_ms + kPollMs : 0;
    if (message == nullptr) continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) return;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) fail(rd_kafka_message_errstr(message.get()));
    write_message(out, *message);
  }
  fail("the end was not reached in time");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    if (arguments.at(0) == "write") {
      write(arguments);
    } else {
      read(arguments);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "rdkafka_probe: " << error.what() << '\n';
    return 1;
  }
}
