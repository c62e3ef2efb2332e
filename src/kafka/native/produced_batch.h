#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "yeoul/kafka/native/produce_settings.h"
#include "yeoul/kafka/protocol/batch_records.h"

namespace yeoul {

/// Records of one partition that travel together, from the first that is put in until the broker has them.
struct ProducedBatch {
  ProducedBatch(BufferPool& pool, size_t bytes_expected) : records(std::in_place, pool, bytes_expected) {}

  size_t slot = 0;           ///< of its partition
  uint64_t first_index = 0;  ///< of its first record among all that were sent to the partition
  int64_t created_ns = 0;
  size_t counted_bytes = 0;  ///< of `buffer.memory`
  int flush_group = 0;

  std::optional<BatchRecords> records;  ///< until it is packed
  SharedBuffer bytes;                   ///< from then on: head and records as they are sent
  size_t size = 0;
  BatchSummary summary;
  BatchProducer sealed;  ///< whom the head names

  ProducerIdentity identity;
  int32_t base_sequence = -1;  ///< -1: none yet
  uint64_t ordinal = 0;        ///< counts the partition's batches that got sequence numbers
  int64_t num_attempts = 0;
  bool sent_behind = false;  ///< the last time, while others before it had no end yet
  bool in_flight = false;
  bool abandoned = false;  ///< in flight, but given up: its answer only tells about sequence numbers

  int32_t num_records() const { return records ? records->summary().num_records : summary.num_records; }
  bool has_sequence() const { return base_sequence >= 0; }
};

/// Sequence numbers start again at 0 behind the last.
inline int32_t sequence_after(int32_t sequence, int32_t count) {
  return static_cast<int32_t>((static_cast<uint32_t>(sequence) + static_cast<uint32_t>(count)) & INT32_MAX);
}

}  // namespace yeoul
