#include "yeoul/connectors/kafka/producer_metrics.h"

#include <algorithm>

namespace yeoul {

ProducerMetrics::ProducerMetrics(MetricGroup& group)
    : client_(group), available_(group.gauge("buffer-available-bytes")) {
  using Stats = ProduceStats;
  constexpr int64_t kMilli = ClientMetrics<Stats>::kNanosPerMilli;
  client_.add_total("record-send-total", &Stats::num_records);
  client_.add_total("record-error-total", &Stats::num_failed);
  client_.add_total("record-retry-total", &Stats::num_repeated);
  client_.add_total("batch-split-total", &Stats::num_splits);
  client_.add_total("request-total", &Stats::num_requests);
  client_.add_total("outgoing-byte-total", &Stats::sent_bytes);
  client_.add_total("incoming-byte-total", &Stats::received_bytes);
  client_.add_total("connection-count", &Stats::num_connections);
  client_.add_total("requests-in-flight", &Stats::num_in_flight);
  client_.add_total("buffer-total-bytes", &Stats::buffer_bytes);
  client_.add_total("flush-time-ns-total", &Stats::flush_ns);
  client_.add_total("txn-commit-time-ns-total", &Stats::commit_ns);
  client_.add_rate("record-send-rate", &Stats::num_records);
  client_.add_rate("record-error-rate", &Stats::num_failed);
  client_.add_rate("record-retry-rate", &Stats::num_repeated);
  client_.add_rate("batch-split-rate", &Stats::num_splits);
  client_.add_rate("request-rate", &Stats::num_requests);
  client_.add_rate("outgoing-byte-rate", &Stats::sent_bytes);
  client_.add_rate("incoming-byte-rate", &Stats::received_bytes);
  client_.add_mean("record-queue-time-avg", &Stats::queue_ns, &Stats::num_batches, kMilli);
  client_.add_mean("request-latency-avg", &Stats::answer_ns, &Stats::num_answers, kMilli);
  client_.add_mean("batch-size-avg", &Stats::batch_bytes, &Stats::num_batches);
  client_.add_mean("records-per-request-avg", &Stats::num_records, &Stats::num_produce_requests);
  client_.add_maximum("record-queue-time-max", &Stats::longest_queue_ns, kMilli);
  client_.add_maximum("request-latency-max", &Stats::longest_answer_ns, kMilli);
  client_.add_maximum("batch-size-max", &Stats::largest_batch_bytes);
}

void ProducerMetrics::update(const ProduceStats& stats, int64_t now_ns) {
  client_.update(stats, now_ns);
  available_.set(std::max<int64_t>(stats.buffer_bytes - stats.waiting_bytes, 0));
}

}  // namespace yeoul
