#include "yeoul/kafka/native/fetch_session.h"

#include <utility>

namespace yeoul {
namespace {

/// The topic's entry in a list of a request: the last one, or another if that is of another topic, so that the order of
/// the targets stays.
template <class Topic>
Topic& topic_entry(std::vector<Topic>& topics, const std::string& name, const Uuid& id) {
  if (topics.empty() || topics.back().topic != name || topics.back().topic_id != id) {
    topics.emplace_back();
    topics.back().topic = name;
    topics.back().topic_id = id;
  }
  return topics.back();
}

void add_target(const FetchTarget& target, FetchRequest& request) {
  auto& entry = topic_entry(request.topics, target.partition.topic, target.topic_id).partitions.emplace_back();
  entry.partition = target.partition.partition;
  entry.current_leader_epoch = target.leader_epoch;
  entry.fetch_offset = target.offset;
  entry.last_fetched_epoch = target.last_fetched_epoch;
  entry.partition_max_bytes = target.max_bytes;
}

}  // namespace

void FetchSession::fill(std::span<const FetchTarget> targets, FetchRequest& request) {
  request.session_id = id_;
  request.session_epoch = epoch_;
  std::map<TopicPartition, FetchTarget> wanted;
  for (const FetchTarget& target : targets) {
    wanted.emplace(target.partition, target);
    const auto known = known_.find(target.partition);
    if (epoch_ == 0 || known == known_.end() || known->second != target) add_target(target, request);
  }
  for (const auto& [partition, target] : known_) {
    const auto still = wanted.find(partition);
    const bool other_topic = still != wanted.end() && still->second.topic_id != target.topic_id;
    if (epoch_ == 0 || (still != wanted.end() && !other_topic)) continue;
    topic_entry(request.forgotten_topics_data, partition.topic, target.topic_id)
        .partitions.push_back(partition.partition);
  }
  known_ = std::move(wanted);
}

bool FetchSession::on_answer(const FetchResponse& response) {
  if (response.error_code != 0) {
    id_ = 0;
    epoch_ = 0;
    return false;
  }
  id_ = response.session_id;
  if (id_ == 0) {
    epoch_ = 0;  // the broker has no room for another session
  } else {
    epoch_ = epoch_ == INT32_MAX ? 1 : epoch_ + 1;
  }
  return true;
}

}  // namespace yeoul
