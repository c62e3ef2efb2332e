#pragma once

#include <array>
#include <cstdint>

#include "yeoul/common/metric_group.h"
#include "yeoul/connectors/kafka/stats_window.h"
#include "yeoul/kafka/native/produce_stats.h"

namespace yeoul {

/// Metrics of a producer under the names of Kafka's Java client, in the group KafkaProducer (KD-134). Rates, means and
/// maxima are those of the last half minute, whole numbers. Threads: the producer's; readers any.
class ProducerMetrics {
 public:
  explicit ProducerMetrics(MetricGroup& group);

  /// At least once a second.
  void update(const ProduceStats& stats, int64_t now_ns);

 private:
  struct Total {
    Gauge* gauge;
    int64_t ProduceStats::*value;
  };
  struct Mean {
    Gauge* gauge;
    int64_t ProduceStats::*sum;
    int64_t ProduceStats::*count;
    int64_t unit;
  };
  struct Longest {
    Gauge* gauge;
    int64_t ProduceStats::*value;
    int64_t unit;
  };

  std::array<Total, 12> totals_;
  std::array<Total, 7> rates_;
  std::array<Mean, 4> means_;
  std::array<Longest, 3> maxima_;
  Gauge& available_;
  StatsWindow<ProduceStats> window_;
};

}  // namespace yeoul
