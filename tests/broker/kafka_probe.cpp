// kafka/native against a real broker, for the tests that compare it with Kafka's own tools.
// usage: kafka_probe [--properties FILE] [--set name=value]... [--trace] [--at OFFSET@EPOCH]
//          consume BOOTSTRAP TOPIC PARTITIONS read_committed|read_uncommitted
//          follow BOOTSTRAP TOPIC PARTITIONS COUNT
//          check BOOTSTRAP TOPIC PARTITIONS COUNT gaps|no-gaps
//          stream BOOTSTRAP TOPIC PARTITIONS
//          produce BOOTSTRAP TOPIC PARTITION COMPRESSION
// FILE has client properties under their Java names, name=value a line. --trace: requests go to standard error.
// --at: where to begin, and the epoch of the leader that wrote the record before it.
// Lines of records: partition, offset, timestamp, key, value, headers (name=value), with tabs between; \N is null.
// `consume` ends at the end that each partition has, `follow` after COUNT records; `produce` reads timestamp, key,
// value, headers from standard input and sends them as one batch. `check` reads what `produce_probe` writes by `!many`
// until it has COUNT records, and says whether each came once and in order; `stream` writes all records that there are
// as record_stream.h says.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record_stream.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/kafka/client/client_settings.h"
#include "yeoul/kafka/native/fetch_consumer.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/record_batch_builder.h"

namespace {

using namespace yeoul;

constexpr std::string_view kNull = "\\N";
constexpr int kBrokerTimeoutMs = 10'000;
constexpr size_t kProgress = 100'000;

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

/// Client properties of the command line.
OptionMap& properties() {
  static OptionMap properties;
  return properties;
}

/// Where reading begins.
FetchPosition& begin_position() {
  static FetchPosition position;
  return position;
}

void set_begin(const std::string& text) {
  begin_position() = {std::stoll(text), std::stoi(text.substr(text.find('@') + 1)), {}};
}

void set_property(const std::string& line) {
  const size_t equals = line.find('=');
  if (equals != std::string::npos) properties()[line.substr(0, equals)] = line.substr(equals + 1);
}

/// Reads all partitions from their beginnings until `on_run` says that it is enough.
template <class OnRun>
void read(const std::string& bootstrap, const std::string& topic, int num_partitions, const OnRun& on_run) {
  properties()["bootstrap.servers"] = bootstrap;
  FetchConsumerSettings settings = fetch_consumer_settings({"kafka_probe", ClientRole::kConsumer, properties()});
  settings.patience_ns = FetchConsumerSettings().patience_ns;
  FetchConsumer consumer(settings);
  for (int i = 0; i < num_partitions; ++i) consumer.assign({topic, i}, begin_position());
  std::vector<FetchedRun> runs;
  for (;;) {
    consumer.poll(runs, -1);
    for (const FetchedRun& run : runs) {
      if (!run.error.empty()) throw external_error(4003, "{}", run.error);
      if (!on_run(consumer, run)) return;
    }
  }
}

/// Reads until each partition's end was reached.
template <class OnRun>
void read_to_end(const std::string& bootstrap, const std::string& topic, int num_partitions, const OnRun& on_run) {
  std::vector<bool> at_end(static_cast<size_t>(num_partitions));
  size_t num_open = at_end.size();
  read(bootstrap, topic, num_partitions, [&](FetchConsumer& consumer, const FetchedRun& run) {
    on_run(run);
    std::vector<bool>::reference end = at_end[static_cast<size_t>(run.partition.partition)];
    if (!run.at_end || end) return true;
    end = true;
    consumer.pause(run.partition);
    return --num_open > 0;
  });
}

void follow(const std::string& bootstrap, const std::string& topic, int num_partitions, size_t count) {
  size_t num_records = 0;
  read(bootstrap, topic, num_partitions, [&](FetchConsumer&, const FetchedRun& run) {
    print(run);
    num_records += run.run.size();
    return num_records < count;
  });
}

void stream(const std::string& bootstrap, const std::string& topic, int num_partitions) {
  read_to_end(bootstrap, topic, num_partitions, [](const FetchedRun& run) {
    std::vector<std::pair<std::string_view, std::string_view>> headers;
    for (const FetchedRecord& record : run.records()) {
      headers.clear();
      for (const FetchedHeader& header : run.headers().subspan(record.first_header, record.num_headers)) {
        headers.emplace_back(header.name, std::string_view(header.value, header.value_size));
      }
      write_record(std::cout, record.timestamp_ms, {record.key, record.key_size}, {record.value, record.value_size},
                   headers);
    }
  });
  std::cout.flush();
}

/// Whether numbered records come once and in order.
class Checker {
 public:
  Checker(int num_partitions, size_t count, bool may_have_gaps)
      : may_have_gaps_(may_have_gaps), seen_(count), places_(static_cast<size_t>(num_partitions)) {}

  void take(const FetchedRun& run) {
    Place& place = places_[static_cast<size_t>(run.partition.partition)];
    for (const FetchedRecord& record : run.records()) {
      const auto number = std::stoull(std::string(record.value, std::min<size_t>(record.value_size, 20)));
      const bool in_order = record.offset >= place.next_offset && number >= place.next_number;
      const bool skipped = !may_have_gaps_ && record.offset != place.next_offset;
      if (!in_order || skipped || number >= seen_.size() || seen_[number]) {
        throw external_error(4003, "{}@{} has record {}: expected was offset {} with a record from {} on{}",
                             to_string(run.partition), record.offset, number, place.next_offset, place.next_number,
                             number < seen_.size() && seen_[number] ? "; it had come before" : "");
      }
      seen_[number] = true;
      place = {record.offset + 1, number + 1};
      ++num_records_;
    }
  }
  size_t num_records() const { return num_records_; }

 private:
  struct Place {
    int64_t next_offset = 0;
    uint64_t next_number = 0;
  };
  bool may_have_gaps_;
  std::vector<bool> seen_;
  std::vector<Place> places_;
  size_t num_records_ = 0;
};

void check(const std::string& bootstrap, const std::string& topic, int num_partitions, size_t count, bool gaps) {
  Checker checker(num_partitions, count, gaps);
  size_t told = 0;
  read(bootstrap, topic, num_partitions, [&](FetchConsumer&, const FetchedRun& run) {
    checker.take(run);
    if (checker.num_records() / kProgress > told / kProgress) {
      told = checker.num_records();
      log(LogLevel::kInfo, "probe", "{} records", told);
    }
    return checker.num_records() < count;
  });
  std::cout << count << " records, each once and in order\n";
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
  properties()["bootstrap.servers"] = bootstrap;
  const ClientProperties admin("kafka_probe", ClientRole::kAdmin, properties());
  LinkLoop loop(system_clock(), cluster_client_settings(admin).link, pool);
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

void read_options(std::vector<std::string>& arguments) {
  while (arguments.at(0).starts_with("--")) {
    const std::string option = arguments[0];
    arguments.erase(arguments.begin());
    if (option == "--trace") {
      set_log_level(LogLevel::kTrace);
      continue;
    }
    if (option == "--set") set_property(arguments.at(0));
    if (option == "--at") set_begin(arguments.at(0));
    if (option == "--properties") {
      std::ifstream in(arguments.at(0));
      for (std::string line; std::getline(in, line);) set_property(line);
    }
    arguments.erase(arguments.begin());
  }
}

int run(std::vector<std::string> arguments) {
  read_options(arguments);
  const std::string& command = arguments.at(0);
  const std::string& bootstrap = arguments.at(1);
  const std::string& topic = arguments.at(2);
  const int number = std::stoi(arguments.at(3));
  if (command == "consume") {
    properties()["isolation.level"] = arguments.at(4);
    read_to_end(bootstrap, topic, number, print);
  } else if (command == "follow") {
    follow(bootstrap, topic, number, std::stoul(arguments.at(4)));
  } else if (command == "check") {
    check(bootstrap, topic, number, std::stoul(arguments.at(4)), arguments.at(5) == "gaps");
  } else if (command == "stream") {
    stream(bootstrap, topic, number);
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
