#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/base/split_reader.h"
#include "yeoul/connectors/kafka/consumer_metrics.h"
#include "yeoul/connectors/kafka/kafka_source_config.h"
#include "yeoul/connectors/kafka/kafka_split.h"
#include "yeoul/kafka/client/consumer.h"

namespace yeoul {

/// A buffer of one partition on its way from the fetcher to the task.
class KafkaFetchedBatch : public FetchedBatch {
 public:
  FetchedBuffer buffer;
  size_t next = 0;  ///< the record to take next; the task's
  int64_t fetched_at_ms = 0;
};

/// Fetches the partitions of a reader with one consumer, cuts them at their stopping offsets, and handles positions
/// that no longer exist. Threads: its fetcher's, but for wake_up() and commit().
class KafkaSplitReader : public SplitReader {
 public:
  /// @param metrics  where the consumer's own go; null: nowhere
  /// @param on_tick  called about every `tick_ms` on the fetcher's thread; 0: never
  KafkaSplitReader(std::shared_ptr<const KafkaSourceConfig> config, int subtask, MetricGroup* metrics,
                   Consumer::CommitListener on_commit, int64_t tick_ms, std::function<void()> on_tick);

  std::vector<std::unique_ptr<FetchedBatch>> fetch(std::stop_token stop) override;
  void add_splits(const std::vector<SourceSplit>& splits, std::stop_token stop) override;
  void pause_or_resume(std::span<const std::string> pause, std::span<const std::string> resume) override;
  void wake_up() override { consumer_.wake_up(); }
  /// Any thread.
  void commit(const PartitionOffsets& offsets) { consumer_.commit(offsets); }

 private:
  /// A partition that was deleted: @throws external error 4008; one that a pattern had found is only warned of, unless
  /// the read would never end without it. If it comes back that is trouble of its own.
  void report_gone(const KafkaPartitionSplit& split);
  std::unique_ptr<KafkaFetchedBatch> hand_over(FetchedBuffer buffer, const KafkaPartitionSplit& split);
  /// A partition that cannot be read on: throws, unless the user said where to go on.
  void handle_trouble(const FetchedBuffer& buffer, KafkaPartitionSplit& split, const std::stop_token& stop);
  /// An offset that does not exist, or means nothing: goes on where the user said, else throws user error 4005.
  void reset_or_fail(KafkaPartitionSplit& split, const std::stop_token& stop);
  void reset_truncated(const FetchedBuffer& buffer, KafkaPartitionSplit& split, const std::stop_token& stop);
  void reset_recreated(KafkaPartitionSplit& split, const std::stop_token& stop);
  void reset_beyond_end(KafkaPartitionSplit& split, const std::stop_token& stop);
  std::pair<int64_t, int64_t> range_of(const TopicPartition& partition, const std::stop_token& stop);
  void move_to_range(KafkaPartitionSplit& split, int64_t first, int64_t end);

  std::shared_ptr<const KafkaSourceConfig> config_;
  int subtask_;
  Consumer consumer_;
  std::optional<ConsumerMetrics> metrics_;
  int64_t tick_ms_;
  std::function<void()> on_tick_;
  std::map<TopicPartition, KafkaPartitionSplit> splits_;
  std::map<std::string, TopicPartition, std::less<>> partition_of_id_;
  /// Ended before anything was fetched.
  std::vector<std::unique_ptr<FetchedBatch>> ended_;
};

}  // namespace yeoul
