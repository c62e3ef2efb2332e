#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/connectors/kafka/kafka_source_config.h"
#include "yeoul/connectors/kafka/kafka_split.h"
#include "yeoul/connectors/kafka/offset_resolver.h"

namespace yeoul {

/// Finds the partitions of a Kafka source, now and every discovery interval, and pushes them to the readers
/// (KD-049…053, KD-096, KD-097). Threads: the coordinator's; look-ups run on the I/O pool, one at a time.
class KafkaSourceEnumerator : public SplitEnumerator {
 public:
  KafkaSourceEnumerator(SplitEnumeratorContext& context, std::shared_ptr<const KafkaSourceConfig> config,
                        const std::optional<std::string>& restored);

  void start() override;
  void add_reader(int subtask) override;
  void add_splits_back(std::vector<SourceSplit> splits, int subtask) override;
  std::string snapshot(int64_t checkpoint_id) override;
  void close() override { look_up_->stop.request_stop(); }

 private:
  /// What look-ups on the I/O pool share.
  struct LookUp {
    std::mutex mutex;  ///< one look-up at a time
    std::stop_source stop;
    std::unique_ptr<OffsetResolver> resolver;
    bool discovered = false;  ///< once, so that a later failure is worth another try
  };

  void restore(const std::string& bytes);
  std::function<void()> discover();
  void take_partitions(std::vector<TopicPartition> found);
  void take_splits(const std::vector<KafkaPartitionSplit>& splits);
  void assign_pending();

  SplitEnumeratorContext& context_;
  std::shared_ptr<const KafkaSourceConfig> config_;
  std::shared_ptr<LookUp> look_up_ = std::make_shared<LookUp>();
  /// The first partitions have their offsets: what is found from now on is new.
  bool initialized_ = false;
  bool resolving_ = false;
  std::set<TopicPartition> known_;
  std::map<TopicPartition, SourceSplit> pending_;
  std::set<int> told_no_more_;
};

}  // namespace yeoul
