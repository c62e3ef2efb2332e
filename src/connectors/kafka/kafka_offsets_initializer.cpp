#include "yeoul/connectors/kafka/kafka_offsets_initializer.h"

#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"

namespace yeoul {
namespace {

std::vector<TopicPartition> without_offset(std::span<const TopicPartition> partitions,
                                           const PartitionOffsets& offsets) {
  std::vector<TopicPartition> missing;
  for (const TopicPartition& tp : partitions) {
    if (!offsets.contains(tp)) missing.push_back(tp);
  }
  return missing;
}

PartitionOffsets given_offsets(const PartitionOffsets& given, KafkaOffsetResetStrategy reset,
                               std::span<const TopicPartition> partitions, Admin& admin) {
  PartitionOffsets offsets;
  for (const TopicPartition& tp : partitions) {
    if (const auto it = given.find(tp); it != given.end()) offsets.insert(*it);
  }
  if (auto missing = without_offset(partitions, offsets); !missing.empty())
    offsets.merge(admin.committed_offsets(missing));
  const std::vector<TopicPartition> missing = without_offset(partitions, offsets);
  if (missing.empty()) return offsets;
  if (reset == KafkaOffsetResetStrategy::kNone) {
    throw user_error(4004, "KafkaSource: no offset is given for {}, and the group has committed none",
                     to_string(missing.front()));
  }
  const bool earliest = reset == KafkaOffsetResetStrategy::kEarliest;
  log(LogLevel::kInfo, "kafka",
      "KafkaOffsetsInitializer::offsets(): {} partitions are neither in the map nor committed by a group, such as {}: "
      "they begin at their {} offsets",
      missing.size(), to_string(missing.front()), earliest ? "earliest" : "latest");
  offsets.merge(earliest ? admin.earliest_offsets(missing) : admin.end_offsets(missing));
  return offsets;
}

}  // namespace

KafkaOffsetsInitializer KafkaOffsetsInitializer::committed_offsets(KafkaOffsetResetStrategy reset) {
  return {StartupMode::kGroupOffsets, reset};
}

KafkaOffsetsInitializer KafkaOffsetsInitializer::timestamp(int64_t timestamp_ms) {
  if (timestamp_ms < 0) {
    throw user_error(2010, "KafkaOffsetsInitializer::timestamp({}): the time must not be negative", timestamp_ms);
  }
  KafkaOffsetsInitializer initializer(StartupMode::kTimestamp, KafkaOffsetResetStrategy::kLatest);
  initializer.timestamp_ms_ = timestamp_ms;
  return initializer;
}

KafkaOffsetsInitializer KafkaOffsetsInitializer::earliest() {
  return {StartupMode::kEarliest, KafkaOffsetResetStrategy::kEarliest};
}

KafkaOffsetsInitializer KafkaOffsetsInitializer::latest() {
  return {StartupMode::kLatest, KafkaOffsetResetStrategy::kLatest};
}

KafkaOffsetsInitializer KafkaOffsetsInitializer::offsets(std::map<KafkaTopicPartition, int64_t> offsets,
                                                         KafkaOffsetResetStrategy reset) {
  return custom(
      [offsets = std::move(offsets), reset](std::span<const TopicPartition> partitions, Admin& admin) {
        return given_offsets(offsets, reset, partitions, admin);
      },
      reset);
}

KafkaOffsetsInitializer KafkaOffsetsInitializer::custom(KafkaOffsetsFunction function, KafkaOffsetResetStrategy reset) {
  KafkaOffsetsInitializer initializer(StartupMode::kSpecificOffsets, reset);
  initializer.function_ = std::move(function);
  return initializer;
}

void KafkaOffsetsInitializer::start(KafkaSourceConfig& config) const {
  config.startup = startup_;
  config.startup_timestamp_ms = timestamp_ms_;
  config.startup_function = function_;
  config.reset = reset_ == KafkaOffsetResetStrategy::kNone       ? OffsetReset::kNone
                 : reset_ == KafkaOffsetResetStrategy::kEarliest ? OffsetReset::kEarliest
                                                                 : OffsetReset::kLatest;
}

void KafkaOffsetsInitializer::stop(KafkaSourceConfig& config) const {
  config.bounded_timestamp_ms = timestamp_ms_;
  config.bounded_function = function_;
  switch (startup_) {
    case StartupMode::kLatest:
      config.bounded = BoundedMode::kLatest;
      return;
    case StartupMode::kTimestamp:
      config.bounded = BoundedMode::kTimestamp;
      return;
    case StartupMode::kGroupOffsets:
      config.bounded = BoundedMode::kGroupOffsets;
      return;
    case StartupMode::kEarliest:
      config.bounded_function = [](std::span<const TopicPartition> partitions, Admin& admin) {
        return admin.earliest_offsets(partitions);
      };
      break;
    case StartupMode::kSpecificOffsets:
      break;
  }
  config.bounded = BoundedMode::kSpecificOffsets;
}

}  // namespace yeoul
