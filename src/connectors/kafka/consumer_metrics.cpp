#include "yeoul/connectors/kafka/consumer_metrics.h"

#include <algorithm>
#include <string>

namespace yeoul {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

ConsumerMetrics::ConsumerMetrics(MetricGroup& group)
    : group_(group),
      client_(group),
      last_poll_(group.gauge("last-poll-seconds-ago")),
      lag_max_(group.gauge("records-lag-max")) {
  using Stats = ConsumerStats;
  constexpr int64_t kMilli = ClientMetrics<Stats>::kNanosPerMilli;
  client_.add_total("records-consumed-total", &Stats::num_records);
  client_.add_total("bytes-consumed-total", &Stats::num_bytes);
  client_.add_total("fetch-total", &Stats::num_fetches);
  client_.add_total("commit-total", &Stats::num_commits);
  client_.add_total("request-total", &Stats::num_requests);
  client_.add_total("incoming-byte-total", &Stats::received_bytes);
  client_.add_total("outgoing-byte-total", &Stats::sent_bytes);
  client_.add_total("connection-count", &Stats::num_connections);
  client_.add_rate("records-consumed-rate", &Stats::num_records);
  client_.add_rate("bytes-consumed-rate", &Stats::num_bytes);
  client_.add_rate("fetch-rate", &Stats::num_fetches);
  client_.add_rate("commit-rate", &Stats::num_commits);
  client_.add_mean("fetch-latency-avg", &Stats::fetch_ns, &Stats::num_fetches, kMilli);
  client_.add_mean("fetch-size-avg", &Stats::fetched_bytes, &Stats::num_fetches);
  client_.add_mean("records-per-request-avg", &Stats::num_records, &Stats::num_fetches);
  client_.add_mean("commit-latency-avg", &Stats::commit_ns, &Stats::num_commits, kMilli);
  client_.add_maximum("fetch-latency-max", &Stats::longest_fetch_ns, kMilli);
}

void ConsumerMetrics::set_lag(const TopicPartition& partition, int64_t lag) {
  Gauge*& gauge = lags_[partition];
  if (gauge == nullptr) {
    gauge = &group_.group("topic", partition.topic)
                 .group("partition", std::to_string(partition.partition))
                 .gauge("records-lag");
  }
  gauge->set(lag);
}

void ConsumerMetrics::forget(const TopicPartition& partition) {
  const auto found = lags_.find(partition);
  if (found == lags_.end()) return;
  found->second->set(0);
  lags_.erase(found);
}

void ConsumerMetrics::update(const ConsumerStats& stats, int64_t now_ns) {
  client_.update(stats, now_ns);
  if (polled_at_ns_ != 0) last_poll_.set((now_ns - polled_at_ns_) / kNanosPerSecond);
  polled_at_ns_ = now_ns;
  int64_t lag_max = 0;
  for (const auto& [partition, lag] : lags_) lag_max = std::max(lag_max, lag->value());
  lag_max_.set(lag_max);
}

}  // namespace yeoul
