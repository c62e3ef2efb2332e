#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "yeoul/connectors/api/source.h"
#include "yeoul/kafka/native/fetched_run.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// One partition with where its reading stands and ends (KD-093): Flink's KafkaPartitionSplit.
struct KafkaPartitionSplit {
  static constexpr int64_t kNoStoppingOffset = std::numeric_limits<int64_t>::min();

  TopicPartition partition;
  int64_t position = 0;                         ///< the next offset to read; always a real one
  int64_t stopping_offset = kNoStoppingOffset;  ///< exclusive
  Uuid topic_id;                                ///< of the topic that was read; zero: not known
  int32_t leader_epoch = -1;                    ///< of the record before `position`; -1: not known

  FetchPosition fetch_position() const { return {position, leader_epoch, topic_id}; }
  bool has_stop() const { return stopping_offset != kNoStoppingOffset; }
  bool operator==(const KafkaPartitionSplit&) const = default;

  /// The split as the runtime stores it: its id and versioned bytes.
  SourceSplit to_source_split() const;
  /// @throws internal error 6001 for bytes that are damaged or of an unknown version
  static KafkaPartitionSplit from_bytes(std::string_view bytes);
};

/// The subtask that reads a partition: Flink's rule, start = (javaHash(topic) * 31 & 0x7fffffff) % parallelism, then
/// one on for each partition, so that the partitions of a topic spread evenly.
int split_owner(const TopicPartition& partition, int parallelism);

}  // namespace yeoul
