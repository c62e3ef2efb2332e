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
  const auto name_in = [&](const auto& topic) {
    const std::string* name = version >= kTopicIdsFrom ? name_of(topic.topic_id) : &topic.topic;
    return name == nullptr ? std::string() : *name;
  };
  for (const auto& topic : request.topics) {
    for (const auto& partition : topic.partitions) {
      session.partitions[{name_in(topic), partition.partition}] = {partition, -1};
    }
  }
  for (const auto& topic : request.forgotten_topics_data) {
    for (const int32_t index : topic.partitions) session.partitions.erase({name_in(topic), index});
  }
  return &session;
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
  if (partition->leader().node != node) return refuse(KafkaError::kNotLeaderOrFollower);
  if (asked.current_leader_epoch >= 0) {
    if (asked.current_leader_epoch < partition->leader().epoch) return refuse(KafkaError::kFencedLeaderEpoch);
    if (asked.current_leader_epoch > partition->leader().epoch) return refuse(KafkaError::kUnknownLeaderEpoch);
  }
  if (asked.fetch_offset < 0 || asked.fetch_offset > partition->end()) return refuse(KafkaError::kOffsetOutOfRange);
  const bool committed_only = request.isolation_level == 1;
  out.high_watermark = partition->end();
  out.last_stable_offset = partition->last_stable_offset();
  out.log_start_offset = 0;
  const int64_t up_to = committed_only ? out.last_stable_offset : partition->end();
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
  const bool whole = request.session_epoch <= 0;
  size_t bytes = 0;
  for (auto& [name, known] : session->partitions) {
    FetchResponse::PartitionData data;
    if (name.first.empty()) {
      data.partition_index = name.second;
      data.error_code = static_cast<int16_t>(KafkaError::kUnknownTopicId);
    } else if (bytes >= static_cast<size_t>(request.max_bytes)) {
      continue;
    } else {
      data = fetch(node, request, name.first, known.asked);
    }
    const bool news = data.error_code != 0 || !data.records.empty() || data.high_watermark != known.told_high_watermark;
    if (!whole && !news) continue;
    known.told_high_watermark = data.error_code == 0 ? data.high_watermark : -1;
    bytes += data.records.size();
    auto topic = std::find_if(response.responses.begin(), response.responses.end(),
                              [&](const auto& row) { return row.topic == name.first; });
    if (topic == response.responses.end()) {
      topic = response.responses.insert(response.responses.end(), FetchResponse::FetchableTopicResponse());
      topic->topic = name.first;
      if (!name.first.empty()) topic->topic_id = topics_.at(name.first).id;
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
      // Nothing is ever truncated: every epoch reaches to the end.
      const ModelPartition& partition = *find(topic.topic, asked.partition);
      row.leader_epoch = std::min(asked.leader_epoch, partition.leader().epoch);
      row.end_offset = partition.end();
    }
  }
  return response;
}

}  // namespace yeoul
