#include "yeoul/connectors/kafka/consumer_metrics.h"

#include <algorithm>
#include <string>

namespace yeoul {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kNanosPerMilli = 1'000'000;

}  // namespace

ConsumerMetrics::ConsumerMetrics(MetricGroup& group)
    : group_(group),
      longest_fetch_(group.gauge("fetch-latency-max")),
      connections_(group.gauge("connection-count")),
      last_poll_(group.gauge("last-poll-seconds-ago")),
      lag_max_(group.gauge("records-lag-max")) {
  totals_ = {
      &group.gauge("records-consumed-total"), &group.gauge("bytes-consumed-total"), &group.gauge("fetch-total"),
      &group.gauge("commit-total"),           &group.gauge("request-total"),        &group.gauge("incoming-byte-total"),
      &group.gauge("outgoing-byte-total")};
  rates_ = {&group.gauge("records-consumed-rate"), &group.gauge("bytes-consumed-rate"), &group.gauge("fetch-rate"),
            &group.gauge("commit-rate")};
  means_ = {&group.gauge("fetch-latency-avg"), &group.gauge("fetch-size-avg"), &group.gauge("records-per-request-avg"),
            &group.gauge("commit-latency-avg")};
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
  const FetchStats& fetch = stats.fetch;
  const std::array<int64_t, kNumTotals> totals{fetch.num_records, fetch.num_bytes,    fetch.num_fetches,
                                               stats.num_commits, fetch.num_requests, fetch.received_bytes,
                                               fetch.sent_bytes};
  for (size_t i = 0; i < kNumTotals; ++i) totals_[i]->set(totals[i]);
  connections_.set(fetch.num_connections);
  if (polled_at_ns_ != 0) last_poll_.set((now_ns - polled_at_ns_) / kNanosPerSecond);
  polled_at_ns_ = now_ns;
  int64_t lag_max = 0;
  for (const auto& [partition, lag] : lags_) lag_max = std::max(lag_max, lag->value());
  lag_max_.set(lag_max);
  if (window_.add(stats, now_ns)) return update_window(stats);
  int64_t& longest = window_.newest().fetch.longest_fetch_ns;
  longest = std::max(longest, fetch.longest_fetch_ns);
}

void ConsumerMetrics::update_window(const ConsumerStats& stats) {
  const ConsumerStats& old = window_.oldest();
  const int64_t elapsed_ns = window_.elapsed_ns();
  const int64_t records = stats.fetch.num_records - old.fetch.num_records;
  const int64_t fetches = stats.fetch.num_fetches - old.fetch.num_fetches;
  const int64_t commits = stats.num_commits - old.num_commits;
  rates_[kRecordsRate]->set(per_second(records, elapsed_ns));
  rates_[kBytesRate]->set(per_second(stats.fetch.num_bytes - old.fetch.num_bytes, elapsed_ns));
  rates_[kFetchRate]->set(per_second(fetches, elapsed_ns));
  rates_[kCommitRate]->set(per_second(commits, elapsed_ns));
  means_[kFetchLatency]->set(mean_of(stats.fetch.fetch_ns - old.fetch.fetch_ns, fetches) / kNanosPerMilli);
  means_[kFetchSize]->set(mean_of(stats.fetch.fetched_bytes - old.fetch.fetched_bytes, fetches));
  means_[kRecordsPerRequest]->set(mean_of(records, fetches));
  means_[kCommitLatency]->set(mean_of(stats.commit_ns - old.commit_ns, commits) / kNanosPerMilli);
  int64_t longest_ns = 0;
  for (const auto& sample : window_.samples()) longest_ns = std::max(longest_ns, sample.stats.fetch.longest_fetch_ns);
  longest_fetch_.set(longest_ns / kNanosPerMilli);
}

}  // namespace yeoul
