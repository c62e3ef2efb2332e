#include "yeoul/kafka/native/fetch_machine.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/kafka_error.h"

namespace yeoul {
namespace {

constexpr int64_t kNoTime = INT64_MAX;
constexpr int16_t kLastVersionWithNames = 12;
constexpr int64_t kPreferredReplicaForNs = 300'000'000'000;
/// Leaders send to the nearest replica whether the client reaches it or not.
constexpr int64_t kLeadersOnlyForNs = 10'000'000'000;
/// How often partitions are looked for that are gone.
constexpr int64_t kLookForGoneNs = 1'000'000'000;
/// Less than this is not worth a request.
constexpr size_t kSmallestFetch = size_t{1} << 20;
constexpr int64_t kNanosPerMilli = 1'000'000;
/// How often room is looked for where there is none; other threads make it.
constexpr int64_t kLookForRoomNs = 5 * kNanosPerMilli;
/// What is buffered may wait for records of other partitions, so that room never comes: then a little is fetched.
constexpr int64_t kNoRoomAtMostNs = 1'000 * kNanosPerMilli;

}  // namespace

FetchMachine::FetchMachine(const FetchSettings& settings, BufferPool& pool)
    : settings_(settings), pool_(pool), arena_(pool), decoder_({settings.check_crcs}) {}

void FetchMachine::assign(const TopicPartition& partition, const FetchPosition& position) {
  Partition& state = partitions_[partition];
  state = {};
  state.position = position.offset;
  state.last_epoch = position.epoch;
  state.topic_id = position.topic_id;
  state.generation = next_generation_++;
}

void FetchMachine::unassign(const TopicPartition& partition) {
  partitions_.erase(partition);
}

void FetchMachine::seek(const TopicPartition& partition, int64_t offset) {
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return;
  const bool paused = found->second.paused;
  assign(partition, {offset, -1, {}});
  found->second.paused = paused;
}

void FetchMachine::pause(const TopicPartition& partition) {
  const auto found = partitions_.find(partition);
  if (found != partitions_.end()) found->second.paused = true;
}

void FetchMachine::resume(const TopicPartition& partition) {
  const auto found = partitions_.find(partition);
  if (found != partitions_.end()) found->second.paused = false;
}

std::set<std::string> FetchMachine::topics() const {
  std::set<std::string> topics;
  for (const auto& [name, partition] : partitions_) topics.insert(name.topic);
  return topics;
}

int32_t FetchMachine::broker_of(const TopicPartition& name, const Partition& partition,
                                const ClusterView& cluster) const {
  const PartitionView* view = cluster.find(name);
  if (view == nullptr) return -1;
  if (partition.preferred_replica >= 0 && cluster.brokers().contains(partition.preferred_replica)) {
    return partition.preferred_replica;
  }
  if (!cluster.brokers().contains(view->leader)) return -1;
  return view->leader;
}

std::set<int32_t> FetchMachine::brokers(const ClusterView& cluster) const {
  std::set<int32_t> brokers;
  for (const auto& [name, partition] : partitions_) {
    if (partition.paused || partition.stopped) continue;
    brokers.insert(broker_of(name, partition, cluster));
    const PartitionView* view = cluster.find(name);
    if (view == nullptr || !needs_check(partition, *view) || !cluster.brokers().contains(view->leader)) continue;
    const auto leader = brokers_.find(view->leader);
    if (leader != brokers_.end() && !leader->second.compares_epochs) brokers.insert(view->leader);
  }
  brokers.erase(-1);
  return brokers;
}

bool FetchMachine::lacks_leaders(const ClusterView& cluster, int64_t now_ns) {
  bool any_gone = false;
  for (const auto& [name, partition] : partitions_) {
    if (!partition.stopped && broker_of(name, partition, cluster) < 0) return true;
    any_gone = any_gone || partition.gone;
  }
  if (!any_gone || look_for_gone_at_ns_ > now_ns) return false;
  look_for_gone_at_ns_ = now_ns + kLookForGoneNs;
  return true;
}

/// Looks at what the view says of a partition: it may be gone, or another's.
bool FetchMachine::may_fetch(const TopicPartition& name, Partition& partition, const ClusterView& cluster,
                             int64_t now_ns) {
  const TopicView* topic = cluster.find(name.topic);
  if (topic == nullptr) return false;
  const bool unknown = topic->error == KafkaError::kUnknownTopicOrPartition ||
                       topic->error == KafkaError::kUnknownTopicId ||
                       (topic->error == KafkaError::kNone && cluster.find(name) == nullptr);
  if (unknown) {
    deny(name, partition, now_ns);
    return false;
  }
  if (topic->is_refused()) {
    const bool forbidden = topic->error == KafkaError::kTopicAuthorizationFailed;
    stop_with(
        name, partition, FetchTrouble::kFailed,
        fmt::format("the brokers refuse to say where the topic is: {}{}", name_of(topic->error),
                    forbidden ? "; the user that the job logs in as needs the rights to Describe and Read it" : ""));
    return false;
  }
  if (topic->id == Uuid{}) return true;
  if (partition.topic_id == Uuid{}) partition.topic_id = topic->id;
  if (topic->id == partition.topic_id) return true;
  stop_with(name, partition, FetchTrouble::kRecreated,
            "the topic was deleted and created again, so that the position means nothing any more");
  return false;
}

/// A broker says that the partition does not exist.
void FetchMachine::deny(const TopicPartition& name, Partition& partition, int64_t now_ns) {
  if (partition.denied_since_ns < 0) partition.denied_since_ns = now_ns;
  if (now_ns - partition.denied_since_ns < kGoneAfterNs) return;
  stop_with(name, partition, FetchTrouble::kGone, "the brokers say that this partition does not exist (any more)");
  partition.gone = true;
}

/// A partition that was gone may be there again: its topic was made anew, or brokers had forgotten it for a while.
void FetchMachine::look_for_return(const TopicPartition& name, Partition& partition, const ClusterView& cluster) {
  const TopicView* topic = cluster.find(name.topic);
  if (topic == nullptr || topic->error != KafkaError::kNone || cluster.find(name) == nullptr) return;
  partition.gone = partition.stopped = false;
  partition.denied_since_ns = -1;
  if (topic->id != Uuid{} && topic->id == partition.topic_id) return;
  stop_with(name, partition, FetchTrouble::kRecreated,
            "the topic was deleted and created again, so that the position means nothing any more");
}

std::optional<LeaderNews> FetchMachine::note_leaders(const ClusterView& cluster, int64_t now_ns) {
  LeaderNews news;
  const bool lacked = std::exchange(leaderless_since_ns_, -1) >= 0;
  bool any_back = false;
  for (auto& [name, partition] : partitions_) {
    const TopicView* topic = cluster.find(name.topic);
    if (partition.stopped || topic == nullptr || broker_of(name, partition, cluster) >= 0) {
      any_back = any_back || (!partition.stopped && partition.leaderless_since_ns >= 0);
      partition.leaderless_since_ns = -1;
      continue;
    }
    if (partition.leaderless_since_ns < 0) partition.leaderless_since_ns = now_ns;
    ++news.num_others;
    if (leaderless_since_ns_ >= 0 && leaderless_since_ns_ <= partition.leaderless_since_ns) continue;
    leaderless_since_ns_ = partition.leaderless_since_ns;
    news.partition = name;
    news.reason = topic->error == KafkaError::kNone ? "it has no leader" : name_of(topic->error);
  }
  if (leaderless_since_ns_ < 0) {
    news.ended = true;
    return lacked && std::exchange(told_of_leaderless_, false) && any_back ? std::optional(news) : std::nullopt;
  }
  --news.num_others;
  news.waited_ns = now_ns - leaderless_since_ns_;
  if (news.waited_ns < kLeaderlessToldNs || std::exchange(told_of_leaderless_, true)) return std::nullopt;
  return news;
}

/// How much a broker may send now; 0: nothing. A request leaves while half of the budget is free, since of each broker
/// an answer may come at any time, and all at once. They take a quarter together, so that the next ones come while
/// these are decoded.
size_t FetchMachine::room_for_answer(int64_t now_ns, size_t num_brokers) {
  if (has_room()) {
    no_room_since_ns_ = -1;
    return std::max(settings_.buffered_bytes_max / 4 / std::max<size_t>(num_brokers, 1), kSmallestFetch);
  }
  if (no_room_since_ns_ < 0) no_room_since_ns_ = now_ns;
  if (has_decodable() || now_ns - no_room_since_ns_ < kNoRoomAtMostNs) return 0;
  no_room_since_ns_ = now_ns;
  return kSmallestFetch;
}

std::optional<FetchRequest> FetchMachine::next_request(int32_t broker, const ClusterView& cluster, int64_t now_ns,
                                                       size_t num_brokers) {
  BrokerState& state = brokers_[broker];
  if (state.on_its_way || state.not_before_ns > now_ns) return std::nullopt;
  const size_t room = room_for_answer(now_ns, num_brokers);
  if (room == 0) return std::nullopt;
  std::vector<std::pair<uint64_t, FetchTarget>> waiting;
  state.asked.clear();
  state.by_id.clear();
  for (auto& [name, partition] : partitions_) {
    if (partition.preferred_until_ns <= now_ns) partition.preferred_replica = -1;
    if (partition.paused || partition.stopped || partition.not_before_ns > now_ns) continue;
    if (broker_of(name, partition, cluster) != broker || !may_fetch(name, partition, cluster, now_ns)) continue;
    const PartitionView& view = *cluster.find(name);
    if (!state.compares_epochs && needs_check(partition, view)) continue;
    const Uuid topic_id = cluster.find(name.topic)->id;
    waiting.push_back(
        {partition.served,
         {name, topic_id, partition.position, view.leader_epoch, partition.last_epoch, settings_.partition_max_bytes}});
    state.asked[name] = {partition.generation, view.leader_epoch, partition.last_epoch};
    state.by_id[{topic_id, name.partition}] = name;
  }
  if (waiting.empty()) return std::nullopt;
  std::stable_sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<FetchTarget> targets;
  for (auto& [served, target] : waiting) targets.push_back(std::move(target));
  FetchRequest request;
  request.max_wait_ms = settings_.max_wait_ms;
  request.min_bytes = settings_.min_bytes;
  request.max_bytes = static_cast<int32_t>(std::min(static_cast<size_t>(settings_.max_bytes), room));
  request.isolation_level = settings_.read_committed ? 1 : 0;
  if (leaders_only_until_ns_ <= now_ns) request.rack_id = settings_.rack;
  state.session.fill(targets, request);
  state.on_its_way = true;
  return request;
}

void FetchMachine::check_existence(const ClusterView& cluster, int64_t now_ns) {
  for (auto& [name, partition] : partitions_) {
    if (partition.gone) look_for_return(name, partition, cluster);
    if (!partition.stopped && broker_of(name, partition, cluster) < 0) may_fetch(name, partition, cluster, now_ns);
  }
}

int16_t FetchMachine::newest_version(const FetchRequest& request) const {
  const auto nameless = [](const auto& topic) { return topic.topic_id == Uuid{}; };
  const bool any = std::any_of(request.topics.begin(), request.topics.end(), nameless) ||
                   std::any_of(request.forgotten_topics_data.begin(), request.forgotten_topics_data.end(), nameless);
  return any ? kLastVersionWithNames : kNewestVersion;
}

int64_t FetchMachine::due_at_ns(int64_t now_ns) const {
  int64_t due = kNoTime;
  const auto consider = [&](int64_t at) {
    if (at > now_ns) due = std::min(due, at);
  };
  for (const auto& [broker, state] : brokers_) {
    if (!state.on_its_way) consider(state.not_before_ns);
  }
  for (const auto& [name, partition] : partitions_) {
    if (partition.gone) consider(look_for_gone_at_ns_);
    if (partition.stopped) continue;
    if (!partition.paused) consider(partition.not_before_ns);
    if (partition.denied_since_ns >= 0) consider(partition.denied_since_ns + kGoneAfterNs);
  }
  if (leaderless_since_ns_ >= 0) consider(leaderless_since_ns_ + kLeaderlessToldNs);
  if (no_room_since_ns_ >= 0) consider(now_ns + kLookForRoomNs);
  return due;
}

void FetchMachine::on_failure(int32_t broker, int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  state.on_its_way = false;
  state.not_before_ns = now_ns + settings_.retry_backoff_ns;
  state.session.on_failure();
  on_unreachable(broker, now_ns);
}

void FetchMachine::on_unreachable(int32_t broker, int64_t now_ns) {
  for (auto& [name, partition] : partitions_) {
    if (partition.preferred_replica != broker) continue;
    partition.preferred_replica = -1;
    leaders_only_until_ns_ = now_ns + kLeadersOnlyForNs;
  }
}

void FetchMachine::on_answer(int32_t broker, FetchResponse response, SharedBuffer buffer, ClusterView& cluster,
                             int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  state.on_its_way = false;
  ++num_answers_;
  if (!state.session.on_answer(response)) {
    const KafkaError error = kafka_error(response.error_code);
    const bool ask_at_once = error == KafkaError::kFetchSessionIdNotFound ||
                             error == KafkaError::kInvalidFetchSessionEpoch ||
                             error == KafkaError::kFetchSessionTopicIdError;
    if (!ask_at_once) state.not_before_ns = now_ns + settings_.retry_backoff_ns;
    if (is_stale_metadata(error) || error == KafkaError::kFetchSessionTopicIdError) cluster.request_refresh();
    return;
  }
  for (const auto& [name, asked] : state.asked) {
    const auto partition = partitions_.find(name);
    if (partition != partitions_.end()) partition->second.denied_in_answer = false;
  }
  for (auto& topic : response.responses) {
    for (auto& data : topic.partitions) {
      TopicPartition name{topic.topic, data.partition_index};
      if (topic.topic.empty()) {
        const auto by_id = state.by_id.find({topic.topic_id, data.partition_index});
        if (by_id == state.by_id.end()) continue;
        name = by_id->second;
      }
      const auto asked = state.asked.find(name);
      const auto partition = partitions_.find(name);
      if (asked == state.asked.end() || partition == partitions_.end()) continue;
      if (partition->second.stopped || partition->second.generation != asked->second.generation) continue;
      on_partition(broker, name, partition->second, data, buffer, cluster, now_ns);
    }
  }
  // Of a partition without news the answer says nothing: it exists.
  for (const auto& [name, asked] : state.asked) {
    const auto partition = partitions_.find(name);
    if (partition != partitions_.end() && !partition->second.denied_in_answer) partition->second.denied_since_ns = -1;
  }
}

void FetchMachine::on_partition(int32_t broker, const TopicPartition& name, Partition& partition,
                                FetchResponse::PartitionData& data, const SharedBuffer& buffer, ClusterView& cluster,
                                int64_t now_ns) {
  if (data.current_leader.leader_epoch >= 0) {
    cluster.set_leader(name, data.current_leader.leader_id, data.current_leader.leader_epoch);
  }
  if (data.error_code != 0) return on_partition_error(broker, name, partition, data, cluster, now_ns);
  if (data.diverging_epoch.end_offset >= 0) return lose_records(name, partition, data.diverging_epoch.end_offset);
  if (data.preferred_read_replica >= 0 && !cluster.brokers().contains(data.preferred_read_replica)) {
    // One that is new or back. Until its address is known, the leader must be asked such that it gives records.
    cluster.request_refresh();
    leaders_only_until_ns_ = now_ns + kLeadersOnlyForNs;
  } else if (data.preferred_read_replica >= 0 && data.preferred_read_replica != broker) {
    partition.preferred_replica = data.preferred_read_replica;
    partition.preferred_until_ns = now_ns + kPreferredReplicaForNs;
  }
  partition.high_watermark = data.high_watermark;
  partition.last_stable_offset = data.last_stable_offset;
  partition.checked_epoch = brokers_[broker].asked.at(name).leader_epoch;
  Fetched fetched;
  fetched.partition = name;
  fetched.generation = partition.generation;
  fetched.from_offset = fetched.position_after = partition.position;
  fetched.epoch_after = partition.last_epoch;
  fetched.topic_id = partition.topic_id;
  fetched.high_watermark = data.high_watermark;
  fetched.last_stable_offset = data.last_stable_offset;
  fetched.records = data.records;
  if (!data.records.empty()) partition.served = num_answers_;
  fetched.buffer = buffer;
  if (settings_.read_committed) fetched.aborted = AbortedTransactions(std::move(data.aborted_transactions));
  scan(name, partition, fetched);
}

/// Finds where reading goes on, so that the next request can leave before the records are decoded.
void FetchMachine::scan(const TopicPartition& name, Partition& partition, Fetched& fetched) {
  RecordBatchIterator batches(fetched.records);
  RecordBatchInfo info;
  std::string damage;
  try {
    while (batches.next(info)) {
      // Of two leaders that were asked for the same, the one that answers last may have less: that was read already.
      if (info.last_offset < fetched.position_after) continue;
      fetched.position_after = info.last_offset + 1;
      fetched.epoch_after = info.leader_epoch;
    }
  } catch (const Error& error) {
    damage = fmt::format("topic={} partition={} {}", name.topic, name.partition, error.message());
    fetched.records.remove_suffix(batches.rest().size());
  }
  partition.position = fetched.position_after;
  partition.last_epoch = fetched.epoch_after;
  const int64_t end = readable_end(fetched.high_watermark, fetched.last_stable_offset);
  const bool news = fetched.position_after > fetched.from_offset || end != partition.reported_end;
  partition.reported_end = end;
  Fetched stopped = damage.empty() ? Fetched() : fetched;
  if (news) fetched_.push_back(std::move(fetched));
  if (damage.empty()) return;
  stopped.trouble = FetchTrouble::kFailed;
  stopped.error = std::move(damage);
  stop(partition, std::move(stopped));
}

void FetchMachine::stop(Partition& partition, Fetched fetched) {
  partition.stopped = true;
  fetched.records = {};
  fetched.buffer.reset();
  fetched_.push_back(std::move(fetched));
}

void FetchMachine::on_partition_error(int32_t broker, const TopicPartition& name, Partition& partition,
                                      const FetchResponse::PartitionData& data, ClusterView& cluster, int64_t now_ns) {
  const KafkaError error = kafka_error(data.error_code);
  partition.not_before_ns = now_ns + settings_.retry_backoff_ns;
  if (partition.preferred_replica == broker) {
    partition.preferred_replica = -1;  // the leader has the last word
    return;
  }
  if (is_stale_metadata(error)) cluster.request_refresh();
  if (error == KafkaError::kUnknownTopicOrPartition || error == KafkaError::kUnknownTopicId ||
      error == KafkaError::kInconsistentTopicId) {
    partition.denied_in_answer = true;
    return deny(name, partition, now_ns);
  }
  if (is_retriable(error) && error != KafkaError::kCorruptMessage) return;
  const bool out_of_range = error == KafkaError::kOffsetOutOfRange;
  stop_with(name, partition, out_of_range ? FetchTrouble::kOutOfRange : FetchTrouble::kFailed,
            "the broker refuses to read: " + name_of(error));
}

FetchMachine::Fetched& FetchMachine::stop_with(const TopicPartition& name, Partition& partition, FetchTrouble trouble,
                                               std::string_view why) {
  Fetched stopped;
  stopped.partition = name;
  stopped.generation = partition.generation;
  stopped.from_offset = stopped.position_after = partition.position;
  stopped.epoch_after = partition.last_epoch;
  stopped.topic_id = partition.topic_id;
  stopped.high_watermark = partition.high_watermark;
  stopped.last_stable_offset = partition.last_stable_offset;
  stopped.trouble = trouble;
  stopped.error =
      fmt::format("topic={} partition={} offset={}: {}", name.topic, name.partition, partition.position, why);
  stop(partition, std::move(stopped));
  return fetched_.back();
}

int64_t FetchMachine::readable_end(int64_t high_watermark, int64_t last_stable_offset) const {
  return settings_.read_committed && last_stable_offset >= 0 ? last_stable_offset : high_watermark;
}

bool FetchMachine::decode_next(FetchedRun& out) {
  while (!fetched_.empty()) {
    Fetched fetched = std::move(fetched_.front());
    fetched_.pop_front();
    const auto partition = partitions_.find(fetched.partition);
    if (partition == partitions_.end() || partition->second.generation != fetched.generation) continue;
    if (out.shelf == nullptr) {
      out.shelf = shelf_;
      out.run = shelf_->take();
    }
    out.partition = fetched.partition;
    out.run.clear();
    out.blocks.clear();
    out.num_bytes = 0;
    out.end_offset = fetched.high_watermark;
    out.last_stable_offset = fetched.last_stable_offset;
    out.trouble = fetched.trouble;
    out.error = fetched.error;
    out.truncated_to = fetched.truncated_to;
    out.position_after = fetched.position_after;
    out.epoch_after = fetched.epoch_after;
    out.topic_id = fetched.topic_id;
    if (out.error.empty() && !decode_records(fetched, out)) continue;
    out.readable_end = readable_end(out.end_offset, out.last_stable_offset);
    out.at_end = out.error.empty() && out.readable_end >= 0 && out.position_after >= out.readable_end;
    return true;
  }
  return false;
}

/// What was whole is given first, the failure after it, and nothing of the partition after that.
void FetchMachine::on_damage(Fetched fetched, int64_t position) {
  std::erase_if(fetched_, [&](const Fetched& later) { return later.partition == fetched.partition; });
  fetched.from_offset = fetched.position_after = position;
  fetched.trouble = FetchTrouble::kFailed;
  Partition& partition = partitions_.at(fetched.partition);
  stop(partition, std::move(fetched));
}

/// Puts back what does not fit into one run. False: there was nothing more to tell.
bool FetchMachine::decode_records(Fetched& fetched, FetchedRun& out) {
  RecordBatchIterator batches(fetched.records);
  RecordBatchInfo info;
  int64_t position = fetched.from_offset;
  int32_t epoch = -1;
  bool more = false;
  try {
    while (out.num_bytes + arena_.closed_bytes() < kRunBytes && (more = batches.next(info))) {
      const bool left_out = settings_.read_committed && fetched.aborted.is_aborted(info);
      if (info.control) {
        if (decoder_.control_type(info, arena_) == ControlType::kAbort) {
          fetched.aborted.on_abort_marker(info.producer_id);
        }
      } else if (!left_out) {
        decoder_.decode(info, fetched.from_offset, arena_, out.run);
      }
      if (info.compression == Compression::kNone) out.num_bytes += info.body.size();
      if (info.last_offset < position) continue;
      position = info.last_offset + 1;
      epoch = info.leader_epoch;
    }
  } catch (const Error& error) {
    more = false;
    out.position_after = position;
    out.epoch_after = epoch;
    fetched.error =
        fmt::format("topic={} partition={} {}", fetched.partition.topic, fetched.partition.partition, error.message());
  }
  out.num_bytes += arena_.closed_bytes();
  out.blocks = arena_.take_blocks();
  out.blocks.push_back(fetched.buffer);
  if (!fetched.error.empty()) {
    on_damage(std::move(fetched), position);
    return true;
  }
  if (!more) return !fetched.continued || out.run.size() > 0 || fetched.position_after > fetched.from_offset;
  out.position_after = fetched.from_offset = position;
  out.epoch_after = epoch;
  fetched.records = batches.rest();
  fetched.continued = true;
  fetched_.push_front(std::move(fetched));
  return true;
}

}  // namespace yeoul
