#pragma once

#include <vector>

#include "yeoul/kafka/client/producer.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// Turns a batch into records to send. Holds what records() points to until the next encode(). Threads: one.
class KafkaEncoder {
 public:
  virtual ~KafkaEncoder() = default;
  /// @throws user error 3200 for what cannot be written
  virtual void encode(const BatchPtr& batch) = 0;
  virtual const std::vector<ProducedRecord>& records() const = 0;
  /// For each record the index of its topic; empty: all go to topic 0.
  virtual const std::vector<uint32_t>& topics() const = 0;
};

}  // namespace yeoul
