#pragma once

#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/connectors/kafka/kafka_source_config.h"
#include "yeoul/connectors/kafka/kafka_split.h"
#include "yeoul/kafka/client/admin.h"

namespace yeoul {

/// Finds the partitions of a subscription and the real offsets at which they start and stop. It blocks: I/O pool only.
class OffsetResolver {
 public:
  /// @param stop  ends a look-up in progress
  OffsetResolver(const KafkaSourceConfig& config, std::stop_token stop);

  /// The partitions subscribed to. @throws user error 4002 for a listed topic that does not exist.
  std::vector<TopicPartition> discover();
  /// Splits of partitions there from the start, by the startup and bounded modes.
  /// @throws user error 4004 where the group has no committed offset and the user named no reset.
  std::vector<KafkaPartitionSplit> initial_splits(std::span<const TopicPartition> partitions);
  /// Splits of partitions found later: from their first record on, so that nothing is lost (KD-O09).
  std::vector<KafkaPartitionSplit> later_splits(std::span<const TopicPartition> partitions);

 private:
  std::vector<TopicPartition> subscribed(std::vector<TopicPartition> found) const;
  PartitionOffsets startup_offsets(std::span<const TopicPartition> partitions);
  PartitionOffsets group_offsets(std::span<const TopicPartition> partitions);
  PartitionOffsets stopping_offsets(std::span<const TopicPartition> partitions);

  const KafkaSourceConfig& config_;
  Admin admin_;
  bool told_of_no_topic_ = false;
};

}  // namespace yeoul
