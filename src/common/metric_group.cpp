#include "yeoul/common/metric_group.h"

#include <algorithm>

namespace yeoul {

Counter& MetricGroup::counter(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  for (auto& [known, counter] : counters_) {
    if (known == name) return counter;
  }
  return counters_.emplace_back(std::piecewise_construct, std::tuple(name), std::tuple()).second;
}

Gauge& MetricGroup::gauge(std::string_view name, int64_t initial) {
  const std::scoped_lock lock(mutex_);
  for (auto& [known, gauge] : gauges_) {
    if (known == name) return gauge;
  }
  return gauges_.emplace_back(std::piecewise_construct, std::tuple(name), std::tuple(initial)).second;
}

MetricGroup& MetricGroup::group(std::string_view variable, std::string_view value) {
  const std::scoped_lock lock(mutex_);
  for (const Inner& inner : groups_) {
    if (inner.name == variable && inner.value == value) return *inner.group;
  }
  groups_.push_back({std::string(variable), std::string(value), std::make_unique<MetricGroup>()});
  return *groups_.back().group;
}

void MetricGroup::clear() {
  const std::scoped_lock lock(mutex_);
  counters_.clear();
  gauges_.clear();
  groups_.clear();
}

void MetricGroup::report(const std::shared_ptr<const MetricScope>& scope, MetricReport& out) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, counter] : counters_) out.push_back({scope, name, static_cast<double>(counter.value())});
  for (const auto& [name, gauge] : gauges_) out.push_back({scope, name, static_cast<double>(gauge.value())});
  for (const Inner& inner : groups_) {
    auto below = std::make_shared<MetricScope>(*scope);
    below->name += "." + inner.name;
    if (!inner.value.empty()) below->variables.emplace_back(inner.name, inner.value);
    inner.group->report(below, out);
  }
}

}  // namespace yeoul
