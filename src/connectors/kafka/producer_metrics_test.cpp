#include "yeoul/connectors/kafka/producer_metrics.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

TEST(ProducerMetrics, TotalsRatesAndMeans) {
  MetricGroup group;
  ProducerMetrics metrics(group);
  const auto value = [&](std::string_view name) { return group.gauge(name).value(); };
  metrics.update({}, kSecondNs);
  ProduceStats stats{.num_records = 600,
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
                     .num_connections = 2};
  metrics.update(stats, kSecondNs * 3);
  EXPECT_EQ(value("record-send-total"), 600);
  EXPECT_EQ(value("record-send-rate"), 300);
  EXPECT_EQ(value("record-error-total"), 8);
  EXPECT_EQ(value("record-retry-total"), 100);
  EXPECT_EQ(value("record-queue-time-avg"), 20);
  EXPECT_EQ(value("record-queue-time-max"), 50);
  EXPECT_EQ(value("request-latency-avg"), 100);
  EXPECT_EQ(value("request-latency-max"), 200);
  EXPECT_EQ(value("batch-size-avg"), 1'100);
  EXPECT_EQ(value("batch-size-max"), 2'000);
  EXPECT_EQ(value("records-per-request-avg"), 200);
  EXPECT_EQ(value("outgoing-byte-total"), 7'000);
  EXPECT_EQ(value("outgoing-byte-rate"), 3'500);
  EXPECT_EQ(value("buffer-total-bytes"), 1'000);
  EXPECT_EQ(value("buffer-available-bytes"), 700);
  EXPECT_EQ(value("flush-time-ns-total"), 12);
  EXPECT_EQ(value("txn-commit-time-ns-total"), 13);
  EXPECT_EQ(value("connection-count"), 2);
  // A report within the second counts for the maxima, too.
  stats.longest_answer_ns = kSecondNs;
  metrics.update(stats, kSecondNs * 7 / 2);
  EXPECT_EQ(value("request-latency-max"), 200) << "looked at once a second";
  stats.longest_answer_ns = stats.longest_queue_ns = stats.largest_batch_bytes = 0;
  metrics.update(stats, kSecondNs * 4);
  EXPECT_EQ(value("request-latency-max"), 1'000);
  // Half a minute later nothing of it is in the window.
  for (int64_t second = 5; second < 40; ++second) metrics.update(stats, kSecondNs * second);
  EXPECT_EQ(value("record-send-total"), 600);
  EXPECT_EQ(value("record-send-rate"), 0);
  EXPECT_EQ(value("request-latency-max"), 0);
  EXPECT_EQ(value("batch-size-avg"), 0);
}

}  // namespace
}  // namespace yeoul
