#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace yeoul {

/// What a record's timestamp says; Kafka's numbers.
enum class RecordTimestampType : int8_t { kNone = -1, kCreateTime = 0, kLogAppendTime = 1 };

/// A record as views into fetched bytes. Null where the part is null; behind each part PaddedBuffer::kPadding bytes may
/// be read.
struct FetchedRecord {
  int64_t offset;
  int64_t timestamp_ms;  ///< -1: none
  const char* value;
  const char* key;
  uint32_t value_size;
  uint32_t key_size;
  uint32_t first_header;  ///< in the run's headers
  uint32_t num_headers;
  int32_t leader_epoch;  ///< -1: not known
  RecordTimestampType timestamp_type;
};

struct FetchedHeader {
  std::string_view name;
  const char* value;  ///< null: no value
  uint32_t value_size;
};

/// Records in order, to be filled again and again: its memory stays, and nothing is allocated for a record.
class RecordRun {
 public:
  std::span<const FetchedRecord> records() const { return {records_.get(), size_}; }
  std::span<const FetchedHeader> headers() const { return headers_; }
  size_t size() const { return size_; }
  void clear() {
    size_ = 0;
    headers_.clear();
  }

  /// Room for `count` records behind those there are; set_size() says how many were made.
  FetchedRecord* reserve(size_t count);
  void set_size(size_t size) { size_ = size; }
  std::vector<FetchedHeader>& mutable_headers() { return headers_; }

 private:
  std::unique_ptr<FetchedRecord[]> records_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  std::vector<FetchedHeader> headers_;
};

}  // namespace yeoul
