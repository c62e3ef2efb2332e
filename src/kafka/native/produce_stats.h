#pragma once

#include <cstdint>

namespace yeoul {

/// What a producer has done so far. Sums only grow; the largest and the longest are those since it was taken last.
struct ProduceStats {
  int64_t num_records = 0;  ///< sent, and again when sent again
  int64_t num_batches = 0;  ///< the same
  int64_t batch_bytes = 0;  ///< as sent
  int64_t largest_batch_bytes = 0;
  int64_t queue_ns = 0;  ///< of batches, from their first record until they were sent
  int64_t longest_queue_ns = 0;
  int64_t num_produce_requests = 0;
  int64_t num_answers = 0;  ///< to those
  int64_t answer_ns = 0;    ///< from requests to answers
  int64_t longest_answer_ns = 0;
  int64_t num_failed = 0;     ///< records that were not delivered
  int64_t num_repeated = 0;   ///< records that were to be sent again
  int64_t num_splits = 0;     ///< of batches that were too large for the broker
  int64_t flush_ns = 0;       ///< from flushes to their ends
  int64_t commit_ns = 0;      ///< from commits of transactions to their ends
  int64_t last_send_ns = -1;  ///< from the first record to the acknowledgement, of the last batch; -1: none yet
  int64_t num_in_flight = 0;  ///< requests, now
  int64_t buffer_bytes = 0;   ///< buffer.memory
  int64_t waiting_bytes = 0;  ///< of it, now
  int64_t num_requests = 0;   ///< of any kind
  int64_t sent_bytes = 0;
  int64_t received_bytes = 0;
  int64_t num_connections = 0;  ///< now
};

}  // namespace yeoul
