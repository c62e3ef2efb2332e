#include "yeoul/kafka/protocol/batch_records.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr size_t kVarintMax = 10;
constexpr size_t kLengthMax = 5;

uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

size_t varint_size(int64_t value) {
  return static_cast<size_t>(std::bit_width(zigzag(value) | 1) + 6) / 7;
}

char* put_varint(char* to, int64_t value) {
  uint64_t bits = zigzag(value);
  for (; bits >= 0x80; bits >>= 7) *to++ = static_cast<char>(bits | 0x80);
  *to++ = static_cast<char>(bits);
  return to;
}

int64_t length_of(std::string_view part) {
  return part.data() == nullptr ? -1 : static_cast<int64_t>(part.size());
}

size_t part_size(std::string_view part) {
  return varint_size(length_of(part)) + part.size();
}

char* put_part(char* to, std::string_view part) {
  to = put_varint(to, length_of(part));
  if (!part.empty()) std::memcpy(to, part.data(), part.size());
  return to + part.size();
}

/// A header's name is never null.
std::string_view name_part(std::string_view name) {
  return name.empty() ? std::string_view("") : name;
}

}  // namespace

void write_batch_head(char* batch, size_t bytes, Compression compression, const BatchSummary& summary,
                      const BatchProducer& producer) {
  YEOUL_CHECK(summary.num_records > 0, "a batch without records");
  YEOUL_CHECK(bytes <= INT32_MAX, "a batch of {} bytes", bytes);
  store_big_endian(batch, int64_t{0});
  store_big_endian(batch + 8, static_cast<int32_t>(bytes - 12));
  store_big_endian(batch + 12, int32_t{-1});
  batch[16] = 2;
  const int transactional = producer.transactional ? 16 : 0;
  store_big_endian(batch + 21, static_cast<int16_t>(static_cast<int>(compression) | transactional));
  store_big_endian(batch + 23, summary.num_records - 1);
  store_big_endian(batch + 27, summary.base_timestamp_ms);
  store_big_endian(batch + 35, summary.max_timestamp_ms);
  store_big_endian(batch + 43, producer.id);
  store_big_endian(batch + 51, producer.epoch);
  store_big_endian(batch + 53, producer.base_sequence);
  store_big_endian(batch + 57, summary.num_records);
  store_big_endian(batch + 17, crc32c({batch + 21, bytes - 21}));
}

BatchRecords::BatchRecords(BufferPool& pool, size_t bytes_expected)
    : pool_(pool), buffer_(pool.take(std::max(bytes_expected, kBatchHeadBytes))) {}

char* BatchRecords::reserve(size_t bytes) {
  if (buffer_->capacity() - size_ < bytes) {
    SharedBuffer larger = pool_.take(std::max(size_ + bytes, 2 * buffer_->capacity()));
    std::memcpy(larger->data(), buffer_->data(), size_);
    buffer_ = std::move(larger);
  }
  return buffer_->data() + size_;
}

size_t BatchRecords::bytes_of(std::string_view key, std::string_view value, Headers headers) {
  size_t bytes = 1 + 2 * kVarintMax + 4 * kLengthMax + key.size() + value.size();
  for (const auto& [name, data] : headers) bytes += 2 * kLengthMax + name.size() + data.size();
  return bytes;
}

size_t BatchRecords::batch_bytes_of(std::string_view key, std::string_view value, Headers headers) {
  // What is known before a record has its place: all but its length, attributes, and distances from the batch's first.
  size_t bytes = kBatchHeadBytes + kLengthMax + 1 + kVarintMax + kLengthMax;
  bytes += part_size(key) + part_size(value) + varint_size(static_cast<int64_t>(headers.size()));
  for (const auto& [name, data] : headers) bytes += part_size(name_part(name)) + part_size(data);
  return bytes;
}

void BatchRecords::append(int64_t timestamp_ms, std::string_view key, std::string_view value, Headers headers) {
  char* to = reserve(bytes_of(key, value, headers));
  if (summary_.num_records == 0) summary_.base_timestamp_ms = summary_.max_timestamp_ms = timestamp_ms;
  summary_.max_timestamp_ms = std::max(summary_.max_timestamp_ms, timestamp_ms);
  const auto timestamp_delta =
      static_cast<int64_t>(static_cast<uint64_t>(timestamp_ms) - static_cast<uint64_t>(summary_.base_timestamp_ms));
  size_t length = 1 + varint_size(timestamp_delta) + varint_size(summary_.num_records) + part_size(key) +
                  part_size(value) + varint_size(static_cast<int64_t>(headers.size()));
  for (const auto& [name, data] : headers) length += part_size(name_part(name)) + part_size(data);
  to = put_varint(to, static_cast<int64_t>(length));
  *to++ = 0;  // attributes
  to = put_varint(to, timestamp_delta);
  to = put_varint(to, summary_.num_records);
  to = put_part(to, key);
  to = put_part(to, value);
  to = put_varint(to, static_cast<int64_t>(headers.size()));
  for (const auto& [name, data] : headers) {
    to = put_part(to, name_part(name));
    to = put_part(to, data);
  }
  size_ = static_cast<size_t>(to - buffer_->data());
  ++summary_.num_records;
}

void BatchRecords::clear() {
  size_ = kBatchHeadBytes;
  summary_ = {};
}

}  // namespace yeoul
