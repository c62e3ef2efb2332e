#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace yeoul {

/// One partition of a topic, as the client's machines name it.
struct KafkaPartition {
  std::string topic;
  int32_t index = 0;
  auto operator<=>(const KafkaPartition&) const = default;
};

/// "orders-3".
inline std::string to_string(const KafkaPartition& partition) {
  return partition.topic + "-" + std::to_string(partition.index);
}

}  // namespace yeoul
