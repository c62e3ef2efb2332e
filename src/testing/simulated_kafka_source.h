#pragma once

#include <memory>
#include <optional>
#include <string>

#include "yeoul/connectors/api/source.h"
#include "yeoul/testing/planted_bug.h"
#include "yeoul/testing/simulated_kafka.h"

namespace yeoul {

/// Reads an input topic of a SimulatedKafka as the Kafka source does: an enumerator lists partitions by asynchronous
/// I/O, readers fetch ahead and ask again where an answer is late. A bounded one reads the partitions there are to
/// their ends. An unbounded one looks for new partitions again and again, and goes on until the topic is closed. One
/// thread.
class SimulatedKafkaSource final : public Source {
 public:
  struct Options {
    int topic = 0;
    int64_t fetch_records_max = 8;
    int64_t fetch_timeout_ms = 100;
    bool mix_splits = true;             ///< a batch may hold records of several partitions
    bool list_async = true;             ///< partitions are listed by I/O, not at once
    int64_t discovery_interval_ms = 0;  ///< of an unbounded source; 0: it is bounded
    PlantedBug bug = PlantedBug::kNone;
  };

  SimulatedKafkaSource(SimulatedKafka& kafka, const Options& options) : kafka_(kafka), options_(options) {}

  bool bounded() const override { return options_.discovery_interval_ms == 0; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override;
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override;

 private:
  class Enumerator;
  class Reader;

  SimulatedKafka& kafka_;
  Options options_;
};

}  // namespace yeoul
