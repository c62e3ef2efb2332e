// The record formats of brokers before Kafka 0.11 (magic 0 and 1), which old segments still have: messages one by one,
// or a message whose value is a compressed set of messages.
#include <zlib.h>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/record_batch.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

struct MessageParts {
  const char* key;
  const char* value;
  uint32_t key_size;
  uint32_t value_size;
};

[[noreturn]] void fail_message(int64_t offset, std::string_view why) {
  throw external_error(4012, "offset={}: the message is damaged: {}", offset, why);
}

MessageParts read_parts(const RecordBatchInfo& info) {
  WireReader reader(info.body);
  const auto part = [&](const char*& data, uint32_t& size) {
    const auto length = reader.fixed<int32_t>();
    const std::string_view bytes = reader.raw(length < 0 ? 0 : static_cast<uint32_t>(length));
    data = length < 0 ? nullptr : bytes.data();
    size = static_cast<uint32_t>(bytes.size());
  };
  MessageParts parts;
  part(parts.key, parts.key_size);
  part(parts.value, parts.value_size);
  if (!reader.ok() || reader.remaining() > 0) fail_message(info.base_offset, "key and value do not fill it");
  return parts;
}

void check_message_crc(const RecordBatchInfo& info) {
  const auto crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(info.checked.data()), static_cast<uInt>(info.checked.size())));
  if (crc != info.crc) {
    fail_message(info.base_offset, fmt::format("its checksum is {:08x}, that of its bytes {:08x}", info.crc, crc));
  }
}

void append_message(const RecordBatchInfo& info, const MessageParts& parts, RecordRun& out) {
  FetchedRecord& record = *out.reserve(1);
  record.offset = info.base_offset;
  record.timestamp_ms = info.base_timestamp_ms;
  record.timestamp_type = info.timestamp_type;
  record.key = parts.key;
  record.key_size = parts.key_size;
  record.value = parts.value;
  record.value_size = parts.value_size;
  record.first_header = 0;
  record.num_headers = 0;
  record.leader_epoch = -1;
  out.set_size(out.size() + 1);
}

}  // namespace

void BatchDecoder::decode_message(const RecordBatchInfo& info, int64_t from_offset, ByteArena& arena, RecordRun& out) {
  if (options_.check_crcs) check_message_crc(info);
  const MessageParts parts = read_parts(info);
  if (info.compression == Compression::kNone) {
    if (info.base_offset >= from_offset) append_message(info, parts, out);
    return;
  }
  if (parts.value == nullptr) fail_message(info.base_offset, "it is compressed and has no value");
  const auto framing = info.magic == 0 ? Lz4Framing::kOldChecksum : Lz4Framing::kStandard;
  std::string_view body;
  try {
    body = decompressor_.decompress(info.compression, {parts.value, parts.value_size}, options_.unpacked_bytes_max,
                                    arena, framing);
  } catch (Error& error) {
    error.add_context(fmt::format("offset={}", info.base_offset));
    throw;
  }
  decode_inner_messages(info, body, from_offset, out);
}

/// Inner offsets are whole ones in magic 0. In magic 1 they count from 0, and the outer message has the last one's.
void BatchDecoder::decode_inner_messages(const RecordBatchInfo& outer, std::string_view body, int64_t from_offset,
                                         RecordRun& out) {
  RecordBatchInfo inner;
  int64_t shift = 0;
  if (outer.magic == 1) {
    RecordBatchIterator all(body);
    int64_t last = -1;
    while (all.next(inner)) last = inner.base_offset;
    if (last > outer.last_offset) fail_message(outer.base_offset, "the offsets in it cannot be");
    shift = outer.last_offset - last;
  }
  RecordBatchIterator messages(body);
  while (messages.next(inner)) {
    if (inner.magic != outer.magic || inner.compression != Compression::kNone) {
      fail_message(outer.base_offset, "a message in it is of another format");
    }
    if (options_.check_crcs) check_message_crc(inner);
    if (inner.base_offset > outer.last_offset - shift) fail_message(outer.base_offset, "the offsets in it cannot be");
    inner.base_offset += shift;
    if (outer.timestamp_type == RecordTimestampType::kLogAppendTime) {
      inner.timestamp_type = outer.timestamp_type;
      inner.base_timestamp_ms = outer.base_timestamp_ms;
    }
    if (inner.base_offset >= from_offset) append_message(inner, read_parts(inner), out);
  }
  if (!messages.rest().empty()) fail_message(outer.base_offset, "the last message in it is cut short");
}

}  // namespace yeoul
