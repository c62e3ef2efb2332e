#include "yeoul/connectors/kafka/producer_metrics.h"

#include <algorithm>

namespace yeoul {
namespace {

constexpr int64_t kMilliNs = 1'000'000;

}  // namespace

ProducerMetrics::ProducerMetrics(MetricGroup& group)
    : totals_{{{&group.gauge("record-send-total"), &ProduceStats::num_records},
               {&group.gauge("record-error-total"), &ProduceStats::num_failed},
               {&group.gauge("record-retry-total"), &ProduceStats::num_repeated},
               {&group.gauge("batch-split-total"), &ProduceStats::num_splits},
               {&group.gauge("request-total"), &ProduceStats::num_requests},
               {&group.gauge("outgoing-byte-total"), &ProduceStats::sent_bytes},
               {&group.gauge("incoming-byte-total"), &ProduceStats::received_bytes},
               {&group.gauge("connection-count"), &ProduceStats::num_connections},
               {&group.gauge("requests-in-flight"), &ProduceStats::num_in_flight},
               {&group.gauge("buffer-total-bytes"), &ProduceStats::buffer_bytes},
               {&group.gauge("flush-time-ns-total"), &ProduceStats::flush_ns},
               {&group.gauge("txn-commit-time-ns-total"), &ProduceStats::commit_ns}}},
      rates_{{{&group.gauge("record-send-rate"), &ProduceStats::num_records},
              {&group.gauge("record-error-rate"), &ProduceStats::num_failed},
              {&group.gauge("record-retry-rate"), &ProduceStats::num_repeated},
              {&group.gauge("batch-split-rate"), &ProduceStats::num_splits},
              {&group.gauge("request-rate"), &ProduceStats::num_requests},
              {&group.gauge("outgoing-byte-rate"), &ProduceStats::sent_bytes},
              {&group.gauge("incoming-byte-rate"), &ProduceStats::received_bytes}}},
      means_{{{&group.gauge("record-queue-time-avg"), &ProduceStats::queue_ns, &ProduceStats::num_batches, kMilliNs},
              {&group.gauge("request-latency-avg"), &ProduceStats::answer_ns, &ProduceStats::num_answers, kMilliNs},
              {&group.gauge("batch-size-avg"), &ProduceStats::batch_bytes, &ProduceStats::num_batches, 1},
              {&group.gauge("records-per-request-avg"), &ProduceStats::num_records, &ProduceStats::num_produce_requests,
               1}}},
      maxima_{{{&group.gauge("record-queue-time-max"), &ProduceStats::longest_queue_ns, kMilliNs},
               {&group.gauge("request-latency-max"), &ProduceStats::longest_answer_ns, kMilliNs},
               {&group.gauge("batch-size-max"), &ProduceStats::largest_batch_bytes, 1}}},
      available_(group.gauge("buffer-available-bytes")) {}

void ProducerMetrics::update(const ProduceStats& stats, int64_t now_ns) {
  for (const Total& total : totals_) total.gauge->set(stats.*total.value);
  available_.set(std::max<int64_t>(stats.buffer_bytes - stats.waiting_bytes, 0));
  if (!window_.add(stats, now_ns)) {
    for (const Longest& longest : maxima_) {
      int64_t& kept = window_.newest().*longest.value;
      kept = std::max(kept, stats.*longest.value);
    }
    return;
  }
  const ProduceStats& old = window_.oldest();
  for (const Total& rate : rates_) {
    rate.gauge->set(per_second(stats.*rate.value - old.*rate.value, window_.elapsed_ns()));
  }
  for (const Mean& mean : means_) {
    mean.gauge->set(mean_of(stats.*mean.sum - old.*mean.sum, stats.*mean.count - old.*mean.count) / mean.unit);
  }
  for (const Longest& longest : maxima_) {
    int64_t most = 0;
    for (const auto& sample : window_.samples()) most = std::max(most, sample.stats.*longest.value);
    longest.gauge->set(most / longest.unit);
  }
}

}  // namespace yeoul
