#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "yeoul/common/metric_group.h"

namespace yeoul {

/// Metrics made of what a client of Kafka's counts, of sums that only grow and of the largest since it was asked last:
/// totals as they are; rates, means and maxima of the last half minute, whole numbers. Threads: the client's; readers
/// any.
template <class Stats>
class ClientMetrics {
 public:
  using Value = int64_t Stats::*;
  static constexpr int64_t kNanosPerMilli = 1'000'000;

  explicit ClientMetrics(MetricGroup& group) : group_(group) {}

  void add_total(std::string_view name, Value value) { totals_.push_back({&group_.gauge(name), value}); }
  void add_rate(std::string_view name, Value value) { rates_.push_back({&group_.gauge(name), value}); }
  /// @param unit  what 1 of the gauge is
  void add_mean(std::string_view name, Value sum, Value count, int64_t unit = 1) {
    means_.push_back({&group_.gauge(name), sum, count, unit});
  }
  void add_maximum(std::string_view name, Value largest, int64_t unit = 1) {
    maxima_.push_back({&group_.gauge(name), largest, unit});
  }

  /// At least once a second.
  void update(const Stats& stats, int64_t now_ns) {
    for (const Total& total : totals_) total.gauge->set(stats.*total.value);
    if (samples_.empty()) samples_.push_back({now_ns, {}});  // as if nothing had been done yet
    if (now_ns - samples_.back().at_ns < kStepNs) {
      for (const Maximum& maximum : maxima_) {
        int64_t& kept = samples_.back().stats.*maximum.largest;
        kept = std::max(kept, stats.*maximum.largest);
      }
      return;
    }
    samples_.push_back({now_ns, stats});
    if (samples_.size() > kSteps + 1) samples_.erase(samples_.begin());
    update_window(stats, samples_.front().stats, now_ns - samples_.front().at_ns);
  }

 private:
  static constexpr int64_t kStepNs = 1'000'000'000;
  static constexpr size_t kSteps = 30;

  struct Total {
    Gauge* gauge;
    Value value;
  };
  struct Mean {
    Gauge* gauge;
    Value sum;
    Value count;
    int64_t unit;
  };
  struct Maximum {
    Gauge* gauge;
    Value largest;
    int64_t unit;
  };
  struct Sample {
    int64_t at_ns = 0;
    Stats stats;
  };

  void update_window(const Stats& stats, const Stats& old, int64_t elapsed_ns) {
    const double seconds = static_cast<double>(elapsed_ns) / 1e9;
    for (const Total& rate : rates_) {
      const auto grown = static_cast<double>(stats.*rate.value - old.*rate.value);
      rate.gauge->set(static_cast<int64_t>(grown / seconds + 0.5));
    }
    for (const Mean& mean : means_) {
      const int64_t count = stats.*mean.count - old.*mean.count;
      mean.gauge->set(count > 0 ? (stats.*mean.sum - old.*mean.sum + count / 2) / count / mean.unit : 0);
    }
    for (const Maximum& maximum : maxima_) {
      int64_t largest = 0;
      for (const Sample& sample : samples_) largest = std::max(largest, sample.stats.*maximum.largest);
      maximum.gauge->set(largest / maximum.unit);
    }
  }

  MetricGroup& group_;
  std::vector<Total> totals_;
  std::vector<Total> rates_;
  std::vector<Mean> means_;
  std::vector<Maximum> maxima_;
  std::vector<Sample> samples_;  ///< a second or more apart, the oldest first
};

}  // namespace yeoul
