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
/// Less room than this is not worth a request.
constexpr size_t kSmallestFetch = size_t{1} << 20;
constexpr int64_t kNanosPerMilli = 1'000'000;

}  // namespace

FetchMachine::FetchMachine(const FetchSettings& settings, BufferPool& pool)
    : settings_(settings), pool_(pool), arena_(pool), decoder_({settings.check_crcs}) {}

void FetchMachine::assign(const KafkaPartition& partition, int64_t position) {
  Partition& state = partitions_[partition];
  state = {};
  state.position = position;
  state.generation = next_generation_++;
}

void FetchMachine::unassign(const KafkaPartition& partition) {
  partitions_.erase(partition);
}

void FetchMachine::seek(const KafkaPartition& partition, int64_t position) {
  const auto found = partitions_.find(partition);
  if (found == partitions_.end()) return;
  const bool paused = found->second.paused;
  assign(partition, position);
  found->second.paused = paused;
}

void FetchMachine::pause(const KafkaPartition& partition) {
  const auto found = partitions_.find(partition);
  if (found != partitions_.end()) found->second.paused = true;
}

void FetchMachine::resume(const KafkaPartition& partition) {
  const auto found = partitions_.find(partition);
  if (found != partitions_.end()) found->second.paused = false;
}

std::set<std::string> FetchMachine::topics() const {
  std::set<std::string> topics;
  for (const auto& [name, partition] : partitions_) topics.insert(name.topic);
  return topics;
}

int32_t FetchMachine::broker_of(const KafkaPartition& name, const Partition& partition,
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
  }
  brokers.erase(-1);
  return brokers;
}

bool FetchMachine::lacks_leaders(const ClusterView& cluster) const {
  return std::any_of(partitions_.begin(), partitions_.end(), [&](const auto& entry) {
    return !entry.second.stopped && broker_of(entry.first, entry.second, cluster) < 0;
  });
}

std::optional<FetchRequest> FetchMachine::next_request(int32_t broker, const ClusterView& cluster, int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  if (state.on_its_way || state.not_before_ns > now_ns) return std::nullopt;
  const size_t in_use = pool_.bytes_in_use();
  if (in_use > 0 && in_use + kSmallestFetch > settings_.buffered_bytes_max) return std::nullopt;
  std::vector<FetchTarget> targets;
  state.asked.clear();
  state.by_id.clear();
  for (auto& [name, partition] : partitions_) {
    if (partition.preferred_until_ns <= now_ns) partition.preferred_replica = -1;
    if (partition.paused || partition.stopped || partition.not_before_ns > now_ns) continue;
    if (broker_of(name, partition, cluster) != broker) continue;
    const Uuid topic_id = cluster.find(name.topic)->id;
    if (partition.topic_id == Uuid{}) partition.topic_id = topic_id;
    if (topic_id != Uuid{} && topic_id != partition.topic_id) {
      stop_with(name, partition, "the topic was deleted and created again, so that the position means nothing any more",
                false);
      continue;
    }
    targets.push_back(
        {name, topic_id, partition.position, cluster.find(name)->leader_epoch, settings_.partition_max_bytes});
    state.asked[name] = partition.generation;
    state.by_id[{topic_id, name.index}] = name;
  }
  if (targets.empty()) return std::nullopt;
  FetchRequest request;
  request.max_wait_ms = settings_.max_wait_ms;
  request.min_bytes = settings_.min_bytes;
  const size_t room = settings_.buffered_bytes_max - std::min(in_use, settings_.buffered_bytes_max);
  request.max_bytes =
      static_cast<int32_t>(std::min<size_t>(static_cast<size_t>(settings_.max_bytes), std::max(room, kSmallestFetch)));
  request.isolation_level = settings_.read_committed ? 1 : 0;
  request.rack_id = settings_.rack;
  state.session.fill(targets, request);
  state.on_its_way = true;
  return request;
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
    if (!partition.paused && !partition.stopped) consider(partition.not_before_ns);
  }
  return due;
}

void FetchMachine::on_failure(int32_t broker, int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  state.on_its_way = false;
  state.not_before_ns = now_ns + settings_.retry_backoff_ns;
  state.session.on_failure();
}

void FetchMachine::on_answer(int32_t broker, FetchResponse response, SharedBuffer buffer, ClusterView& cluster,
                             int64_t now_ns) {
  BrokerState& state = brokers_[broker];
  state.on_its_way = false;
  state.not_before_ns = now_ns + response.throttle_time_ms * kNanosPerMilli;
  if (!state.session.on_answer(response)) {
    const KafkaError error = kafka_error(response.error_code);
    const bool ask_at_once = error == KafkaError::kFetchSessionIdNotFound ||
                             error == KafkaError::kInvalidFetchSessionEpoch ||
                             error == KafkaError::kFetchSessionTopicIdError;
    if (!ask_at_once) state.not_before_ns = now_ns + settings_.retry_backoff_ns;
    if (is_stale_metadata(error) || error == KafkaError::kFetchSessionTopicIdError) cluster.request_refresh();
    return;
  }
  for (auto& topic : response.responses) {
    for (auto& data : topic.partitions) {
      KafkaPartition name{topic.topic, data.partition_index};
      if (topic.topic.empty()) {
        const auto by_id = state.by_id.find({topic.topic_id, data.partition_index});
        if (by_id == state.by_id.end()) continue;
        name = by_id->second;
      }
      const auto asked = state.asked.find(name);
      const auto partition = partitions_.find(name);
      if (asked == state.asked.end() || partition == partitions_.end()) continue;
      if (partition->second.generation != asked->second) continue;
      on_partition(broker, name, partition->second, data, buffer, cluster, now_ns);
    }
  }
}

void FetchMachine::on_partition(int32_t broker, const KafkaPartition& name, Partition& partition,
                                FetchResponse::PartitionData& data, const SharedBuffer& buffer, ClusterView& cluster,
                                int64_t now_ns) {
  if (data.current_leader.leader_epoch >= 0) {
    cluster.set_leader(name, data.current_leader.leader_id, data.current_leader.leader_epoch);
  }
  if (data.error_code != 0) return on_partition_error(broker, name, partition, data, cluster, now_ns);
  if (data.preferred_read_replica >= 0 && data.preferred_read_replica != broker) {
    partition.preferred_replica = data.preferred_read_replica;
    partition.preferred_until_ns = now_ns + kPreferredReplicaForNs;
  }
  partition.high_watermark = data.high_watermark;
  partition.last_stable_offset = data.last_stable_offset;
  Fetched fetched;
  fetched.partition = name;
  fetched.generation = partition.generation;
  fetched.from_offset = fetched.position_after = partition.position;
  fetched.high_watermark = data.high_watermark;
  fetched.last_stable_offset = data.last_stable_offset;
  fetched.records = data.records;
  fetched.buffer = buffer;
  if (settings_.read_committed) fetched.aborted = AbortedTransactions(std::move(data.aborted_transactions));
  scan(name, partition, fetched);
}

/// Finds where reading goes on, so that the next request can leave before the records are decoded.
void FetchMachine::scan(const KafkaPartition& name, Partition& partition, Fetched& fetched) {
  RecordBatchIterator batches(fetched.records);
  RecordBatchInfo info;
  std::string damage;
  try {
    while (batches.next(info)) fetched.position_after = std::max(fetched.position_after, info.last_offset + 1);
  } catch (const Error& error) {
    damage = fmt::format("topic={} partition={} {}", name.topic, name.index, error.message());
    fetched.records.remove_suffix(batches.rest().size());
  }
  partition.position = fetched.position_after;
  const int64_t end = readable_end(fetched.high_watermark, fetched.last_stable_offset);
  const bool news = fetched.position_after > fetched.from_offset || end != partition.reported_end;
  partition.reported_end = end;
  Fetched stopped = damage.empty() ? Fetched() : fetched;
  if (news) fetched_.push_back(std::move(fetched));
  if (damage.empty()) return;
  stopped.error = std::move(damage);
  stop(partition, std::move(stopped));
}

void FetchMachine::stop(Partition& partition, Fetched fetched) {
  partition.stopped = true;
  fetched.records = {};
  fetched.buffer.reset();
  fetched_.push_back(std::move(fetched));
}

void FetchMachine::on_partition_error(int32_t broker, const KafkaPartition& name, Partition& partition,
                                      const FetchResponse::PartitionData& data, ClusterView& cluster, int64_t now_ns) {
  const KafkaError error = kafka_error(data.error_code);
  partition.not_before_ns = now_ns + settings_.retry_backoff_ns;
  if (partition.preferred_replica == broker) {
    partition.preferred_replica = -1;  // the leader has the last word
    return;
  }
  if (is_stale_metadata(error)) cluster.request_refresh();
  if (is_retriable(error) && error != KafkaError::kCorruptMessage) return;
  stop_with(name, partition, "the broker refuses to read: " + name_of(error), error == KafkaError::kOffsetOutOfRange);
}

void FetchMachine::stop_with(const KafkaPartition& name, Partition& partition, std::string_view why,
                             bool out_of_range) {
  Fetched stopped;
  stopped.partition = name;
  stopped.generation = partition.generation;
  stopped.from_offset = stopped.position_after = partition.position;
  stopped.high_watermark = partition.high_watermark;
  stopped.last_stable_offset = partition.last_stable_offset;
  stopped.out_of_range = out_of_range;
  stopped.error = fmt::format("topic={} partition={} offset={}: {}", name.topic, name.index, partition.position, why);
  stop(partition, std::move(stopped));
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
    out.partition = fetched.partition;
    out.run.clear();
    out.blocks.clear();
    out.num_bytes = 0;
    out.end_offset = fetched.high_watermark;
    out.last_stable_offset = fetched.last_stable_offset;
    out.out_of_range = fetched.out_of_range;
    out.error = fetched.error;
    out.position_after = fetched.position_after;
    if (out.error.empty() && !decode_records(fetched, out)) continue;
    const int64_t end = readable_end(out.end_offset, out.last_stable_offset);
    out.at_end = out.error.empty() && end >= 0 && out.position_after >= end;
    return true;
  }
  return false;
}

/// What was whole is given first, the failure after it, and nothing of the partition after that.
void FetchMachine::on_damage(Fetched fetched, int64_t position) {
  std::erase_if(fetched_, [&](const Fetched& later) { return later.partition == fetched.partition; });
  fetched.from_offset = fetched.position_after = position;
  Partition& partition = partitions_.at(fetched.partition);
  stop(partition, std::move(fetched));
}

/// Puts back what does not fit into one run. False: there was nothing more to tell.
bool FetchMachine::decode_records(Fetched& fetched, FetchedRun& out) {
  RecordBatchIterator batches(fetched.records);
  RecordBatchInfo info;
  int64_t position = fetched.from_offset;
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
      position = std::max(position, info.last_offset + 1);
    }
  } catch (const Error& error) {
    more = false;
    out.position_after = position;
    fetched.error =
        fmt::format("topic={} partition={} {}", fetched.partition.topic, fetched.partition.index, error.message());
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
  fetched.records = batches.rest();
  fetched.continued = true;
  fetched_.push_front(std::move(fetched));
  return true;
}

}  // namespace yeoul
