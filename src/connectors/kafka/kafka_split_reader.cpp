#include "yeoul/connectors/kafka/kafka_split_reader.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/kafka/client/admin.h"

namespace yeoul {

KafkaSplitReader::KafkaSplitReader(std::shared_ptr<const KafkaSourceConfig> config, int subtask, MetricGroup* metrics,
                                   Consumer::CommitListener on_commit, int64_t tick_ms, std::function<void()> on_tick)
    : config_(std::move(config)),
      subtask_(subtask),
      consumer_(config_->client_properties(ClientRole::kConsumer, std::to_string(subtask)), std::move(on_commit)),
      tick_ms_(tick_ms),
      on_tick_(std::move(on_tick)) {
  if (metrics == nullptr) return;
  metrics_.emplace(*metrics);
  tick_ms_ = tick_ms_ > 0 ? std::min(tick_ms_, ConsumerMetrics::kUpdateMs) : ConsumerMetrics::kUpdateMs;
}

void KafkaSplitReader::add_splits(const std::vector<SourceSplit>& splits, std::stop_token stop) {
  for (const SourceSplit& bytes : splits) {
    KafkaPartitionSplit split = KafkaPartitionSplit::from_bytes(bytes.bytes);
    if (split.has_stop() && split.position > split.stopping_offset) reset_beyond_end(split, stop);
    if (split.has_stop() && split.position >= split.stopping_offset) {
      auto batch = std::make_unique<KafkaFetchedBatch>();
      batch->split_id = bytes.id;
      batch->finished = true;
      batch->buffer.position_after = split.position;
      ended_.push_back(std::move(batch));
      continue;
    }
    consumer_.assign(split.partition, split.fetch_position());
    partition_of_id_[bytes.id] = split.partition;
    splits_[split.partition] = std::move(split);
  }
}

void KafkaSplitReader::pause_or_resume(std::span<const std::string> pause, std::span<const std::string> resume) {
  const auto known = [this](std::span<const std::string> ids) {
    std::vector<TopicPartition> partitions;
    for (const std::string& id : ids) {
      if (const auto it = partition_of_id_.find(id); it != partition_of_id_.end()) partitions.push_back(it->second);
    }
    return partitions;
  };
  if (const auto partitions = known(pause); !partitions.empty()) consumer_.pause(partitions);
  if (const auto partitions = known(resume); !partitions.empty()) consumer_.resume(partitions);
}

std::vector<std::unique_ptr<FetchedBatch>> KafkaSplitReader::fetch(std::stop_token stop) {
  if (!ended_.empty()) return std::exchange(ended_, {});
  std::vector<std::unique_ptr<FetchedBatch>> batches;
  std::vector<TopicPartition> done;
  for (FetchedBuffer& buffer : consumer_.poll(stop, tick_ms_ > 0 ? tick_ms_ : -1)) {
    const auto it = splits_.find(buffer.partition);
    if (it == splits_.end()) continue;
    if (buffer.trouble != FetchTrouble::kNone) {
      handle_trouble(buffer, it->second, stop);
      if (buffer.trouble != FetchTrouble::kGone) continue;
      // Nothing more comes, so it must not hold the watermark back where there is an idle timeout.
      buffer.at_end = true;
    }
    it->second.position = buffer.position_after;
    if (metrics_) metrics_->set_lag(it->first, buffer.lag());
    std::unique_ptr<KafkaFetchedBatch> batch = hand_over(std::move(buffer), it->second);
    if (batch->finished) done.push_back(it->first);
    batches.push_back(std::move(batch));
  }
  consumer_.unassign(done);
  for (const TopicPartition& partition : done) {
    splits_.erase(partition);
    if (metrics_) metrics_->forget(partition);
    partition_of_id_.erase(to_string(partition));
  }
  if (metrics_) metrics_->update(consumer_.take_stats(), system_clock().steady_ns());
  if (on_tick_) on_tick_();
  return batches;
}

std::unique_ptr<KafkaFetchedBatch> KafkaSplitReader::hand_over(FetchedBuffer buffer, const KafkaPartitionSplit& split) {
  auto batch = std::make_unique<KafkaFetchedBatch>();
  batch->split_id = to_string(split.partition);
  batch->fetched_at_ms = system_clock().wall_ms();
  if (split.has_stop() && buffer.position_after >= split.stopping_offset) {
    const std::span<const FetchedRecord> records = buffer.records();
    const auto behind =
        std::lower_bound(records.begin(), records.end(), split.stopping_offset,
                         [](const FetchedRecord& record, int64_t stop) { return record.offset < stop; });
    buffer.run.set_size(static_cast<size_t>(behind - records.begin()));
    buffer.position_after = split.stopping_offset;
    batch->finished = true;
  }
  batch->num_bytes = buffer.num_bytes + buffer.records().size() * sizeof(FetchedRecord);
  batch->caught_up = buffer.at_end;
  batch->buffer = std::move(buffer);
  return batch;
}

void KafkaSplitReader::handle_trouble(const FetchedBuffer& buffer, KafkaPartitionSplit& split,
                                      const std::stop_token& stop) {
  switch (buffer.trouble) {
    case FetchTrouble::kOutOfRange:
      return reset_or_fail(split, stop);
    case FetchTrouble::kTruncated:
      return reset_truncated(buffer, split, stop);
    case FetchTrouble::kRecreated:
      return reset_recreated(split, stop);
    case FetchTrouble::kGone:
      return report_gone(split);
    case FetchTrouble::kNone:
    case FetchTrouble::kFailed:
      break;
  }
  throw external_error(4003, "{}: kafka {}", config_->owner(), buffer.error);
}

void KafkaSplitReader::report_gone(const KafkaPartitionSplit& split) {
  if (config_->topic_pattern && !split.has_stop()) {
    log(LogLevel::kWarn, "kafka",
        "{}: kafka topic={} partition={} offset={} does not exist any more; the job goes on with what else "
        "the topic pattern matches, and looks out for it",
        config_->owner(), split.partition.topic, split.partition.partition, split.position);
    return;
  }
  throw external_error(4008,
                       "{}: kafka topic={} partition={} offset={}: the brokers say that this partition does not exist "
                       "(any more); was the topic deleted? A job started anew reads a topic of that name from where "
                       "its options say, a restored one from offset {}",
                       config_->owner(), split.partition.topic, split.partition.partition, split.position,
                       split.position);
}

void KafkaSplitReader::reset_or_fail(KafkaPartitionSplit& split, const std::stop_token& stop) {
  const auto [first, end] = range_of(split.partition, stop);
  move_to_range(split, first, end);
  consumer_.seek(split.partition, split.position);
}

/// Java's rule: with a reset of any kind reading goes on at the first offset that is not what it was.
void KafkaSplitReader::reset_truncated(const FetchedBuffer& buffer, KafkaPartitionSplit& split,
                                       const std::stop_token& stop) {
  if (config_->reset == OffsetReset::kNone) {
    throw user_error(4005, "{}: kafka {}; a job started anew reads what is there now; for this one to do so, set {}",
                     config_->owner(), buffer.error, config_->reset_choice());
  }
  split.position = buffer.truncated_to;
  if (split.position < 0) {  // nobody knows which it is
    const auto [first, end] = range_of(split.partition, stop);
    split.position = config_->reset == OffsetReset::kEarliest ? first : end;
  }
  log(LogLevel::kWarn, "kafka", "{}: kafka {}; going on at offset {} as {} is set", config_->owner(), buffer.error,
      split.position, config_->reset_name());
  consumer_.seek(split.partition, split.position);
}

void KafkaSplitReader::reset_recreated(KafkaPartitionSplit& split, const std::stop_token& stop) {
  const auto [first, end] = range_of(split.partition, stop);
  if (config_->reset == OffsetReset::kNone) {
    throw user_error(
        4005,
        "{}: kafka topic={} partition={} offset={} does not exist: the topic was deleted and created again, "
        "and the new one's partition, which holds offsets {} to {}, has nothing to do with it; to go on "
        "with what is there, set {}",
        config_->owner(), split.partition.topic, split.partition.partition, split.position, first, end,
        config_->reset_choice());
  }
  const int64_t old = split.position;
  split.position = config_->reset == OffsetReset::kEarliest ? first : end;
  log(LogLevel::kWarn, "kafka",
      "{}: topic={} was deleted and created again; partition={} was read to offset={} of the old one and goes on at {} "
      "of the new one as {} says",
      config_->owner(), split.partition.topic, split.partition.partition, old, split.position, config_->reset_name());
  consumer_.seek(split.partition, split.position);
}

/// A start behind the stop reads nothing, but it must exist: behind the end of the log it is a mistake, or what is left
/// of a topic that was made anew.
void KafkaSplitReader::reset_beyond_end(KafkaPartitionSplit& split, const std::stop_token& stop) {
  const auto [first, end] = range_of(split.partition, stop);
  if (split.position > end) move_to_range(split, first, end);
}

/// The first offset and the end of a partition, open transactions included.
std::pair<int64_t, int64_t> KafkaSplitReader::range_of(const TopicPartition& partition, const std::stop_token& stop) {
  KafkaSourceConfig whole = *config_;
  whole.properties["isolation.level"] = "read_uncommitted";
  Admin admin(whole.client_properties(ClientRole::kAdmin, std::to_string(subtask_) + "-offset-reset"), stop);
  const std::vector<TopicPartition> one{partition};
  const int64_t first = admin.earliest_offsets(one).at(partition);
  return {first, admin.end_offsets(one).at(partition)};
}

void KafkaSplitReader::move_to_range(KafkaPartitionSplit& split, int64_t first, int64_t end) {
  const int64_t wanted = split.position;
  const bool gone = wanted < first;
  if (config_->reset == OffsetReset::kNone) {
    throw user_error(4005,
                     "{}: kafka topic={} partition={} offset={} does not exist: the partition holds offsets {} to {}, "
                     "{} records {}; to go on with what is there, set {}",
                     config_->owner(), split.partition.topic, split.partition.partition, wanted, first, end,
                     gone ? first - wanted : std::max<int64_t>(wanted - end, 0),
                     gone ? "have been deleted before they were read"
                          : "are missing at its end (was the topic deleted and created again?)",
                     config_->reset_choice());
  }
  split.position = config_->reset == OffsetReset::kEarliest ? first : end;
  log(LogLevel::kWarn, "kafka",
      "{}: topic={} partition={} offset={} does not exist (it holds {} to {}); going on at {} as {} says, {} "
      "offsets {}",
      config_->owner(), split.partition.topic, split.partition.partition, wanted, first, end, split.position,
      config_->reset_name(), gone ? split.position - wanted : wanted - split.position,
      gone ? "further on" : "back (was the topic deleted and created again?)");
}

}  // namespace yeoul
