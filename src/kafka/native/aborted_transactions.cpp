#include "yeoul/kafka/native/aborted_transactions.h"

#include <algorithm>

namespace yeoul {

AbortedTransactions::AbortedTransactions(std::vector<FetchResponse::AbortedTransaction> listed) {
  std::sort(listed.begin(), listed.end(), [](const auto& a, const auto& b) { return a.first_offset < b.first_offset; });
  coming_.assign(listed.begin(), listed.end());
}

bool AbortedTransactions::is_aborted(const RecordBatchInfo& batch) {
  while (!coming_.empty() && coming_.front().first_offset <= batch.last_offset) {
    open_.insert(coming_.front().producer_id);
    coming_.pop_front();
  }
  return batch.transactional && open_.contains(batch.producer_id);
}

}  // namespace yeoul
