#include "yeoul/connectors/kafka/offset_resolver.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/connectors/kafka/topic_pattern.h"

namespace yeoul {
namespace {

/// The partitions that `offsets` lacks.
std::vector<TopicPartition> missing_in(std::span<const TopicPartition> partitions, const PartitionOffsets& offsets) {
  std::vector<TopicPartition> missing;
  for (const TopicPartition& tp : partitions) {
    if (!offsets.contains(tp)) missing.push_back(tp);
  }
  return missing;
}

/// Looks something up; errors begin with whose source it is.
template <class Look>
auto look_up(const KafkaSourceConfig& config, const Look& look) {
  try {
    return look();
  } catch (Error& error) {
    error.add_context(config.owner());
    throw;
  }
}

}  // namespace

OffsetResolver::OffsetResolver(const KafkaSourceConfig& config, std::stop_token stop)
    : config_(config),
      admin_(config.client_properties(ClientRole::kAdmin, "enumerator-admin-client"), std::move(stop)) {}

std::vector<TopicPartition> OffsetResolver::discover() {
  return look_up(config_, [&] {
    if (!config_.topic_pattern) return subscribed(admin_.partitions_of(config_.topics));
    const TopicPattern pattern(config_.owner(), *config_.topic_pattern);
    std::vector<std::string> topics = admin_.list_topics();
    std::erase_if(topics, [&](const std::string& topic) { return !pattern.matches(topic); });
    if (topics.empty() && !std::exchange(told_of_no_topic_, true)) {
      log(LogLevel::kWarn, "kafka", "{}: no topic matches the pattern '{}'{}", config_.owner(), *config_.topic_pattern,
          config_.is_bounded() ? "; nothing is read" : "");
    }
    return admin_.partitions_of(topics);
  });
}

/// Those of a set of partitions, where the user named one.
std::vector<TopicPartition> OffsetResolver::subscribed(std::vector<TopicPartition> found) const {
  if (config_.partitions.empty()) return found;
  for (const TopicPartition& wanted : config_.partitions) {
    if (std::find(found.begin(), found.end(), wanted) == found.end()) {
      throw user_error(4002, "topic '{}' has no partition {}", wanted.topic, wanted.partition);
    }
  }
  std::erase_if(found, [&](const TopicPartition& tp) { return !config_.partitions.contains(tp); });
  return found;
}

PartitionOffsets OffsetResolver::group_offsets(std::span<const TopicPartition> partitions) {
  PartitionOffsets offsets = admin_.committed_offsets(partitions);
  const std::vector<TopicPartition> missing = missing_in(partitions, offsets);
  if (missing.empty()) return offsets;
  if (config_.reset == OffsetReset::kNone) {
    throw user_error(4004, "group '{}' has no committed offset for topic={} partition={}; {}", config_.group_id,
                     missing.front().topic, missing.front().partition,
                     config_.table.empty()
                         ? "give KafkaOffsetsInitializer::committed_offsets() a KafkaOffsetResetStrategy"
                         : "set 'scan.startup.mode' to 'earliest-offset' or 'latest-offset', or "
                           "'properties.auto.offset.reset' to 'earliest' or 'latest' for partitions without one");
  }
  offsets.merge(config_.reset == OffsetReset::kEarliest ? admin_.earliest_offsets(missing)
                                                        : admin_.end_offsets(missing));
  return offsets;
}

PartitionOffsets OffsetResolver::startup_offsets(std::span<const TopicPartition> partitions) {
  if (config_.startup_function) return config_.startup_function(partitions, admin_);
  switch (config_.startup) {
    case StartupMode::kEarliest:
      return admin_.earliest_offsets(partitions);
    case StartupMode::kLatest:
      return admin_.end_offsets(partitions);
    case StartupMode::kGroupOffsets:
      return group_offsets(partitions);
    case StartupMode::kTimestamp:
      return admin_.offsets_for_time(partitions, config_.startup_timestamp_ms);
    case StartupMode::kSpecificOffsets:
      break;
  }
  PartitionOffsets offsets;
  for (const TopicPartition& tp : partitions) {
    if (const auto it = config_.startup_offsets.find(tp.partition); it != config_.startup_offsets.end()) {
      offsets[tp] = it->second;
    }
  }
  if (offsets.size() < config_.startup_offsets.size()) {
    log(LogLevel::kWarn, "kafka", "{}: 'scan.startup.specific-offsets' names partitions that do not exist",
        config_.owner());
  }
  // Partitions without an entry: where the group stands, else the beginning.
  offsets.merge(admin_.committed_offsets(missing_in(partitions, offsets)));
  offsets.merge(admin_.earliest_offsets(missing_in(partitions, offsets)));
  return offsets;
}

PartitionOffsets OffsetResolver::stopping_offsets(std::span<const TopicPartition> partitions) {
  switch (config_.bounded) {
    case BoundedMode::kUnbounded:
      return {};
    case BoundedMode::kLatest:
      return admin_.end_offsets(partitions);
    case BoundedMode::kTimestamp:
      return admin_.offsets_for_time(partitions, config_.bounded_timestamp_ms);
    case BoundedMode::kGroupOffsets: {
      PartitionOffsets offsets = admin_.committed_offsets(partitions);
      if (const auto missing = missing_in(partitions, offsets); !missing.empty()) {
        throw user_error(
            4004, "{}: group '{}' has no committed offset for topic={} partition={}; commit one, or choose another end",
            config_.table.empty() ? "KafkaOffsetsInitializer::committed_offsets() as the end"
                                  : "'scan.bounded.mode' = 'group-offsets'",
            config_.group_id, missing.front().topic, missing.front().partition);
      }
      return offsets;
    }
    case BoundedMode::kSpecificOffsets:
      break;
  }
  if (config_.bounded_function) return config_.bounded_function(partitions, admin_);
  PartitionOffsets offsets;
  for (const TopicPartition& tp : partitions) {
    if (const auto it = config_.bounded_offsets.find(tp.partition); it != config_.bounded_offsets.end()) {
      offsets[tp] = it->second;
    }
  }
  if (offsets.size() < config_.bounded_offsets.size()) {
    log(LogLevel::kWarn, "kafka", "{}: 'scan.bounded.specific-offsets' names partitions that do not exist",
        config_.owner());
  }
  return offsets;
}

std::vector<KafkaPartitionSplit> OffsetResolver::initial_splits(std::span<const TopicPartition> all) {
  return look_up(config_, [&] {
    // Stops first: what is written between the two look-ups must not end up behind the stop and before the start.
    const PartitionOffsets stops = stopping_offsets(all);
    std::vector<TopicPartition> partitions(all.begin(), all.end());
    // Without an entry in 'scan.bounded.specific-offsets' a partition is not read at all (KS-047).
    if (config_.is_bounded()) std::erase_if(partitions, [&](const TopicPartition& tp) { return !stops.contains(tp); });
    std::vector<KafkaPartitionSplit> splits;
    for (const auto& [tp, offset] : startup_offsets(partitions)) {
      KafkaPartitionSplit split{tp, offset, KafkaPartitionSplit::kNoStoppingOffset};
      if (const auto it = stops.find(tp); it != stops.end()) split.stopping_offset = it->second;
      splits.push_back(std::move(split));
    }
    return splits;
  });
}

std::vector<KafkaPartitionSplit> OffsetResolver::later_splits(std::span<const TopicPartition> partitions) {
  return look_up(config_, [&] {
    std::vector<KafkaPartitionSplit> splits;
    for (const auto& [tp, offset] : admin_.earliest_offsets(partitions)) {
      splits.push_back({tp, offset, KafkaPartitionSplit::kNoStoppingOffset});
    }
    return splits;
  });
}

}  // namespace yeoul
