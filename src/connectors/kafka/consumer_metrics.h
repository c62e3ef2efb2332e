#pragma once

#include <cstdint>
#include <map>

#include "yeoul/common/metric_group.h"
#include "yeoul/connectors/kafka/client_metrics.h"
#include "yeoul/kafka/client/consumer.h"

namespace yeoul {

/// Metrics of a consumer under the names of Kafka's Java client, in the group KafkaConsumer (KD-073).
/// Threads: the consumer's; readers any.
class ConsumerMetrics {
 public:
  explicit ConsumerMetrics(MetricGroup& group);

  /// How many records of a partition are still to be read.
  void set_lag(const TopicPartition& partition, int64_t lag);
  void forget(const TopicPartition& partition);
  /// After each poll, at least once a second.
  void update(const ConsumerStats& stats, int64_t now_ns);

  static constexpr int64_t kUpdateMs = 1'000;

 private:
  MetricGroup& group_;
  ClientMetrics<ConsumerStats> client_;
  Gauge& last_poll_;
  Gauge& lag_max_;
  std::map<TopicPartition, Gauge*> lags_;
  int64_t polled_at_ns_ = 0;
};

}  // namespace yeoul
