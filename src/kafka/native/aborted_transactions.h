#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <vector>

#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {

/// Says which batches of one answer belong to aborted transactions. The answer lists each with its first offset; it
/// ends at its producer's abort marker.
class AbortedTransactions {
 public:
  AbortedTransactions() = default;
  explicit AbortedTransactions(std::vector<FetchResponse::AbortedTransaction> listed);

  /// To be asked for every batch, in order.
  bool is_aborted(const RecordBatchInfo& batch);
  void on_abort_marker(int64_t producer_id) { open_.erase(producer_id); }

 private:
  std::deque<FetchResponse::AbortedTransaction> coming_;  ///< by first offset
  std::set<int64_t> open_;
};

}  // namespace yeoul
