#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/native/fetch_machine.h"
#include "yeoul/kafka/protocol/kafka_error.h"

// How the fetch machine finds out that what was read was lost: the leader of a partition has other records now.

namespace yeoul {

bool FetchMachine::needs_check(const Partition& partition, const PartitionView& leader) const {
  return partition.last_epoch >= 0 && leader.leader_epoch >= 0 && partition.checked_epoch != leader.leader_epoch;
}

std::optional<OffsetForLeaderEpochRequest> FetchMachine::next_check(int32_t broker, const ClusterView& cluster,
                                                                    int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  if (state.compares_epochs || state.check_on_its_way || state.not_before_ns > now_ns) return std::nullopt;
  OffsetForLeaderEpochRequest request;
  state.checking.clear();
  for (auto& [name, partition] : partitions_) {
    if (partition.paused || partition.stopped || partition.not_before_ns > now_ns) continue;
    const PartitionView* view = cluster.find(name);
    if (view == nullptr || view->leader != broker || !needs_check(partition, *view)) continue;
    if (!may_fetch(name, partition, cluster, now_ns)) continue;
    if (request.topics.empty() || request.topics.back().topic != name.topic) {
      request.topics.emplace_back().topic = name.topic;
    }
    request.topics.back().partitions.push_back({name.partition, view->leader_epoch, partition.last_epoch});
    state.checking[name] = {partition.generation, view->leader_epoch, partition.last_epoch};
  }
  if (request.topics.empty()) return std::nullopt;
  state.check_on_its_way = true;
  return request;
}

void FetchMachine::on_check(int32_t broker, const OffsetForLeaderEpochResponse& response, ClusterView& cluster,
                            int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  state.check_on_its_way = false;
  for (const auto& topic : response.topics) {
    for (const auto& result : topic.partitions) {
      const TopicPartition name{topic.topic, result.partition};
      const auto asked = state.checking.find(name);
      const auto partition = partitions_.find(name);
      if (asked == state.checking.end() || partition == partitions_.end()) continue;
      if (partition->second.stopped || partition->second.generation != asked->second.generation) continue;
      // What the leader before had still on its way may have come meanwhile.
      if (partition->second.last_epoch != asked->second.last_epoch) continue;
      on_checked(name, partition->second, asked->second, result, cluster, now_ns);
    }
  }
}

void FetchMachine::on_checked(const TopicPartition& name, Partition& partition, const Asked& asked,
                              const OffsetForLeaderEpochResponse::EpochEndOffset& result, ClusterView& cluster,
                              int64_t now_ns) {
  const KafkaError error = kafka_error(result.error_code);
  switch (error) {
    case KafkaError::kNone:
      // The end of the newest epoch up to that of what was read; nothing, where the leader knows of no such epoch.
      if (result.leader_epoch < 0 || result.end_offset < partition.position) {
        return lose_records(name, partition, result.leader_epoch < 0 ? -1 : result.end_offset);
      }
      [[fallthrough]];
    // Before Apache Kafka 2.3 only who may administer the cluster may ask: then it is not known, as for Java's client.
    case KafkaError::kTopicAuthorizationFailed:
    case KafkaError::kClusterAuthorizationFailed:
      partition.checked_epoch = asked.leader_epoch;
      return;
    default:
      break;
  }
  partition.not_before_ns = now_ns + settings_.retry_backoff_ns;
  if (is_stale_metadata(error)) cluster.request_refresh();
  if (error == KafkaError::kUnknownTopicOrPartition) deny(name, partition, now_ns);
}

void FetchMachine::on_check_failure(int32_t broker, int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  state.check_on_its_way = false;
  state.not_before_ns = now_ns + settings_.retry_backoff_ns;
}

/// @param from_offset  the first that is not what it was; -1: not known
void FetchMachine::lose_records(const TopicPartition& name, Partition& partition, int64_t from_offset) {
  const std::string why = fmt::format(
      "records were lost that had been read: the partition's leader has {}; an unclean leader election does that",
      from_offset < 0 ? "none of the time in which they were written"
                      : fmt::format("others from offset {} on", from_offset));
  stop_with(name, partition, FetchTrouble::kTruncated, why).truncated_to = from_offset;
}

}  // namespace yeoul
