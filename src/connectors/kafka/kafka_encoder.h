#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yeoul/connectors/kafka/sink_topics.h"
#include "yeoul/kafka/client/producer.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// Turns a batch into records to send. Holds what records() points to until the next encode(). Threads: one.
class KafkaEncoder {
 public:
  /// In partitions(): the writer chooses, by the sink's partitioner.
  static constexpr int32_t kWriterChooses = -1;

  virtual ~KafkaEncoder() = default;
  /// False: partitions were asked for that `topics` does not know yet; once it does, goes on with the same batch.
  /// @throws user error 3200 for what cannot be written
  virtual bool encode(const BatchPtr& batch, SinkTopics& topics) = 0;
  virtual const std::vector<ProducedRecord>& records() const = 0;
  /// For each record the index of its topic; empty: all go to topic 0.
  virtual const std::vector<uint32_t>& topics() const = 0;
  /// For each record its partition or kWriterChooses; empty: the writer chooses for all.
  virtual const std::vector<int32_t>& partitions() const = 0;
};

/// Makes the encoders of a sink's writers. Const, shared by tasks.
class KafkaEncoderFactory {
 public:
  virtual ~KafkaEncoderFactory() = default;
  virtual std::unique_ptr<KafkaEncoder> create(int subtask, int parallelism) const = 0;
};

}  // namespace yeoul
