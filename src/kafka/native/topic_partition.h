#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace yeoul {

/// One partition of a topic.
struct TopicPartition {
  std::string topic;
  int32_t partition = 0;
  auto operator<=>(const TopicPartition&) const = default;
};

/// "orders-3": how messages, split ids and client ids name it.
inline std::string to_string(const TopicPartition& tp) {
  return tp.topic + "-" + std::to_string(tp.partition);
}

/// An offset for each partition.
using PartitionOffsets = std::map<TopicPartition, int64_t>;

}  // namespace yeoul

/// For unordered sets and maps of programs (KD-021).
template <>
struct std::hash<yeoul::TopicPartition> {
  size_t operator()(const yeoul::TopicPartition& tp) const noexcept {
    return std::hash<std::string>()(tp.topic) * 31 + static_cast<uint32_t>(tp.partition);
  }
};
