#include "yeoul/connectors/kafka/consumer_metrics.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

TEST(ConsumerMetrics, TotalsRatesAndMeans) {
  MetricGroup group;
  ConsumerMetrics metrics(group);
  const auto value = [&](std::string_view name) { return group.gauge(name).value(); };
  ConsumerStats stats;
  metrics.update(stats, kSecond);
  stats.fetch = {.num_records = 600,
                 .num_bytes = 6'000,
                 .num_fetches = 3,
                 .fetched_bytes = 900,
                 .fetch_ns = kSecond * 3 / 10,
                 .longest_fetch_ns = kSecond / 5,
                 .num_requests = 7,
                 .sent_bytes = 70,
                 .received_bytes = 1'000,
                 .num_connections = 2};
  stats.num_commits = 2;
  stats.commit_ns = kSecond / 100;
  metrics.update(stats, kSecond * 3);
  EXPECT_EQ(value("records-consumed-total"), 600);
  EXPECT_EQ(value("bytes-consumed-total"), 6'000);
  EXPECT_EQ(value("fetch-total"), 3);
  EXPECT_EQ(value("commit-total"), 2);
  EXPECT_EQ(value("request-total"), 7);
  EXPECT_EQ(value("outgoing-byte-total"), 70);
  EXPECT_EQ(value("incoming-byte-total"), 1'000);
  EXPECT_EQ(value("connection-count"), 2);
  EXPECT_EQ(value("records-consumed-rate"), 300);
  EXPECT_EQ(value("bytes-consumed-rate"), 3'000);
  EXPECT_EQ(value("fetch-rate"), 2) << "1.5, rounded";
  EXPECT_EQ(value("commit-rate"), 1);
  EXPECT_EQ(value("fetch-latency-avg"), 100);
  EXPECT_EQ(value("fetch-latency-max"), 200);
  EXPECT_EQ(value("fetch-size-avg"), 300);
  EXPECT_EQ(value("records-per-request-avg"), 200);
  EXPECT_EQ(value("commit-latency-avg"), 5);
  EXPECT_EQ(value("last-poll-seconds-ago"), 2);
  // Half a minute later nothing of it is in the window.
  stats.fetch.longest_fetch_ns = 0;
  for (int64_t second = 4; second < 40; ++second) metrics.update(stats, kSecond * second);
  EXPECT_EQ(value("records-consumed-total"), 600);
  EXPECT_EQ(value("records-consumed-rate"), 0);
  EXPECT_EQ(value("fetch-latency-avg"), 0);
  EXPECT_EQ(value("fetch-latency-max"), 0);
}

TEST(ConsumerMetrics, TheLagIsThatOfTheWorstPartition) {
  MetricGroup group;
  ConsumerMetrics metrics(group);
  metrics.set_lag({"t", 0}, 5);
  metrics.set_lag({"t", 1}, 50);
  metrics.update({}, kSecond);
  EXPECT_EQ(group.gauge("records-lag-max").value(), 50);
  EXPECT_EQ(group.group("topic", "t").group("partition", "0").gauge("records-lag").value(), 5);
  metrics.forget({"t", 1});
  metrics.update({}, kSecond);
  EXPECT_EQ(group.gauge("records-lag-max").value(), 5);
  EXPECT_EQ(group.group("topic", "t").group("partition", "1").gauge("records-lag").value(), 0);
}

}  // namespace
}  // namespace yeoul
