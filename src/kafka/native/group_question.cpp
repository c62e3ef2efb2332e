#include "yeoul/kafka/native/group_question.h"

#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// Later versions of these requests name topics by their ids.
constexpr int16_t kLastWithTopicNames = 9;

}  // namespace

OffsetFetchQuestion::OffsetFetchQuestion(const std::string& group, std::set<TopicPartition> partitions, bool stable,
                                         const QuestionSettings& settings, int64_t now_ns)
    : CoordinatorQuestion(fmt::format("reading committed offsets of group '{}'", group),
                          {CoordinatorType::kGroup, group}, settings, now_ns),
      partitions_(std::move(partitions)),
      stable_(stable) {}

int16_t OffsetFetchQuestion::newest_version() const {
  return kLastWithTopicNames;
}

QuestionRequest OffsetFetchQuestion::request() const {
  OffsetFetchRequest request;
  request.require_stable = stable_;
  request.group_id = id();
  request.topics.emplace();
  auto& in_group = request.groups.emplace_back();
  in_group.group_id = id();
  in_group.topics.emplace();
  for (const TopicPartition& partition : partitions_) {
    if (request.topics->empty() || request.topics->back().name != partition.topic) {
      request.topics->emplace_back().name = partition.topic;
      in_group.topics->emplace_back().name = partition.topic;
    }
    request.topics->back().partition_indexes.push_back(partition.partition);
    in_group.topics->back().partition_indexes.push_back(partition.partition);
  }
  return request;
}

Verdict OffsetFetchQuestion::take(const QuestionResponse& any) {
  const auto& response = std::get<OffsetFetchResponse>(any);
  offsets_.clear();
  if (response.error_code != 0) return {kafka_error(response.error_code), {}};
  for (const auto& one : response.groups) {
    if (one.error_code != 0) return {kafka_error(one.error_code), {}};
    if (const Verdict verdict = take_topics(one.topics); verdict.error != KafkaError::kNone) return verdict;
  }
  return take_topics(response.topics);
}

template <class Topics>
Verdict OffsetFetchQuestion::take_topics(const Topics& topics) {
  for (const auto& topic : topics) {
    for (const auto& partition : topic.partitions) {
      const TopicPartition name{topic.name, partition.partition_index};
      if (partition.error_code != 0) return {kafka_error(partition.error_code), to_string(name)};
      if (partition.committed_offset >= 0) offsets_[name] = partition.committed_offset;
    }
  }
  return {};
}

OffsetCommitQuestion::OffsetCommitQuestion(const std::string& group, PartitionOffsets offsets,
                                           const QuestionSettings& settings, int64_t now_ns)
    : CoordinatorQuestion("committing offsets", {CoordinatorType::kGroup, group}, settings, now_ns),
      offsets_(std::move(offsets)) {}

int16_t OffsetCommitQuestion::newest_version() const {
  return kLastWithTopicNames;
}

QuestionRequest OffsetCommitQuestion::request() const {
  OffsetCommitRequest request;
  request.group_id = id();
  for (const auto& [name, offset] : offsets_) {
    if (request.topics.empty() || request.topics.back().name != name.topic) {
      request.topics.emplace_back().name = name.topic;
    }
    auto& partition = request.topics.back().partitions.emplace_back();
    partition.partition_index = name.partition;
    partition.committed_offset = offset;
    partition.committed_metadata = "";
  }
  return request;
}

Verdict OffsetCommitQuestion::take(const QuestionResponse& response) {
  for (const auto& topic : std::get<OffsetCommitResponse>(response).topics) {
    for (const auto& partition : topic.partitions) {
      if (partition.error_code == 0) continue;
      const KafkaError error = kafka_error(partition.error_code);
      // The topic is gone; others that were committed with it must not wait for its return.
      const bool final = error == KafkaError::kUnknownTopicOrPartition;
      return {error, to_string(TopicPartition{topic.name, partition.partition_index}), final};
    }
  }
  return {};
}

}  // namespace yeoul
