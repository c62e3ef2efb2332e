#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "yeoul/kafka/native/cluster_question.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// Looks up offsets by time, of each partition with its leader; the leaders of several partitions are asked at once. A
/// state machine without I/O. Threads: one at a time.
class ListOffsetsQuestion final : public ClusterQuestion {
 public:
  /// "Timestamps" that stand for the ends of a partition.
  static constexpr int64_t kLatest = -1;
  static constexpr int64_t kEarliest = -2;

  /// @param read_committed  the end is the last stable offset
  ListOffsetsQuestion(std::set<TopicPartition> partitions, int64_t timestamp_ms, bool read_committed,
                      const QuestionSettings& settings, int64_t now_ns);

  /// Once it is done. -1: no record is that new.
  const PartitionOffsets& offsets() const { return offsets_; }

  std::set<std::string> topics() const override;
  std::set<int32_t> targets(ClusterView& cluster, int64_t now_ns) override;
  QuestionRequest take_request(int32_t target, const ClusterView& cluster) override;
  void on_answer(int32_t target, const std::string& broker, const QuestionResponse& response, ClusterView& cluster,
                 int64_t now_ns) override;
  void on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) override;

 private:
  int32_t leader_of(const TopicPartition& partition, const ClusterView& cluster) const;

  int64_t timestamp_ms_;
  bool read_committed_;
  std::set<TopicPartition> open_;
  std::set<int32_t> on_their_way_;
  PartitionOffsets offsets_;
};

}  // namespace yeoul
