#include "yeoul/kafka/native/group_question.h"

#include <utility>

namespace yeoul {
namespace {

/// Later versions of these requests name topics by their ids.
constexpr int16_t kLastWithTopicNames = 9;

bool names_other_coordinator(KafkaError error) {
  return error == KafkaError::kNotCoordinator || error == KafkaError::kCoordinatorNotAvailable;
}

}  // namespace

GroupQuestion::GroupQuestion(std::string what, std::string group, const QuestionSettings& settings, int64_t now_ns)
    : ClusterQuestion(std::move(what), settings, now_ns), group_(std::move(group)) {}

std::set<int32_t> GroupQuestion::targets(ClusterView& cluster, int64_t now_ns) {
  if (on_its_way_ || !may_ask(now_ns)) return {};
  const int32_t coordinator = cluster.coordinator(group_);
  return {coordinator < 0 ? kAnyBroker : coordinator};
}

QuestionRequest GroupQuestion::take_request(int32_t target, const ClusterView& cluster) {
  (void)cluster;
  on_its_way_ = true;
  if (target != kAnyBroker) return request();
  FindCoordinatorRequest find;
  find.key = group_;
  find.coordinator_keys = {group_};
  return find;
}

void GroupQuestion::on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                              ClusterView& cluster, int64_t now_ns) {
  on_its_way_ = false;
  if (is_done()) return;
  if (target == kAnyBroker) return on_coordinator(broker, std::get<FindCoordinatorResponse>(response), cluster, now_ns);
  const Verdict verdict = take(response);
  if (names_other_coordinator(verdict.error)) cluster.forget_coordinator(group_);
  if (!judge(verdict, broker, cluster, now_ns)) succeed();
}

void GroupQuestion::on_coordinator(const std::string& broker, const FindCoordinatorResponse& response,
                                   ClusterView& cluster, int64_t now_ns) {
  FindCoordinatorResponse::Coordinator found{group_,        response.node_id,    response.host,
                                             response.port, response.error_code, response.error_message};
  for (const auto& one : response.coordinators) {
    if (one.key == group_) found = one;
  }
  const Verdict verdict{kafka_error(found.error_code), found.error_message.value_or("")};
  if (judge(verdict, broker, cluster, now_ns)) return;
  cluster.set_coordinator(group_, found.node_id, {found.host, found.port});
}

void GroupQuestion::on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) {
  on_its_way_ = false;
  if (target != kAnyBroker) cluster.forget_coordinator(group_);
  retry_later(reason, now_ns);
}

void GroupQuestion::on_unreachable(int32_t target, const std::string& reason, ClusterView& cluster) {
  if (target != kAnyBroker) cluster.forget_coordinator(group_);
  note(reason);
}

OffsetFetchQuestion::OffsetFetchQuestion(const std::string& group, std::set<KafkaPartition> partitions, bool stable,
                                         const QuestionSettings& settings, int64_t now_ns)
    : GroupQuestion("reading committed offsets", group, settings, now_ns),
      partitions_(std::move(partitions)),
      stable_(stable) {}

int16_t OffsetFetchQuestion::newest_version() const {
  return kLastWithTopicNames;
}

QuestionRequest OffsetFetchQuestion::request() const {
  OffsetFetchRequest request;
  request.require_stable = stable_;
  request.group_id = group();
  request.topics.emplace();
  auto& in_group = request.groups.emplace_back();
  in_group.group_id = group();
  in_group.topics.emplace();
  for (const KafkaPartition& partition : partitions_) {
    if (request.topics->empty() || request.topics->back().name != partition.topic) {
      request.topics->emplace_back().name = partition.topic;
      in_group.topics->emplace_back().name = partition.topic;
    }
    request.topics->back().partition_indexes.push_back(partition.index);
    in_group.topics->back().partition_indexes.push_back(partition.index);
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
      const KafkaPartition name{topic.name, partition.partition_index};
      if (partition.error_code != 0) return {kafka_error(partition.error_code), to_string(name)};
      if (partition.committed_offset >= 0) offsets_[name] = partition.committed_offset;
    }
  }
  return {};
}

OffsetCommitQuestion::OffsetCommitQuestion(const std::string& group, std::map<KafkaPartition, int64_t> offsets,
                                           const QuestionSettings& settings, int64_t now_ns)
    : GroupQuestion("committing offsets", group, settings, now_ns), offsets_(std::move(offsets)) {}

int16_t OffsetCommitQuestion::newest_version() const {
  return kLastWithTopicNames;
}

QuestionRequest OffsetCommitQuestion::request() const {
  OffsetCommitRequest request;
  request.group_id = group();
  for (const auto& [name, offset] : offsets_) {
    if (request.topics.empty() || request.topics.back().name != name.topic) {
      request.topics.emplace_back().name = name.topic;
    }
    auto& partition = request.topics.back().partitions.emplace_back();
    partition.partition_index = name.index;
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
      return {error, to_string(KafkaPartition{topic.name, partition.partition_index}), final};
    }
  }
  return {};
}

}  // namespace yeoul
