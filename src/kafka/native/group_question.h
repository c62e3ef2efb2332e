#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "yeoul/kafka/native/coordinator_question.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// Reads what a group has committed.
class OffsetFetchQuestion final : public CoordinatorQuestion {
 public:
  /// @param stable  waits for offsets that a transaction is about to commit
  OffsetFetchQuestion(const std::string& group, std::set<TopicPartition> partitions, bool stable,
                      const QuestionSettings& settings, int64_t now_ns);

  /// Partitions without a commit are absent.
  const PartitionOffsets& offsets() const { return offsets_; }
  int16_t newest_version() const override;

 protected:
  QuestionRequest request() const override;
  Verdict take(const QuestionResponse& response) override;

 private:
  template <class Topics>
  Verdict take_topics(const Topics& topics);

  std::set<TopicPartition> partitions_;
  bool stable_;
  PartitionOffsets offsets_;
};

/// Commits offsets for a group without being its member (ruling 22).
class OffsetCommitQuestion final : public CoordinatorQuestion {
 public:
  OffsetCommitQuestion(const std::string& group, PartitionOffsets offsets, const QuestionSettings& settings,
                       int64_t now_ns);

  int16_t newest_version() const override;

 protected:
  QuestionRequest request() const override;
  Verdict take(const QuestionResponse& response) override;

 private:
  PartitionOffsets offsets_;
};

}  // namespace yeoul
