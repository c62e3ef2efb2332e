#pragma once

#include <memory>
#include <string>

#include "yeoul/connectors/api/sink.h"
#include "yeoul/testing/planted_bug.h"
#include "yeoul/testing/simulated_kafka.h"

namespace yeoul {

/// Writes an output topic of a SimulatedKafka as the Kafka sink does: requests under way up to a bound, sent again
/// until they are acknowledged. One thread.
class SimulatedKafkaSink final : public Sink {
 public:
  enum class Guarantee {
    kAtLeastOnce,  ///< records may come twice
    kUpsertByKey,  ///< idempotent; the last record of a key counts
    kUpsertById,   ///< the same by `id`
    kExactlyOnce,  ///< transactions, committed when the checkpoint is complete
  };
  struct Options {
    int topic = 0;
    Guarantee guarantee = Guarantee::kAtLeastOnce;
    size_t requests_max = 5;  ///< under way
    int64_t timeout_ms = 50;  ///< then a request is sent again
    PlantedBug bug = PlantedBug::kNone;
  };

  SimulatedKafkaSink(SimulatedKafka& kafka, const Options& options) : kafka_(kafka), options_(options) {}

  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override;
  std::unique_ptr<Committer> create_committer() const override;

 private:
  class Writer;
  class TransactionCommitter;

  SimulatedKafka& kafka_;
  Options options_;
};

}  // namespace yeoul
