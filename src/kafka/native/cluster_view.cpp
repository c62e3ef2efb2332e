#include "yeoul/kafka/native/cluster_view.h"

#include <algorithm>
#include <utility>

namespace yeoul {

ClusterView::ClusterView(const ClusterSettings& settings, uint32_t seed)
    : settings_(settings), backoff_(settings.backoff_ns, settings.backoff_max_ns, seed) {}

void ClusterView::set_topics(std::set<std::string> topics) {
  refresh_ = refresh_ || !std::includes(topics_.begin(), topics_.end(), topics.begin(), topics.end());
  topics_ = std::move(topics);
  std::erase_if(views_, [&](const auto& view) { return !topics_.contains(view.first); });
}

int64_t ClusterView::due_at_ns() const {
  if (on_its_way_) return INT64_MAX;
  return refresh_ ? not_before_ns_ : old_at_ns_;
}

MetadataRequest ClusterView::take_request() {
  MetadataRequest request;
  request.allow_auto_topic_creation = settings_.creates_topics;
  request.topics.emplace();
  for (const std::string& name : topics_) request.topics->emplace_back().name = name;
  on_its_way_ = true;
  return request;
}

void ClusterView::on_answer(const MetadataResponse& response, int64_t now_ns) {
  // REBOOTSTRAP_REQUIRED (KIP-1102), from a broker of another cluster: another is asked, bootstrap servers among them.
  if (response.error_code != 0) return on_failure(now_ns);
  ++generation_;
  on_its_way_ = false;
  refresh_ = false;
  old_at_ns_ = now_ns + settings_.max_age_ns;
  controller_ = response.controller_id;
  if (!response.brokers.empty()) {
    brokers_.clear();
    for (const auto& broker : response.brokers) brokers_[broker.node_id] = {broker.host, broker.port};
  }
  bool complete = true;
  for (const auto& topic : response.topics) {
    if (!topic.name || !topics_.contains(*topic.name)) continue;
    complete = merge(*topic.name, topic) && complete;
    const TopicView& view = views_[*topic.name];
    complete = complete && view.error == KafkaError::kNone &&
               std::all_of(view.partitions.begin(), view.partitions.end(),
                           [&](const PartitionView& partition) { return brokers_.contains(partition.leader); });
  }
  if (complete) {
    backoff_.reset();
  } else {
    refresh_ = true;
  }
  not_before_ns_ = now_ns + backoff_.next_ns();
  if (complete) backoff_.reset();
}

/// @return false if it is of a topic that is known to be no more: brokers learn of a new one one after the other
bool ClusterView::merge(const std::string& name, const MetadataResponse::MetadataResponseTopic& answer) {
  TopicView& view = views_[name];
  if (std::find(view.past_ids.begin(), view.past_ids.end(), answer.topic_id) != view.past_ids.end()) return false;
  // One without an id that was unknown meanwhile may be another: its epochs begin anew.
  const bool may_be_another = answer.topic_id == Uuid{} && view.error == KafkaError::kUnknownTopicOrPartition;
  view.error = kafka_error(answer.error_code);
  if (view.error != KafkaError::kNone) return true;
  if (view.id != answer.topic_id || may_be_another) {
    if (view.id != Uuid{} && answer.topic_id != Uuid{}) view.past_ids.push_back(view.id);
    view.id = answer.topic_id;
    view.partitions.clear();
  }
  for (const auto& partition : answer.partitions) {
    if (partition.partition_index < 0 || static_cast<size_t>(partition.partition_index) >= answer.partitions.size())
      continue;
    if (view.partitions.size() < answer.partitions.size()) view.partitions.resize(answer.partitions.size());
    PartitionView& known = view.partitions[static_cast<size_t>(partition.partition_index)];
    // Brokers learn of a new leader one after the other: an older epoch is old news.
    if (partition.leader_epoch >= 0 && partition.leader_epoch < known.leader_epoch) continue;
    known = {partition.leader_id, partition.leader_epoch};
  }
  return true;
}

void ClusterView::on_failure(int64_t now_ns) {
  on_its_way_ = false;
  refresh_ = true;
  not_before_ns_ = now_ns + backoff_.next_ns();
}

int32_t ClusterView::coordinator(const CoordinatorKey& key) const {
  const auto found = coordinators_.find(key);
  return found != coordinators_.end() && brokers_.contains(found->second) ? found->second : -1;
}

void ClusterView::set_coordinator(const CoordinatorKey& key, int32_t broker, BrokerAddress address) {
  coordinators_[key] = broker;
  brokers_.try_emplace(broker, std::move(address));
}

const TopicView* ClusterView::find(const std::string& topic) const {
  const auto found = views_.find(topic);
  return found == views_.end() ? nullptr : &found->second;
}

const PartitionView* ClusterView::find(const TopicPartition& partition) const {
  const TopicView* topic = find(partition.topic);
  if (topic == nullptr || partition.partition < 0) return nullptr;
  const auto index = static_cast<size_t>(partition.partition);
  return index < topic->partitions.size() ? &topic->partitions[index] : nullptr;
}

void ClusterView::set_leader(const TopicPartition& partition, int32_t leader, int32_t leader_epoch) {
  const auto topic = views_.find(partition.topic);
  if (topic == views_.end() || find(partition) == nullptr) return;
  PartitionView& known = topic->second.partitions[static_cast<size_t>(partition.partition)];
  if (leader_epoch <= known.leader_epoch || !brokers_.contains(leader)) return;
  known = {leader, leader_epoch};
  ++generation_;
}

}  // namespace yeoul
