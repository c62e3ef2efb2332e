#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "yeoul/kafka/protocol/compression.h"

namespace yeoul {

/// Who writes a batch. Without a producer id, sequence numbers mean nothing.
struct BatchProducer {
  int64_t id = -1;
  int16_t epoch = -1;
  int32_t base_sequence = -1;
  bool transactional = false;
};

/// Builds batches of magic 2, one after the other. Its memory stays. Threads: one at a time.
class RecordBatchBuilder {
 public:
  /// Names and values; a value with null data is a null value.
  using Headers = std::span<const std::pair<std::string_view, std::string_view>>;

  explicit RecordBatchBuilder(Compression compression = Compression::kNone, std::optional<int> level = std::nullopt);

  /// Copies a record into the batch. Null data is a null key or value.
  void append(int64_t timestamp_ms, std::string_view key, std::string_view value, Headers headers = {});

  int32_t num_records() const { return num_records_; }
  /// The batch's bytes so far, not compressed.
  size_t size() const { return size_; }
  /// What a record adds to a batch at most.
  static size_t bytes_of(std::string_view key, std::string_view value, Headers headers);

  /// Appends the finished batch to `out`, its offsets from 0 on, as producers send it, and begins the next one.
  void finish(const BatchProducer& producer, std::string& out);

 private:
  char* reserve(size_t bytes);

  Compressor compressor_;
  std::unique_ptr<char[]> bytes_;  ///< head and records
  size_t capacity_ = 0;
  size_t size_ = 0;
  int32_t num_records_ = 0;
  int64_t base_timestamp_ms_ = 0;
  int64_t max_timestamp_ms_ = 0;
};

}  // namespace yeoul
