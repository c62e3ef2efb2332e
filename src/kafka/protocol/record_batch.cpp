#include "yeoul/kafka/protocol/record_batch.h"

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int kDamagedRecords = 4012;
constexpr size_t kLengthEnd = 12;  // base offset, then the length of what follows
constexpr size_t kMagicAt = 16;
constexpr size_t kHeadBytes = 61;
constexpr size_t kCrcEnd = 21;
constexpr size_t kSmallestRecord = 7;
constexpr int64_t kLongestBatch = int64_t{1} << 31;

[[noreturn]] void fail(int64_t offset, std::string_view why) {
  throw external_error(kDamagedRecords, "offset={}: the record batch is damaged: {}", offset, why);
}

void read_head(std::string_view bytes, RecordBatchInfo& info) {
  const char* at = bytes.data();
  info = {};
  info.base_offset = load_big_endian<int64_t>(at);
  info.leader_epoch = load_big_endian<int32_t>(at + 12);
  info.crc = load_big_endian<uint32_t>(at + 17);
  const auto attributes = load_big_endian<uint16_t>(at + 21);
  const auto last_offset_delta = load_big_endian<int32_t>(at + 23);
  info.base_timestamp_ms = load_big_endian<int64_t>(at + 27);
  info.max_timestamp_ms = load_big_endian<int64_t>(at + 35);
  info.producer_id = load_big_endian<int64_t>(at + 43);
  info.producer_epoch = load_big_endian<int16_t>(at + 51);
  info.base_sequence = load_big_endian<int32_t>(at + 53);
  info.num_records = load_big_endian<int32_t>(at + 57);
  info.compression = static_cast<Compression>(attributes & 7);
  info.timestamp_type = (attributes & 8) != 0 ? RecordTimestampType::kLogAppendTime : RecordTimestampType::kCreateTime;
  info.transactional = (attributes & 16) != 0;
  info.control = (attributes & 32) != 0;
  info.bytes = bytes;
  info.checked = bytes.substr(kCrcEnd);
  info.body = bytes.substr(kHeadBytes);
  if (info.base_offset < 0 || last_offset_delta < 0 || info.base_offset > INT64_MAX - last_offset_delta - 1) {
    fail(info.base_offset, "its offsets cannot be");
  }
  if (info.num_records < 0) fail(info.base_offset, "its number of records is negative");
  info.last_offset = info.base_offset + last_offset_delta;
}

/// A message of magic 0 or 1: offset, length, then checksum, magic, attributes, timestamp (1), key, value.
void read_message_head(std::string_view bytes, RecordBatchInfo& info) {
  const char* at = bytes.data();
  info = {};
  info.magic = bytes[kMagicAt];
  info.base_offset = info.last_offset = load_big_endian<int64_t>(at);
  info.crc = load_big_endian<uint32_t>(at + 12);
  const auto attributes = static_cast<uint8_t>(at[17]);
  info.compression = static_cast<Compression>(attributes & 7);
  info.num_records = 1;
  info.bytes = bytes;
  info.checked = bytes.substr(kMagicAt);
  info.timestamp_type = RecordTimestampType::kNone;
  size_t head_bytes = 18;
  if (info.magic == 1) {
    head_bytes += 8;
    if (bytes.size() < head_bytes) fail(info.base_offset, "a message is too short");
    info.base_timestamp_ms = info.max_timestamp_ms = load_big_endian<int64_t>(at + 18);
    info.timestamp_type =
        (attributes & 8) != 0 ? RecordTimestampType::kLogAppendTime : RecordTimestampType::kCreateTime;
    if (info.base_timestamp_ms < 0) info.timestamp_type = RecordTimestampType::kNone;
  }
  if (info.base_offset < 0 || info.base_offset == INT64_MAX) fail(info.base_offset, "its offset cannot be");
  info.body = bytes.substr(head_bytes);
}

/// May read up to ten bytes behind the end; who calls checks `at` afterwards.
inline int64_t read_varint(const char*& at) {
  uint64_t value = static_cast<uint8_t>(*at++);
  if (value >= 0x80) {
    uint64_t byte = static_cast<uint8_t>(*at++);
    value = (value & 0x7f) | (byte << 7);
    if (byte >= 0x80) {
      value &= 0x3fff;
      int shift = 14;
      do {
        byte = static_cast<uint8_t>(*at++);
        value |= (byte & 0x7f) << shift;
        shift += 7;
      } while (byte >= 0x80 && shift < 64);
    }
  }
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

/// A part with its length in front; null where that is negative. False: it runs past the end. `at` may be behind that
/// already, and may stay there.
inline bool read_part(const char*& at, const char* end, const char*& part, uint32_t& size) {
  const int64_t length = read_varint(at);
  if (length < 0) [[unlikely]] {  // a branch: what follows does not wait for the length then
    part = nullptr;
    size = 0;
    return true;
  }
  if (length > end - at) return false;
  part = at;
  size = static_cast<uint32_t>(length);
  at += length;
  return true;
}

bool read_headers(const char*& at, const char* end, int64_t count, std::vector<FetchedHeader>& out) {
  if (count < 0 || count > (end - at) / 2) return false;
  for (; count > 0; --count) {
    const char* name = nullptr;
    uint32_t name_size = 0;
    FetchedHeader header;
    if (at >= end || !read_part(at, end, name, name_size) || name == nullptr) return false;
    if (at >= end || !read_part(at, end, header.value, header.value_size)) return false;
    header.name = {name, name_size};
    out.push_back(header);
  }
  return true;
}

}  // namespace

bool RecordBatchIterator::next(RecordBatchInfo& info) {
  if (rest_.size() <= kMagicAt) return false;
  const int64_t offset = load_big_endian<int64_t>(rest_.data());
  const int64_t length = load_big_endian<int32_t>(rest_.data() + 8);
  const char magic = rest_[kMagicAt];
  if (magic < 0 || magic > 2)
    fail(offset, fmt::format("its format is {}, which is not known", static_cast<int>(magic)));
  const size_t smallest = magic == 2 ? kHeadBytes : kMagicAt + 2;
  if (length < static_cast<int64_t>(smallest - kLengthEnd)) fail(offset, fmt::format("its length is {}", length));
  if (static_cast<uint64_t>(length) > rest_.size() - kLengthEnd) return false;
  const std::string_view bytes = rest_.substr(0, kLengthEnd + static_cast<size_t>(length));
  if (magic == 2) {
    read_head(bytes, info);
  } else {
    read_message_head(bytes, info);
  }
  rest_.remove_prefix(bytes.size());
  return true;
}

void BatchDecoder::decode(const RecordBatchInfo& info, int64_t from_offset, ByteArena& arena, RecordRun& out) {
  if (options_.check_crcs) check_crc(info);
  if (info.magic < 2) return decode_message(info, from_offset, arena, out);
  std::string_view body;
  try {
    body = decompressor_.decompress(info.compression, info.body, options_.unpacked_bytes_max, arena);
  } catch (Error& error) {
    error.add_context(fmt::format("offset={}", info.base_offset));
    throw;
  }
  decode_records(info, body, from_offset, out);
}

void BatchDecoder::decode_records(const RecordBatchInfo& info, std::string_view body, int64_t from_offset,
                                  RecordRun& out) const {
  const auto count = static_cast<size_t>(info.num_records);
  if (count > body.size() / kSmallestRecord) fail(info.base_offset, "it claims more records than there are bytes");
  const size_t size_before = out.size();
  FetchedRecord* record = out.reserve(count);
  std::vector<FetchedHeader>& headers = out.mutable_headers();
  const bool append_time = info.timestamp_type == RecordTimestampType::kLogAppendTime;
  const auto last_delta = static_cast<uint64_t>(info.last_offset - info.base_offset);
  const auto base_timestamp = static_cast<uint64_t>(info.base_timestamp_ms);
  const char* at = body.data();
  const char* const body_end = at + body.size();
  FetchedRecord* const first = record;
  int64_t left_over = 0;
  for (size_t i = 0; i < count; ++i) {
    const int64_t length = read_varint(at);
    if (length < 0 || length > body_end - at) fail(info.base_offset, "a record runs past the end");
    const char* const end = at + length;
    ++at;  // attributes, of which there are none
    const int64_t timestamp_delta = read_varint(at);
    const int64_t offset_delta = read_varint(at);
    bool fits = static_cast<uint64_t>(offset_delta) <= last_delta;
    fits = fits && read_part(at, end, record->key, record->key_size);
    fits = fits && read_part(at, end, record->value, record->value_size);
    const int64_t num_headers = fits ? read_varint(at) : 0;
    record->first_header = static_cast<uint32_t>(headers.size());
    record->num_headers = static_cast<uint32_t>(num_headers);
    if (num_headers != 0) fits = fits && read_headers(at, end, num_headers, headers);
    if (!fits) fail(info.base_offset, fmt::format("record {} is not well formed", i));
    record->offset = info.base_offset + offset_delta;
    record->timestamp_ms = append_time ? info.max_timestamp_ms
                                       : static_cast<int64_t>(base_timestamp + static_cast<uint64_t>(timestamp_delta));
    record->leader_epoch = info.leader_epoch;
    record->timestamp_type = info.timestamp_type;
    record += record->offset >= from_offset;
    // The next one is found by the length alone, so that the processor begins with it before this one is done.
    left_over |= end - at;
    at = end;
  }
  if (left_over != 0) fail(info.base_offset, "a record is not as long as its parts");
  if (at != body_end) fail(info.base_offset, "bytes are left over behind its records");
  out.set_size(size_before + static_cast<size_t>(record - first));
}

void BatchDecoder::check_crc(const RecordBatchInfo& info) const {
  if (info.magic < 2) return;  // decode_message() sees to it, for inner messages too
  const uint32_t crc = crc32c(info.checked);
  if (crc != info.crc) {
    fail(info.base_offset, fmt::format("its checksum is {:08x}, that of its bytes {:08x}", info.crc, crc));
  }
}

ControlType BatchDecoder::control_type(const RecordBatchInfo& info, ByteArena& arena) {
  control_.clear();
  decode(info, 0, arena, control_);
  if (control_.size() == 0) return ControlType::kOther;
  const FetchedRecord& record = control_.records().front();
  if (record.key == nullptr || record.key_size < 4) fail(info.base_offset, "a control record has no type");
  const auto type = load_big_endian<int16_t>(record.key + 2);
  return type == 0 || type == 1 ? static_cast<ControlType>(type) : ControlType::kOther;
}

}  // namespace yeoul
