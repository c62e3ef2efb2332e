// kafka/native against a real broker, for the tests that compare it with Kafka's own tools.
// usage: kafka_probe [--properties FILE] consume BOOTSTRAP TOPIC PARTITIONS read_committed|read_uncommitted
//        kafka_probe … follow BOOTSTRAP TOPIC PARTITIONS COUNT
//        kafka_probe … produce BOOTSTRAP TOPIC PARTITION COMPRESSION
// FILE has client properties, name=value a line, of which those of security count.
// Lines of records: partition, offset, timestamp, key, value, headers (name=value), with tabs between; \N is null.
// `consume` ends at the end that each partition has, `follow` after COUNT records; `produce` reads timestamp, key,
// value, headers from standard input and sends them as one batch.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/kafka/native/fetch_consumer.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/record_batch_builder.h"

namespace {

using namespace yeoul;

constexpr std::string_view kNull = "\\N";
constexpr int kBrokerTimeoutMs = 10'000;

std::string_view part(const char* data, uint32_t size) {
  return data == nullptr ? kNull : std::string_view(data, size);
}

void print(const FetchedRun& run) {
  for (const FetchedRecord& record : run.run.records()) {
    std::cout << run.partition.partition << '\t' << record.offset << '\t' << record.timestamp_ms << '\t'
              << part(record.key, record.key_size) << '\t' << part(record.value, record.value_size);
    for (const FetchedHeader& header : run.run.headers().subspan(record.first_header, record.num_headers)) {
      std::cout << '\t' << header.name << '=' << part(header.value, header.value_size);
    }
    std::cout << '\n';
  }
  std::cout.flush();
}

/// What the command line says of connections.
LinkSettings& link_settings() {
  static LinkSettings settings;
  return settings;
}

void read_properties(const std::string& file) {
  OptionMap properties;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const size_t equals = line.find('=');
    if (equals != std::string::npos) properties[line.substr(0, equals)] = line.substr(equals + 1);
  }
  LinkSettings& settings = link_settings();
  settings.security = make_security_settings(properties, [](std::string_view name) { return std::string(name); });
  settings.canonical_bootstrap_names = properties["client.dns.lookup"] == "resolve_canonical_bootstrap_servers_only";
}

/// Reads until `count` records have come, or each partition's end was reached.
void consume(const std::string& bootstrap, const std::string& topic, int num_partitions, bool read_committed,
             size_t count) {
  FetchConsumerSettings settings;
  settings.bootstrap_servers = bootstrap;
  settings.link = link_settings();
  settings.fetch.read_committed = read_committed;
  FetchConsumer consumer(settings);
  for (int i = 0; i < num_partitions; ++i) consumer.assign({topic, i}, {});
  std::vector<bool> at_end(static_cast<size_t>(num_partitions));
  std::vector<FetchedRun> runs;
  for (size_t num_records = 0, num_open = at_end.size(); num_records < count && num_open > 0;) {
    consumer.poll(runs, -1);
    for (const FetchedRun& run : runs) {
      if (!run.error.empty()) throw external_error(4003, "{}", run.error);
      print(run);
      num_records += run.run.size();
      std::vector<bool>::reference end = at_end[static_cast<size_t>(run.partition.partition)];
      if (run.at_end && !end && count == SIZE_MAX) {
        end = true;
        --num_open;
        consumer.pause(run.partition);
      }
    }
  }
}

std::vector<std::string> columns_of(const std::string& line) {
  std::vector<std::string> columns;
  size_t begin = 0;
  for (size_t tab = line.find('\t'); tab != std::string::npos; begin = tab + 1, tab = line.find('\t', begin)) {
    columns.push_back(line.substr(begin, tab - begin));
  }
  columns.push_back(line.substr(begin));
  return columns;
}

std::string_view or_null(std::string_view text) {
  return text == kNull ? std::string_view() : text;
}

std::string read_batch(RecordBatchBuilder& builder) {
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> columns = columns_of(line);
    std::vector<std::pair<std::string_view, std::string_view>> headers;
    for (size_t i = 3; i < columns.size(); ++i) {
      const std::string_view header = columns[i];
      headers.emplace_back(header.substr(0, header.find('=')), or_null(header.substr(header.find('=') + 1)));
    }
    builder.append(std::stoll(columns.at(0)), or_null(columns.at(1)), or_null(columns.at(2)), headers);
  }
  std::string batch;
  builder.finish({}, batch);
  return batch;
}

int64_t produce(const std::string& bootstrap, const std::string& topic, int partition, const std::string& batch) {
  BufferPool pool(0);
  LinkLoop loop(system_clock(), link_settings(), pool);
  BrokerLink& link = loop.link(0, parse_bootstrap_servers(bootstrap).front());
  while (link.state() != BrokerLink::State::kReady) {
    if (!link.last_failure().empty()) throw external_error(4001, "{}", link.last_failure());
    loop.want(0);
    loop.turn(kNever);
  }
  ProduceRequest request;
  request.acks = -1;
  request.timeout_ms = kBrokerTimeoutMs;
  auto& data = request.topic_data.emplace_back();
  data.name = topic;
  data.partition_data.emplace_back().index = partition;
  data.partition_data.back().records = batch;
  constexpr int16_t kLastWithNames = 12;
  link.send(request, 1, system_clock().steady_ns(), kLastWithNames);
  std::vector<LinkAnswer> answers;
  while ((answers = link.take_answers()).empty()) loop.turn(kNever);
  if (!answers[0].failure.empty()) throw external_error(4006, "{}", answers[0].failure);
  const auto response = decode_response<ProduceRequest>(answers[0].version, answers[0].frame);
  const auto& result = response.responses.at(0).partition_responses.at(0);
  if (result.error_code != 0) {
    throw external_error(4006, "{}: {}", name_of(kafka_error(result.error_code)), result.error_message.value_or(""));
  }
  return result.base_offset;
}

int run(std::vector<std::string> arguments) {
  if (arguments.at(0) == "--properties") {
    read_properties(arguments.at(1));
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  const std::string& command = arguments.at(0);
  const std::string& bootstrap = arguments.at(1);
  const std::string& topic = arguments.at(2);
  const int number = std::stoi(arguments.at(3));
  if (command == "consume") {
    consume(bootstrap, topic, number, arguments.at(4) == "read_committed", SIZE_MAX);
  } else if (command == "follow") {
    consume(bootstrap, topic, number, false, std::stoul(arguments.at(4)));
  } else {
    RecordBatchBuilder builder(find_compression(arguments.at(4)).value());
    std::cout << produce(bootstrap, topic, number, read_batch(builder)) << '\n';
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  yeoul::set_log_level(yeoul::LogLevel::kInfo);  // connections that are lost
  try {
    return run({argv + 1, argv + argc});
  } catch (const yeoul::Error& error) {
    std::cerr << error.to_string() << '\n';
  } catch (const std::exception& error) {
    std::cerr << "kafka_probe: " << error.what() << '\n';
  }
  return 1;
}
