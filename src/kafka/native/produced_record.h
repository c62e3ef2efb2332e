#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace yeoul {

/// A record to send; its bytes are copied. A null `data` is a null key or value (a tombstone).
struct ProducedRecord {
  std::string_view key;
  std::string_view value;
  int64_t timestamp_ms = -1;  ///< -1: the time of sending
  /// Names and values; a null value is one with null data. Empty: no headers.
  std::span<const std::pair<std::string_view, std::string_view>> headers;
};

}  // namespace yeoul
