#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/common/metric_report.h"
#include "yeoul/common/metrics.h"

namespace yeoul {

/// Metrics that are registered by name while a job runs, in groups (Flink's MetricGroup): a connector's own beside
/// those that every source and sink has. References stay valid until clear(). Threads: any.
class MetricGroup {
 public:
  /// The counter or gauge of that name, made at its first use.
  Counter& counter(std::string_view name);
  Gauge& gauge(std::string_view name, int64_t initial = 0);
  /// A group inside: its name becomes part of the scope.
  MetricGroup& group(std::string_view name) { return group(name, {}); }
  /// One of several groups that a variable tells apart: the variable's name becomes part of the scope, its value a
  /// variable of the metrics, e.g. ("topic", "pageviews").
  MetricGroup& group(std::string_view variable, std::string_view value);
  /// Forgets all of it. Nobody may hold a reference any more.
  void clear();
  /// Appends all values, in scopes below the given one.
  void report(const std::shared_ptr<const MetricScope>& scope, MetricReport& out) const;

 private:
  struct Inner {
    std::string name;
    std::string value;
    std::unique_ptr<MetricGroup> group;
  };

  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, Counter>> counters_;
  std::deque<std::pair<std::string, Gauge>> gauges_;
  std::vector<Inner> groups_;
};

}  // namespace yeoul
