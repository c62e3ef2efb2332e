#pragma once

#include <cstdint>
#include <map>

#include "yeoul/connectors/kafka/kafka_source_config.h"
#include "yeoul/kafka/client/admin.h"

namespace yeoul {

/// One partition of a topic, as DataStream programs name it.
using KafkaTopicPartition = TopicPartition;

/// What to do where there is no offset to start from, or it is out of range.
enum class KafkaOffsetResetStrategy { kLatest, kEarliest, kNone };

/// Where a KafkaSource starts or stops reading each partition (spec rows KD-026…034, KD-O04, KD-O05).
class KafkaOffsetsInitializer {
 public:
  /// What the group has committed. @param reset  for partitions without; kNone: the job fails there
  static KafkaOffsetsInitializer committed_offsets(KafkaOffsetResetStrategy reset = KafkaOffsetResetStrategy::kNone);
  /// The first record whose timestamp is this, in milliseconds since 1970, or later.
  static KafkaOffsetsInitializer timestamp(int64_t timestamp_ms);
  static KafkaOffsetsInitializer earliest();
  static KafkaOffsetsInitializer latest();
  /// Partitions that are not in the map: what the group has committed, else, and without a group, by `reset`, which is
  /// logged.
  static KafkaOffsetsInitializer offsets(std::map<KafkaTopicPartition, int64_t> offsets,
                                         KafkaOffsetResetStrategy reset = KafkaOffsetResetStrategy::kEarliest);
  /// Offsets of the program's own.
  static KafkaOffsetsInitializer custom(KafkaOffsetsFunction function,
                                        KafkaOffsetResetStrategy reset = KafkaOffsetResetStrategy::kEarliest);

  KafkaOffsetResetStrategy get_auto_offset_reset_strategy() const { return reset_; }
  bool needs_group() const { return startup_ == StartupMode::kGroupOffsets && !function_; }
  /// As where to start.
  void start(KafkaSourceConfig& config) const;
  /// As where to stop: before these offsets.
  void stop(KafkaSourceConfig& config) const;

 private:
  KafkaOffsetsInitializer(StartupMode startup, KafkaOffsetResetStrategy reset) : startup_(startup), reset_(reset) {}

  StartupMode startup_;
  KafkaOffsetResetStrategy reset_;
  int64_t timestamp_ms_ = 0;
  KafkaOffsetsFunction function_;
};

}  // namespace yeoul
