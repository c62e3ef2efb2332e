#include "yeoul/kafka/protocol/record_batch_builder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr size_t kHeadSize = 61;
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

}  // namespace

RecordBatchBuilder::RecordBatchBuilder(Compression compression, std::optional<int> level)
    : compressor_(compression, level), size_(kHeadSize) {}

char* RecordBatchBuilder::reserve(size_t bytes) {
  if (capacity_ - size_ < bytes || bytes_ == nullptr) {
    capacity_ = std::max({size_ + bytes, 2 * capacity_, size_t{4096}});
    std::unique_ptr<char[]> larger(new char[capacity_]);
    if (bytes_ != nullptr) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
  }
  return bytes_.get() + size_;
}

size_t RecordBatchBuilder::bytes_of(std::string_view key, std::string_view value, Headers headers) {
  size_t bytes = 1 + 2 * kVarintMax + 4 * kLengthMax + key.size() + value.size();
  for (const auto& [name, data] : headers) bytes += 2 * kLengthMax + name.size() + data.size();
  return bytes;
}

void RecordBatchBuilder::append(int64_t timestamp_ms, std::string_view key, std::string_view value, Headers headers) {
  char* to = reserve(bytes_of(key, value, headers));
  if (num_records_ == 0) base_timestamp_ms_ = max_timestamp_ms_ = timestamp_ms;
  max_timestamp_ms_ = std::max(max_timestamp_ms_, timestamp_ms);
  const auto timestamp_delta =
      static_cast<int64_t>(static_cast<uint64_t>(timestamp_ms) - static_cast<uint64_t>(base_timestamp_ms_));
  size_t length = 1 + varint_size(timestamp_delta) + varint_size(num_records_) + part_size(key) + part_size(value) +
                  varint_size(static_cast<int64_t>(headers.size()));
  for (const auto& [name, data] : headers)
    length += part_size({name.empty() ? "" : name.data(), name.size()}) + part_size(data);
  to = put_varint(to, static_cast<int64_t>(length));
  *to++ = 0;  // attributes
  to = put_varint(to, timestamp_delta);
  to = put_varint(to, num_records_);
  to = put_part(to, key);
  to = put_part(to, value);
  to = put_varint(to, static_cast<int64_t>(headers.size()));
  for (const auto& [name, data] : headers) {
    to = put_part(to, {name.empty() ? "" : name.data(), name.size()});
    to = put_part(to, data);
  }
  size_ = static_cast<size_t>(to - bytes_.get());
  ++num_records_;
}

void RecordBatchBuilder::finish(const BatchProducer& producer, std::string& out) {
  YEOUL_CHECK(num_records_ > 0, "a batch without records");
  const size_t start = out.size();
  out.resize(start + kHeadSize);
  compressor_.compress({bytes_.get() + kHeadSize, size_ - kHeadSize}, out);
  const size_t bytes = out.size() - start;
  YEOUL_CHECK(bytes <= INT32_MAX, "a batch of {} bytes", bytes);
  char* head = out.data() + start;
  store_big_endian(head, int64_t{0});
  store_big_endian(head + 8, static_cast<int32_t>(bytes - 12));
  store_big_endian(head + 12, int32_t{-1});
  head[16] = 2;
  const int transactional = producer.transactional ? 16 : 0;
  store_big_endian(head + 21, static_cast<int16_t>(static_cast<int>(compressor_.compression()) | transactional));
  store_big_endian(head + 23, num_records_ - 1);
  store_big_endian(head + 27, base_timestamp_ms_);
  store_big_endian(head + 35, max_timestamp_ms_);
  store_big_endian(head + 43, producer.id);
  store_big_endian(head + 51, producer.epoch);
  store_big_endian(head + 53, producer.base_sequence);
  store_big_endian(head + 57, num_records_);
  store_big_endian(head + 17, crc32c({head + 21, bytes - 21}));
  size_ = kHeadSize;
  num_records_ = 0;
}

}  // namespace yeoul
