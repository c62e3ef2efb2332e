// Yeoul's own Kafka client beside librdkafka's (kafka_consume): reads a whole topic and does nothing but add up the
// sizes of keys and values, which every record's spans say. usage: bench_kafka_client BOOTSTRAP TOPIC PARTITIONS ROUNDS
// [property=value]… Properties: check.crcs, isolation.level, max.partition.fetch.bytes, fetch.max.bytes,
// buffered.bytes; others have no effect. `bench_kafka_client produce` writes instead: kafka_client_produce.cpp.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "kafka_client_produce.h"
#include "yeoul/common/error.h"
#include "yeoul/kafka/native/fetch_consumer.h"

namespace {

using namespace yeoul;

void set(FetchSettings& fetch, std::string_view name, const std::string& value) {
  if (name == "check.crcs") fetch.check_crcs = value == "true";
  if (name == "isolation.level") fetch.read_committed = value == "read_committed";
  if (name == "max.partition.fetch.bytes") fetch.partition_max_bytes = std::stoi(value);
  if (name == "fetch.max.bytes") fetch.max_bytes = std::stoi(value);
  if (name == "buffered.bytes") fetch.buffered_bytes_max = std::stoul(value);
}

struct Sum {
  uint64_t records = 0;
  uint64_t bytes = 0;
};

/// Reads every partition from its beginning to the end it has.
void read_all(const FetchConsumerSettings& settings, const std::string& topic, int num_partitions, Sum& sum) {
  FetchConsumer consumer(settings);
  for (int i = 0; i < num_partitions; ++i) consumer.assign({topic, i}, {});
  std::vector<FetchedRun> runs;
  std::vector<char> ended(static_cast<size_t>(num_partitions));
  for (int num_open = num_partitions; num_open > 0;) {
    consumer.poll(runs, -1);
    for (const FetchedRun& run : runs) {
      if (!run.error.empty()) throw external_error(4003, "{}", run.error);
      uint64_t bytes = 0;
      for (const FetchedRecord& record : run.run.records()) bytes += record.key_size + record.value_size;
      sum.bytes += bytes;
      sum.records += run.run.size();
      char& end = ended[static_cast<size_t>(run.partition.partition)];
      if (run.at_end && end == 0) {
        end = 1;
        --num_open;
        consumer.pause(run.partition);
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "produce") return bench_produce(argc, argv);
  if (argc < 5) {
    std::fprintf(stderr, "usage: bench_kafka_client BOOTSTRAP TOPIC PARTITIONS ROUNDS [property=value]...\n");
    return 2;
  }
  try {
    FetchConsumerSettings settings;
    settings.bootstrap_servers = argv[1];
    for (int i = 5; i < argc; ++i) {
      const std::string_view setting = argv[i];
      set(settings.fetch, setting.substr(0, setting.find('=')), std::string(setting.substr(setting.find('=') + 1)));
    }
    Sum sum;
    for (int round = 0; round < std::atoi(argv[4]); ++round) read_all(settings, argv[2], std::atoi(argv[3]), sum);
    std::printf("%llu records, %llu bytes\n", static_cast<unsigned long long>(sum.records),
                static_cast<unsigned long long>(sum.bytes));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_kafka_client: %s\n", error.what());
    return 1;
  }
}
