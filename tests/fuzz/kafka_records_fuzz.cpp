// Any bytes as fetched records: refused with an Error or read, within the limit of memory, and every part of every
// record lies in memory that may be read. With and without checksums.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace {

using namespace yeoul;

constexpr size_t kUnpackedMax = size_t{4} << 20;

uint32_t touch(const char* data, uint32_t size) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < size; ++i) sum += static_cast<uint8_t>(data[i]);
  return sum;
}

void read_all(std::string_view bytes, bool check_crcs) {
  BufferPool pool(0);
  ByteArena arena(pool);
  BatchDecoder decoder({check_crcs, kUnpackedMax});
  RecordRun run;
  RecordBatchIterator batches(bytes);
  RecordBatchInfo info;
  uint32_t sum = 0;
  try {
    while (batches.next(info)) {
      if (info.control) {
        decoder.control_type(info, arena);
      } else {
        decoder.decode(info, info.base_offset + 1, arena, run);
      }
    }
  } catch (const Error& error) {
    if (error.code() != 4012) std::abort();
  }
  for (const FetchedRecord& record : run.records()) {
    sum += touch(record.key, record.key_size) + touch(record.value, record.value_size);
    for (const FetchedHeader& header : run.headers().subspan(record.first_header, record.num_headers)) {
      sum +=
          touch(header.name.data(), static_cast<uint32_t>(header.name.size())) + touch(header.value, header.value_size);
    }
  }
  static volatile uint32_t sink;
  sink = sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  yeoul::PaddedBuffer buffer(size);
  std::memcpy(buffer.data(), data, size);
  std::memset(buffer.data() + size, 0xff, yeoul::PaddedBuffer::kPadding);
  read_all({buffer.data(), size}, false);
  read_all({buffer.data(), size}, true);
  return 0;
}
