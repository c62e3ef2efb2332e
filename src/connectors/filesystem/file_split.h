#pragma once

#include <cstdint>
#include <string>

#include "yeoul/common/bytes.h"
#include "yeoul/connectors/api/source.h"

namespace yeoul {

/// One file to read, and how far it was read. Its path is the split's id.
struct FileSplit {
  static constexpr uint8_t kVersion = 1;

  std::string path;
  int64_t offset = 0;  ///< of the first line not read yet
  int64_t lines = 0;   ///< read so far, for messages
  int64_t rows = 0;    ///< emitted so far, for a pushed-down LIMIT
  int64_t bytes = 0;   ///< size and time of the last change when it was found, for metadata columns
  int64_t modified_ms = 0;

  SourceSplit to_split() const {
    ByteWriter writer;
    writer.u8(kVersion);
    for (const int64_t value : {offset, lines, rows, bytes, modified_ms}) writer.svarint(value);
    return {path, writer.take()};
  }
  static FileSplit read(const SourceSplit& split) {
    ByteReader reader(split.bytes);
    if (const uint8_t version = reader.u8(); version != kVersion) {
      throw internal_error(6002, "split '{}' has version {}, which this program does not know", split.id, version);
    }
    FileSplit file{.path = split.id};
    for (int64_t* value : {&file.offset, &file.lines, &file.rows, &file.bytes, &file.modified_ms}) {
      *value = reader.svarint();
    }
    return file;
  }
};

}  // namespace yeoul
