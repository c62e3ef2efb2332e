#include "yeoul/connectors/kafka/client_metrics.h"

#include <gtest/gtest.h>

#include "yeoul/connectors/kafka/consumer_metrics.h"
#include "yeoul/connectors/kafka/producer_metrics.h"

namespace yeoul {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

int64_t value_of(MetricGroup& group, std::string_view name) {
  return group.gauge(name).value();
}

TEST(ClientMetrics, TotalsRatesMeansAndMaxima) {
  struct Stats {
    int64_t count = 0;
    int64_t taken_ns = 0;
    int64_t longest_ns = 0;
  };
  MetricGroup group;
  ClientMetrics<Stats> metrics(group);
  metrics.add_total("total", &Stats::count);
  metrics.add_rate("rate", &Stats::count);
  metrics.add_mean("avg", &Stats::taken_ns, &Stats::count, 1'000'000);
  metrics.add_maximum("max", &Stats::longest_ns, 1'000'000);
  const auto expect = [&](int64_t total, int64_t rate, int64_t mean, int64_t maximum) {
    EXPECT_EQ(value_of(group, "total"), total);
    EXPECT_EQ(value_of(group, "rate"), rate);
    EXPECT_EQ(value_of(group, "avg"), mean);
    EXPECT_EQ(value_of(group, "max"), maximum);
  };
  metrics.update({}, kSecondNs);
  expect(0, 0, 0, 0);
  Stats stats{.count = 3, .taken_ns = kSecondNs * 3 / 10, .longest_ns = kSecondNs / 5};
  metrics.update(stats, kSecondNs * 3);
  expect(3, 2, 100, 200);  // 1.5 a second, rounded
  // The rest is looked at once a second, and what came in between counts then.
  stats.longest_ns = kSecondNs;
  stats.count = 4;
  metrics.update(stats, kSecondNs * 7 / 2);
  expect(4, 2, 100, 200);
  stats.longest_ns = 0;
  metrics.update(stats, kSecondNs * 4);
  expect(4, 1, 75, 1'000);
  // Half a minute later nothing of it is in the window.
  for (int64_t second = 5; second < 40; ++second) metrics.update(stats, kSecondNs * second);
  expect(4, 0, 0, 0);
}

TEST(ConsumerMetrics, HaveTheNamesOfTheJavaClient) {
  MetricGroup group;
  ConsumerMetrics metrics(group);
  metrics.update({}, kSecondNs);
  ConsumerStats stats{{.num_records = 600,
                       .num_bytes = 6'000,
                       .num_fetches = 3,
                       .fetched_bytes = 900,
                       .fetch_ns = kSecondNs * 3 / 10,
                       .longest_fetch_ns = kSecondNs / 5,
                       .num_requests = 7,
                       .sent_bytes = 70,
                       .received_bytes = 1'000,
                       .num_connections = 2}};
  stats.num_commits = 2;
  stats.commit_ns = kSecondNs / 100;
  metrics.update(stats, kSecondNs * 3);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<std::string_view, int64_t>>{{"records-consumed-total", 600},
                                                                   {"bytes-consumed-total", 6'000},
                                                                   {"fetch-total", 3},
                                                                   {"commit-total", 2},
                                                                   {"request-total", 7},
                                                                   {"outgoing-byte-total", 70},
                                                                   {"incoming-byte-total", 1'000},
                                                                   {"connection-count", 2},
                                                                   {"records-consumed-rate", 300},
                                                                   {"bytes-consumed-rate", 3'000},
                                                                   {"fetch-rate", 2},
                                                                   {"commit-rate", 1},
                                                                   {"fetch-latency-avg", 100},
                                                                   {"fetch-latency-max", 200},
                                                                   {"fetch-size-avg", 300},
                                                                   {"records-per-request-avg", 200},
                                                                   {"commit-latency-avg", 5},
                                                                   {"last-poll-seconds-ago", 2}}) {
    EXPECT_EQ(value_of(group, name), value) << name;
  }
}

TEST(ConsumerMetrics, TheLagIsThatOfTheWorstPartition) {
  MetricGroup group;
  ConsumerMetrics metrics(group);
  metrics.set_lag({"t", 0}, 5);
  metrics.set_lag({"t", 1}, 50);
  metrics.update({}, kSecondNs);
  EXPECT_EQ(value_of(group, "records-lag-max"), 50);
  EXPECT_EQ(group.group("topic", "t").group("partition", "0").gauge("records-lag").value(), 5);
  metrics.forget({"t", 1});
  metrics.update({}, kSecondNs);
  EXPECT_EQ(value_of(group, "records-lag-max"), 5);
  EXPECT_EQ(group.group("topic", "t").group("partition", "1").gauge("records-lag").value(), 0);
}

TEST(ProducerMetrics, HaveTheNamesOfTheJavaClient) {
  MetricGroup group;
  ProducerMetrics metrics(group);
  metrics.update({}, kSecondNs);
  metrics.update({.num_records = 600,
                  .num_batches = 6,
                  .batch_bytes = 6'600,
                  .largest_batch_bytes = 2'000,
                  .queue_ns = 6 * kSecondNs / 50,
                  .longest_queue_ns = kSecondNs / 20,
                  .num_produce_requests = 3,
                  .num_answers = 3,
                  .answer_ns = kSecondNs * 3 / 10,
                  .longest_answer_ns = kSecondNs / 5,
                  .num_failed = 8,
                  .num_repeated = 100,
                  .flush_ns = 12,
                  .commit_ns = 13,
                  .buffer_bytes = 1'000,
                  .waiting_bytes = 300,
                  .num_requests = 5,
                  .sent_bytes = 7'000,
                  .received_bytes = 100,
                  .num_connections = 2},
                 kSecondNs * 3);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<std::string_view, int64_t>>{{"record-send-total", 600},
                                                                   {"record-send-rate", 300},
                                                                   {"record-error-total", 8},
                                                                   {"record-retry-total", 100},
                                                                   {"record-queue-time-avg", 20},
                                                                   {"record-queue-time-max", 50},
                                                                   {"request-latency-avg", 100},
                                                                   {"request-latency-max", 200},
                                                                   {"batch-size-avg", 1'100},
                                                                   {"batch-size-max", 2'000},
                                                                   {"records-per-request-avg", 200},
                                                                   {"outgoing-byte-total", 7'000},
                                                                   {"outgoing-byte-rate", 3'500},
                                                                   {"buffer-total-bytes", 1'000},
                                                                   {"buffer-available-bytes", 700},
                                                                   {"flush-time-ns-total", 12},
                                                                   {"txn-commit-time-ns-total", 13},
                                                                   {"connection-count", 2}}) {
    EXPECT_EQ(value_of(group, name), value) << name;
  }
}

}  // namespace
}  // namespace yeoul
