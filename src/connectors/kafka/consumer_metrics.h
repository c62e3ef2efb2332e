#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "yeoul/common/metric_group.h"
#include "yeoul/connectors/kafka/stats_window.h"
#include "yeoul/kafka/client/consumer.h"

namespace yeoul {

/// Metrics of a consumer under the names of Kafka's Java client, in the group KafkaConsumer (KD-073). Rates, means and
/// maxima are those of the last half minute, whole numbers. Threads: the consumer's; readers any.
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
  enum Total { kRecords, kBytes, kFetches, kCommits, kRequests, kReceived, kSent, kNumTotals };
  enum Rate { kRecordsRate, kBytesRate, kFetchRate, kCommitRate, kNumRates };
  enum Mean { kFetchLatency, kFetchSize, kRecordsPerRequest, kCommitLatency, kNumMeans };

  void update_window(const ConsumerStats& stats);

  MetricGroup& group_;
  std::array<Gauge*, kNumTotals> totals_{};
  std::array<Gauge*, kNumRates> rates_{};
  std::array<Gauge*, kNumMeans> means_{};
  Gauge& longest_fetch_;
  Gauge& connections_;
  Gauge& last_poll_;
  Gauge& lag_max_;
  std::map<TopicPartition, Gauge*> lags_;
  StatsWindow<ConsumerStats> window_;
  int64_t polled_at_ns_ = 0;
};

}  // namespace yeoul
