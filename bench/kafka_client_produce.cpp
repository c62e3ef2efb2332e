#include "kafka_client_produce.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "peers/sample_records.h"
#include "yeoul/common/error.h"
#include "yeoul/common/threads.h"
#include "yeoul/kafka/native/produce_client.h"

namespace {

using namespace yeoul;

void set(ProduceSettings& produce, std::string_view name, const std::string& value) {
  if (name == "acks") produce.acks = static_cast<int16_t>(value == "all" ? -1 : std::stoi(value));
  if (name == "enable.idempotence") produce.idempotent = value == "true";
  if (name == "linger.ms") produce.linger_ns = std::stoll(value) * kNanosPerMs;
  if (name == "batch.size") produce.batch_bytes = std::stoul(value);
  if (name == "buffer.memory") produce.buffer_bytes = std::stoul(value);
  if (name == "max.in.flight.requests.per.connection") produce.in_flight_max = std::stoul(value);
  if (name == "compression.type") produce.compression = find_compression(value).value();
}

/// A wait for what the producer's thread says.
struct Signal {
  WakeUp wake;
  std::atomic<bool> failed{false};
  void wait() {
    wake.wait({}, -1);
    if (failed) std::exit(1);
  }
};

}  // namespace

int bench_produce(int argc, char** argv) {
  if (argc < 6) {
    std::fprintf(stderr, "usage: bench_kafka_client produce BOOTSTRAP TOPIC PARTITIONS RECORDS [property=value]...\n");
    return 2;
  }
  ProduceClientSettings settings;
  settings.bootstrap_servers = argv[2];
  for (int i = 6; i < argc; ++i) {
    const std::string_view setting = argv[i];
    set(settings.produce, setting.substr(0, setting.find('=')), std::string(setting.substr(setting.find('=') + 1)));
  }
  const int num_partitions = std::atoi(argv[4]);
  const long long num_records = std::atoll(argv[5]);
  const SampleRecords samples;
  const double made = cpu_seconds();
  Signal signal;
  ProduceClient client(settings, {argv[3]},
                       {[&] { signal.wake.raise(); },
                        [&](const std::exception_ptr& error) {
                          try {
                            std::rethrow_exception(error);
                          } catch (const Error& failure) {
                            std::fprintf(stderr, "%s\n", failure.to_string().c_str());
                          }
                          signal.failed = true;
                          signal.wake.raise();
                        }});
  std::vector<ProducedRecord> run(SampleRecords::kRun);
  const double begin = wall_seconds();
  long long sent = 0;
  for (int partition = 0; sent < num_records; partition = (partition + 1) % num_partitions) {
    run.resize(static_cast<size_t>(std::min<long long>(SampleRecords::kRun, num_records - sent)));
    for (size_t i = 0; i < run.size(); ++i) {
      const size_t at = (static_cast<size_t>(sent) + i) % SampleRecords::kNumRecords;
      run[i].key = samples.keys[at];
      run[i].value = samples.values[at];
    }
    while (!client.has_room()) signal.wait();
    client.send(0, partition, run);
    sent += static_cast<long long>(run.size());
  }
  std::atomic<bool> flushed{false};
  client.flush([&] {
    flushed = true;
    signal.wake.raise();
  });
  while (!flushed) signal.wait();
  report_produced(sent, wall_seconds() - begin, cpu_seconds() - made);
  return 0;
}
