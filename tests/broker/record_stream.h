#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Records as bytes, in which the clients that the tests compare take and give them (tests/broker/record_stream.py, and
// tests/kafka_samples/RecordStreams.java): timestamp (8 bytes), key, value, number of headers (4), name and value of
// each. Keys, values and names are their length (4 bytes, -1: null) and their bytes. All numbers are big-endian.

namespace yeoul {

struct StreamedRecord {
  int64_t timestamp_ms = 0;
  std::optional<std::string> key, value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
};

/// False: at the end of the stream.
bool read_record(std::istream& in, StreamedRecord& record);

/// Views without data are null.
void write_record(std::ostream& out, int64_t timestamp_ms, std::string_view key, std::string_view value,
                  const std::vector<std::pair<std::string_view, std::string_view>>& headers);

inline std::string_view view_of(const std::optional<std::string>& bytes) {
  return bytes ? std::string_view(*bytes) : std::string_view();
}

}  // namespace yeoul
