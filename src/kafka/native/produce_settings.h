#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "yeoul/kafka/native/broker_link.h"
#include "yeoul/kafka/protocol/compression.h"

namespace yeoul {

/// Java's names stand beside their defaults.
struct ProduceSettings {
  bool idempotent = true;                                 // enable.idempotence
  int16_t acks = -1;                                      // acks: all
  int64_t linger_ns = 5 * kNanosPerMs;                    // linger.ms
  size_t batch_bytes = 16'384;                            // batch.size
  size_t buffer_bytes = size_t{32} << 20;                 // buffer.memory
  size_t request_bytes_max = size_t{1} << 20;             // max.request.size
  int64_t delivery_timeout_ns = 120'000 * kNanosPerMs;    // delivery.timeout.ms
  int32_t request_timeout_ms = 30'000;                    // request.timeout.ms
  int32_t retries = INT32_MAX;                            // retries
  size_t in_flight_max = 5;                               // max.in.flight.requests.per.connection
  int64_t backoff_ns = 100 * kNanosPerMs;                 // retry.backoff.ms
  int64_t backoff_max_ns = 1'000 * kNanosPerMs;           // retry.backoff.max.ms
  Compression compression = Compression::kNone;           // compression.type
  std::optional<int> compression_level;                   // compression.<type>.level
  std::string transactional_id;                           // transactional.id; empty: no transactions
  int64_t transaction_timeout_ns = 60'000 * kNanosPerMs;  // transaction.timeout.ms
  int16_t newest_transaction_version = 2;                 ///< of KIP-890; 1 speaks the older protocol everywhere
};

/// Who writes, as the broker knows it. Each transaction has an epoch of its own.
struct ProducerIdentity {
  int64_t id = -1;
  int16_t epoch = -1;
  bool operator==(const ProducerIdentity&) const = default;
  bool is_valid() const { return id >= 0; }
};

/// @throws user error 2010 for settings that exclude one another
void check_produce_settings(const ProduceSettings& settings);

}  // namespace yeoul
