#pragma once

#include <cstdint>

namespace yeoul {

/// What a consumer has done so far. Sums only grow.
struct FetchStats {
  int64_t num_records = 0;       ///< that polls gave
  int64_t num_bytes = 0;         ///< of their batches, unpacked
  int64_t num_fetches = 0;       ///< answered
  int64_t fetched_bytes = 0;     ///< of answers
  int64_t fetch_ns = 0;          ///< from requests to answers, which brokers hold back while there is nothing
  int64_t longest_fetch_ns = 0;  ///< since it was taken last
  int64_t num_requests = 0;      ///< of any kind
  int64_t sent_bytes = 0;
  int64_t received_bytes = 0;
  int64_t num_connections = 0;  ///< now
};

}  // namespace yeoul
