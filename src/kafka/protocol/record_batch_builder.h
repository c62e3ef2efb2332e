#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "yeoul/kafka/protocol/batch_records.h"
#include "yeoul/kafka/protocol/compression.h"

namespace yeoul {

/// Builds batches of magic 2, one after the other, into strings. Its memory stays. Threads: one at a time.
class RecordBatchBuilder {
 public:
  using Headers = BatchRecords::Headers;

  explicit RecordBatchBuilder(Compression compression = Compression::kNone, std::optional<int> level = std::nullopt)
      : compressor_(compression, level), pool_(0), records_(pool_, 0) {}

  /// Copies a record into the batch. Null data is a null key or value.
  void append(int64_t timestamp_ms, std::string_view key, std::string_view value, Headers headers = {}) {
    records_.append(timestamp_ms, key, value, headers);
  }
  int32_t num_records() const { return records_.summary().num_records; }
  /// The batch's bytes so far, not compressed.
  size_t size() const { return records_.size(); }

  /// Appends the finished batch to `out`, its offsets from 0 on, as producers send it, and begins the next one.
  void finish(const BatchProducer& producer, std::string& out);

 private:
  Compressor compressor_;
  BufferPool pool_;
  BatchRecords records_;
};

}  // namespace yeoul
