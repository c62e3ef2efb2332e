#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace yeoul {

/// What Apache Kafka's own classes make of a sample message.
struct MessageSample {
  std::string_view message;  ///< "FetchRequest"
  int16_t version;
  bool full;
  uint32_t size;
  uint32_t crc32c;
};

std::span<const MessageSample> message_samples();

/// Records by Apache Kafka's own classes, for each format, compression and kind of timestamp: four of them at offsets
/// 1000 to 1003, as record_batch_test.cpp has them.
struct RecordSample {
  int8_t magic;
  std::string_view compression;
  bool log_append_time;
  std::string_view hex;
};

std::span<const RecordSample> record_samples();

}  // namespace yeoul
