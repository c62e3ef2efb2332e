#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "yeoul/kafka/native/cluster_question.h"
#include "yeoul/kafka/native/kafka_partition.h"

namespace yeoul {

/// A request to the coordinator of a group, which is found first, and again when it has moved. A state machine without
/// I/O. Threads: one at a time.
class GroupQuestion : public ClusterQuestion {
 public:
  GroupQuestion(std::string what, std::string group, const QuestionSettings& settings, int64_t now_ns);

  std::set<int32_t> targets(ClusterView& cluster, int64_t now_ns) override;
  QuestionRequest take_request(int32_t target, const ClusterView& cluster) override;
  void on_answer(int32_t target, const std::string& broker, const QuestionResponse& response, ClusterView& cluster,
                 int64_t now_ns) override;
  void on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) override;
  void on_unreachable(int32_t target, const std::string& reason, ClusterView& cluster) override;

 protected:
  const std::string& group() const { return group_; }
  virtual QuestionRequest request() const = 0;
  virtual Verdict take(const QuestionResponse& response) = 0;

 private:
  void on_coordinator(const std::string& broker, const FindCoordinatorResponse& response, ClusterView& cluster,
                      int64_t now_ns);

  std::string group_;
  bool on_its_way_ = false;
};

/// Reads what a group has committed.
class OffsetFetchQuestion final : public GroupQuestion {
 public:
  /// @param stable  waits for offsets that a transaction is about to commit
  OffsetFetchQuestion(const std::string& group, std::set<KafkaPartition> partitions, bool stable,
                      const QuestionSettings& settings, int64_t now_ns);

  /// Partitions without a commit are absent.
  const std::map<KafkaPartition, int64_t>& offsets() const { return offsets_; }
  int16_t newest_version() const override;

 protected:
  QuestionRequest request() const override;
  Verdict take(const QuestionResponse& response) override;

 private:
  template <class Topics>
  Verdict take_topics(const Topics& topics);

  std::set<KafkaPartition> partitions_;
  bool stable_;
  std::map<KafkaPartition, int64_t> offsets_;
};

/// Commits offsets for a group without being its member (ruling 22).
class OffsetCommitQuestion final : public GroupQuestion {
 public:
  OffsetCommitQuestion(const std::string& group, std::map<KafkaPartition, int64_t> offsets,
                       const QuestionSettings& settings, int64_t now_ns);

  int16_t newest_version() const override;

 protected:
  QuestionRequest request() const override;
  Verdict take(const QuestionResponse& response) override;

 private:
  std::map<KafkaPartition, int64_t> offsets_;
};

}  // namespace yeoul
