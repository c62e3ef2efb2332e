#include <algorithm>

#include "yeoul/testing/kafka/model_cluster.h"

// What brokers answer to readers: fetches with their sessions (KIP-227), offsets by time, ends of leader epochs.

namespace yeoul {

ModelCluster::Session* ModelCluster::session_of(int32_t node, const FetchRequest& request, int16_t version,
                                                FetchResponse& response) {
  constexpr int16_t kTopicIdsFrom = 13;
  auto& sessions = sessions_[static_cast<size_t>(node)];
  if (request.session_epoch <= 0) {
    sessions.erase(request.session_id);
    response.session_id = request.session_epoch == 0 ? next_session_++ : 0;
  } else {
    const auto found = sessions.find(request.session_id);
    if (found == sessions.end() || random_.chance(moods.lost_session)) {
      response.error_code = static_cast<int16_t>(KafkaError::kFetchSessionIdNotFound);
      return nullptr;
    }
    if (found->second.epoch != request.session_epoch) {
      response.error_code = static_cast<int16_t>(KafkaError::kInvalidFetchSessionEpoch);
      return nullptr;
    }
    response.session_id = request.session_id;
  }
  Session& session = sessions[response.session_id];
  const auto key_of = [&](const auto& topic, int32_t partition) {
    const bool by_id = version >= kTopicIdsFrom;
    return SessionKey{by_id ? "" : topic.topic, by_id ? topic.topic_id : Uuid(), partition};
  };
  for (const auto& topic : request.topics) {
    for (const auto& partition : topic.partitions) {
      session.partitions[key_of(topic, partition.partition)] = {partition, -1};
    }
  }
  for (const auto& topic : request.forgotten_topics_data) {
    for (const int32_t index : topic.partitions) session.partitions.erase(key_of(topic, index));
  }
  return &session;
}

int64_t ModelCluster::end_at(int32_t node, const TopicPartition& partition) const {
  if (const ModelPartition* log = find(partition); log->leader().node == node) return log->end();
  const auto ends = replica_ends_.find(partition);
  return ends == replica_ends_.end() ? -1 : ends->second[static_cast<size_t>(node)];
}

int32_t ModelCluster::nearest_follower(const FetchRequest& request, const TopicPartition& partition,
                                       int64_t offset) const {
  for (int32_t node = 0; node < num_nodes(); ++node) {
    if (rack_of(node) != request.rack_id || !listed_[static_cast<size_t>(node)]) continue;
    return end_at(node, partition) >= offset ? node : -1;
  }
  return -1;
}

FetchResponse::PartitionData ModelCluster::fetch(int32_t node, const FetchRequest& request, const std::string& topic,
                                                 const FetchRequest::FetchPartition& asked) {
  FetchResponse::PartitionData out;
  out.partition_index = asked.partition;
  const auto refuse = [&](KafkaError error) {
    out.error_code = static_cast<int16_t>(error);
    out.high_watermark = -1;
    return out;
  };
  const ModelPartition* partition = find(topic, asked.partition);
  if (partition == nullptr) return refuse(KafkaError::kUnknownTopicOrPartition);
  const TopicPartition name{topic, asked.partition};
  const bool leads = partition->leader().node == node;
  const int64_t end = end_at(node, name);
  if (!leads && (request.rack_id.empty() || end < 0)) return refuse(KafkaError::kNotLeaderOrFollower);
  if (asked.current_leader_epoch >= 0) {
    if (asked.current_leader_epoch < partition->leader().epoch) return refuse(KafkaError::kFencedLeaderEpoch);
    if (asked.current_leader_epoch > partition->leader().epoch) return refuse(KafkaError::kUnknownLeaderEpoch);
  }
  if (asked.last_fetched_epoch >= 0 && !sabotage_.hides_truncation) {
    const ModelEpochEnd known = partition->end_of_epoch(asked.last_fetched_epoch);
    if (known.epoch < 0) return refuse(KafkaError::kOffsetOutOfRange);
    if (known.epoch < asked.last_fetched_epoch || known.end < asked.fetch_offset) {
      out.diverging_epoch = {known.epoch, known.end};
      out.high_watermark = partition->end();
      out.last_stable_offset = partition->last_stable_offset();
      return out;
    }
  }
  if (asked.fetch_offset < 0 || asked.fetch_offset > end) return refuse(KafkaError::kOffsetOutOfRange);
  const bool committed_only = request.isolation_level == 1;
  out.high_watermark = end;
  out.last_stable_offset = leads ? partition->last_stable_offset() : partition->last_stable_offset(end);
  out.log_start_offset = 0;
  if (const int32_t nearest = leads ? nearest_follower(request, name, asked.fetch_offset) : -1;
      nearest >= 0 && nearest != node) {
    out.preferred_read_replica = nearest;
    return out;
  }
  if (!leads) ++num_fetches_from_followers_;
  const bool undecided = !committed_only || (sabotage_.tells_undecided && !leads);
  const int64_t up_to = undecided ? end : out.last_stable_offset;
  int64_t from = asked.fetch_offset;
  if (sabotage_.skips_batch && random_.chance(20)) from += 3;
  std::string records = partition->read(from, up_to, static_cast<size_t>(asked.partition_max_bytes));
  // A set may end in the middle of a batch.
  if (records.size() > 300 && random_.chance(50)) records += records.substr(0, 40);
  if (committed_only) out.aborted_transactions = partition->aborted_in(asked.fetch_offset, up_to);
  if (!records.empty()) out.records = records_.emplace_back(std::move(records));
  return out;
}

FetchResponse ModelCluster::answer(int32_t node, const FetchRequest& request, int16_t version, int64_t) {
  FetchResponse response;
  Session* session = session_of(node, request, version, response);
  if (session == nullptr) return response;
  if (throttle_ms_ > 0) {
    // It says nothing of any partition, and begins no session.
    if (request.session_epoch > 0) {
      session->epoch = request.session_epoch + 1;
    } else {
      sessions_[static_cast<size_t>(node)].erase(response.session_id);
      response.session_id = 0;
    }
    return response;
  }
  const bool whole = request.session_epoch <= 0;
  size_t bytes = 0;
  for (auto& [key, known] : session->partitions) {
    FetchResponse::PartitionData data;
    const std::string* name = key.name.empty() ? name_of(key.id) : &key.name;
    if (name == nullptr) {
      data.partition_index = key.partition;
      data.error_code = static_cast<int16_t>(KafkaError::kUnknownTopicId);
    } else if (bytes >= static_cast<size_t>(request.max_bytes)) {
      continue;
    } else {
      data = fetch(node, request, *name, known.asked);
    }
    const bool news = data.error_code != 0 || !data.records.empty() || data.preferred_read_replica >= 0 ||
                      data.diverging_epoch.end_offset >= 0 || data.high_watermark != known.told_high_watermark;
    if (!whole && !news) continue;
    known.told_high_watermark = data.error_code == 0 ? data.high_watermark : -1;
    bytes += data.records.size();
    auto topic = std::find_if(response.responses.begin(), response.responses.end(),
                              [&](const auto& row) { return row.topic == key.name && row.topic_id == key.id; });
    if (topic == response.responses.end()) {
      topic = response.responses.insert(response.responses.end(), FetchResponse::FetchableTopicResponse());
      topic->topic = key.name;
      topic->topic_id = key.id;
    }
    topic->partitions.push_back(std::move(data));
  }
  if (request.session_epoch == -1) {
    sessions_[static_cast<size_t>(node)].erase(response.session_id);
    response.session_id = 0;
  } else {
    session->epoch = request.session_epoch + 1;
  }
  return response;
}

ListOffsetsResponse ModelCluster::answer(int32_t node, const ListOffsetsRequest& request, int16_t, int64_t) {
  constexpr int64_t kEarliest = -2;
  ListOffsetsResponse response;
  for (const auto& topic : request.topics) {
    auto& out = response.topics.emplace_back();
    out.name = topic.name;
    for (const auto& asked : topic.partitions) {
      auto& row = out.partitions.emplace_back();
      row.partition_index = asked.partition_index;
      if (find(topic.name, asked.partition_index) == nullptr) {
        row.error_code = static_cast<int16_t>(KafkaError::kUnknownTopicOrPartition);
        continue;
      }
      if (!leads(node, topic.name, asked.partition_index)) {
        row.error_code = static_cast<int16_t>(KafkaError::kNotLeaderOrFollower);
        continue;
      }
      const ModelPartition& partition = *find(topic.name, asked.partition_index);
      row.leader_epoch = partition.leader().epoch;
      const int64_t end = request.isolation_level == 1 ? partition.last_stable_offset() : partition.end();
      row.offset = asked.timestamp == kEarliest ? 0 : end;
    }
  }
  return response;
}

OffsetForLeaderEpochResponse ModelCluster::answer(int32_t node, const OffsetForLeaderEpochRequest& request, int16_t,
                                                  int64_t) {
  OffsetForLeaderEpochResponse response;
  for (const auto& topic : request.topics) {
    auto& out = response.topics.emplace_back();
    out.topic = topic.topic;
    for (const auto& asked : topic.partitions) {
      auto& row = out.partitions.emplace_back();
      row.partition = asked.partition;
      if (!leads(node, topic.topic, asked.partition)) {
        row.error_code = static_cast<int16_t>(KafkaError::kNotLeaderOrFollower);
        continue;
      }
      const ModelPartition& partition = *find(topic.topic, asked.partition);
      const ModelEpochEnd known = partition.end_of_epoch(asked.leader_epoch);
      row.leader_epoch = sabotage_.hides_truncation ? asked.leader_epoch : known.epoch;
      row.end_offset = sabotage_.hides_truncation ? partition.end() : known.end;
    }
  }
  return response;
}

}  // namespace yeoul
