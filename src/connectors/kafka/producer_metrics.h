#pragma once

#include <cstdint>

#include "yeoul/common/metric_group.h"
#include "yeoul/connectors/kafka/client_metrics.h"
#include "yeoul/kafka/native/produce_stats.h"

namespace yeoul {

/// Metrics of a producer under the names of Kafka's Java client, in the group KafkaProducer (KD-134).
/// Threads: the producer's; readers any.
class ProducerMetrics {
 public:
  explicit ProducerMetrics(MetricGroup& group);

  /// At least once a second.
  void update(const ProduceStats& stats, int64_t now_ns);

 private:
  ClientMetrics<ProduceStats> client_;
  Gauge& available_;
};

}  // namespace yeoul
