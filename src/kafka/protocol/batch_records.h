#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "yeoul/kafka/protocol/buffer_pool.h"
#include "yeoul/kafka/protocol/compression.h"

namespace yeoul {

/// Who writes a batch. Without a producer id, sequence numbers mean nothing.
struct BatchProducer {
  int64_t id = -1;
  int16_t epoch = -1;
  int32_t base_sequence = -1;
  bool transactional = false;
  bool operator==(const BatchProducer&) const = default;
};

/// What the head of a batch says of its records.
struct BatchSummary {
  int32_t num_records = 0;
  int64_t base_timestamp_ms = 0;
  int64_t max_timestamp_ms = 0;
};

/// The head of a batch of magic 2: its records follow.
constexpr size_t kBatchHeadBytes = 61;

/// Writes the head of a batch whose records stand behind it, its offsets from 0 on, as producers send it. May be done
/// again for another producer or sequence number.
/// @param batch  kBatchHeadBytes for the head, then the records, compressed as said; `bytes` in all
void write_batch_head(char* batch, size_t bytes, Compression compression, const BatchSummary& summary,
                      const BatchProducer& producer);

/// The records of one batch of magic 2 as they come, behind room for the batch's head. Threads: one at a time.
class BatchRecords {
 public:
  /// Names and values; a value with null data is a null value.
  using Headers = std::span<const std::pair<std::string_view, std::string_view>>;

  /// @param bytes_expected  how large the batch may become without its memory having to move
  BatchRecords(BufferPool& pool, size_t bytes_expected);

  /// Copies a record into the batch. Null data is a null key or value.
  void append(int64_t timestamp_ms, std::string_view key, std::string_view value, Headers headers = {});

  const BatchSummary& summary() const { return summary_; }
  /// The batch's bytes so far with its head, not compressed.
  size_t size() const { return size_; }
  std::string_view records() const { return {buffer_->data() + kBatchHeadBytes, size_ - kBatchHeadBytes}; }
  /// Head and records: the batch, if it is not to be compressed.
  const SharedBuffer& buffer() const { return buffer_; }
  /// What a record adds to a batch at most.
  static size_t bytes_of(std::string_view key, std::string_view value, Headers headers);
  /// What a batch of one record has at most. bytes_of() reckons faster, this one as closely as Java's producer does
  /// when it compares with `max.request.size`.
  static size_t batch_bytes_of(std::string_view key, std::string_view value, Headers headers);
  /// Forgets the records; the memory stays.
  void clear();

 private:
  char* reserve(size_t bytes);

  BufferPool& pool_;
  SharedBuffer buffer_;
  size_t size_ = kBatchHeadBytes;
  BatchSummary summary_;
};

}  // namespace yeoul
