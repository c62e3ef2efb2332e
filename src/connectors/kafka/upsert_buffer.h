#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "yeoul/kafka/client/producer.h"

namespace yeoul {

/// Keeps the last change of each key until it is flushed (sink.buffer-flush.*, UK-O02). Copies what it is given.
/// Threads: one at a time.
class UpsertBuffer {
 public:
  void add(std::span<const ProducedRecord> records, std::span<const uint32_t> topics);
  size_t num_rows() const { return changes_.size(); }
  /// The changes, in the order in which their keys first appeared; valid until clear().
  std::vector<ProducedRecord> records() const;
  std::vector<uint32_t> topics() const;
  void clear();

 private:
  struct Change {
    std::string key;
    std::string value;
    bool tombstone = false;
    int64_t timestamp_ms = -1;
    uint32_t topic = 0;
    std::deque<std::string> header_bytes;  ///< does not move what it holds
    std::vector<std::pair<std::string_view, std::string_view>> headers;
  };

  std::deque<Change> changes_;  ///< does not move what it holds
  std::unordered_map<std::string, Change*> by_key_;
};

}  // namespace yeoul
