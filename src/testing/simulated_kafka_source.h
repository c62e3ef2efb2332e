#pragma once

#include <memory>
#include <optional>
#include <string>

#include "yeoul/connectors/api/source.h"
#include "yeoul/testing/planted_bug.h"
#include "yeoul/testing/simulated_kafka.h"

namespace yeoul {

/// Reads an input topic of a SimulatedKafka to its end, as the Kafka source does: an enumerator lists partitions by
/// asynchronous I/O, readers fetch ahead and ask again where an answer is late. One thread.
class SimulatedKafkaSource final : public Source {
 public:
  struct Options {
    int topic = 0;
    int64_t fetch_records_max = 8;
    int64_t fetch_timeout_ms = 100;
    bool mix_splits = true;  ///< a batch may hold records of several partitions
    bool list_async = true;  ///< partitions are listed by I/O, not at once
    PlantedBug bug = PlantedBug::kNone;
  };

  SimulatedKafkaSource(SimulatedKafka& kafka, const Options& options) : kafka_(kafka), options_(options) {}

  bool bounded() const override { return true; }
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
