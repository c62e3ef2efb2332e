#include "yeoul/kafka/native/list_offsets_question.h"

#include <utility>

namespace yeoul {

ListOffsetsQuestion::ListOffsetsQuestion(std::set<TopicPartition> partitions, int64_t timestamp_ms, bool read_committed,
                                         const QuestionSettings& settings, int64_t now_ns)
    : ClusterQuestion("looking up offsets", settings, now_ns),
      timestamp_ms_(timestamp_ms),
      read_committed_(read_committed),
      open_(std::move(partitions)) {
  if (open_.empty()) succeed();
}

std::set<std::string> ListOffsetsQuestion::topics() const {
  std::set<std::string> topics;
  for (const TopicPartition& partition : open_) topics.insert(partition.topic);
  return topics;
}

int32_t ListOffsetsQuestion::leader_of(const TopicPartition& partition, const ClusterView& cluster) const {
  const PartitionView* view = cluster.find(partition);
  return view != nullptr && cluster.brokers().contains(view->leader) ? view->leader : -1;
}

std::set<int32_t> ListOffsetsQuestion::targets(ClusterView& cluster, int64_t now_ns) {
  std::set<int32_t> targets;
  if (!may_ask(now_ns)) return targets;
  for (const TopicPartition& partition : open_) {
    const int32_t leader = leader_of(partition, cluster);
    if (leader >= 0) {
      if (!on_their_way_.contains(leader)) targets.insert(leader);
      continue;
    }
    cluster.request_refresh();
    const TopicView* topic = cluster.find(partition.topic);
    if (topic == nullptr) continue;
    if (topic->is_refused()) {
      fail(to_string(partition) + ": " + name_of(topic->error));
      return {};
    }
    note(to_string(partition) +
         (topic->error == KafkaError::kNone ? std::string(" has no leader") : ": " + name_of(topic->error)));
  }
  return targets;
}

QuestionRequest ListOffsetsQuestion::take_request(int32_t target, const ClusterView& cluster) {
  on_their_way_.insert(target);
  ListOffsetsRequest request;
  request.isolation_level = read_committed_ ? 1 : 0;
  for (const TopicPartition& name : open_) {
    if (leader_of(name, cluster) != target) continue;
    if (request.topics.empty() || request.topics.back().name != name.topic) {
      request.topics.emplace_back().name = name.topic;
    }
    request.topics.back().partitions.push_back({name.partition, cluster.find(name)->leader_epoch, timestamp_ms_});
  }
  return request;
}

void ListOffsetsQuestion::on_answer(int32_t target, const std::string& broker, const QuestionResponse& response,
                                    ClusterView& cluster, int64_t now_ns) {
  on_their_way_.erase(target);
  for (const auto& topic : std::get<ListOffsetsResponse>(response).topics) {
    for (const auto& partition : topic.partitions) {
      const TopicPartition name{topic.name, partition.partition_index};
      if (is_done() || !open_.contains(name)) continue;
      // Records of before Apache Kafka 0.10 have no timestamps: none is found, as by Java's consumer.
      if (timestamp_ms_ >= 0 && kafka_error(partition.error_code) == KafkaError::kUnsupportedForMessageFormat) {
        offsets_[name] = -1;
        open_.erase(name);
        continue;
      }
      if (judge({kafka_error(partition.error_code), to_string(name)}, broker, cluster, now_ns)) continue;
      offsets_[name] = partition.offset;
      open_.erase(name);
    }
  }
  if (open_.empty()) succeed();
}

void ListOffsetsQuestion::on_failure(int32_t target, const std::string& reason, ClusterView& cluster, int64_t now_ns) {
  on_their_way_.erase(target);
  cluster.request_refresh();
  retry_later(reason, now_ns);
}

}  // namespace yeoul
