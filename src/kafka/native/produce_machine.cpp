#include "yeoul/kafka/native/produce_machine.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr uint64_t kRememberedBatches = 5;
/// Records that wait so long are told of, and looked at so often from then on.
constexpr int64_t kStallNs = 10'000 * kNanosPerMs;
constexpr int64_t kStalledLookNs = 1'000 * kNanosPerMs;

/// The last version that has topics by name, and the last of the older protocol of transactions.
constexpr int16_t kLastWithNames = 12;
constexpr int16_t kLastWithExplicitRegistration = 11;

bool same_leader(const PartitionView& a, const PartitionView& b) {
  return a.leader == b.leader && a.leader_epoch == b.leader_epoch;
}

}  // namespace

void check_produce_settings(const ProduceSettings& settings) {
  if (!settings.idempotent && !settings.transactional_id.empty()) {
    throw user_error(2010, "a transactional.id needs enable.idempotence");
  }
  if (settings.idempotent && (settings.acks != -1 || settings.retries <= 0 || settings.in_flight_max > 5)) {
    throw user_error(2010,
                     "enable.idempotence needs acks = all, retries > 0 and max.in.flight.requests.per.connection <= 5");
  }
  if (settings.delivery_timeout_ns < settings.linger_ns + settings.request_timeout_ms * kNanosPerMs) {
    throw user_error(2010, "delivery.timeout.ms must be at least linger.ms + request.timeout.ms");
  }
}

ProduceMachine::ProduceMachine(const ProduceSettings& settings, BatchAccumulator& accumulator, uint32_t seed)
    : settings_(settings),
      transactional_(!settings.transactional_id.empty()),
      accumulator_(accumulator),
      compressor_(settings.compression, settings.compression_level),
      random_(seed),
      identity_backoff_(settings.backoff_ns, settings.backoff_max_ns, seed) {
  check_produce_settings(settings);
}

// --- Each turn -------------------------------------------------------------------------------------------------------

void ProduceMachine::update(ClusterView& cluster, int64_t now_ns, bool wants_room) {
  const bool moved = cluster_generation_ != cluster.generation();
  cluster_generation_ = cluster.generation();
  collect(cluster);
  if (moved) {
    note_leaders(cluster);
    for (auto& [id, broker] : brokers_) broker.slots.clear();
    for (size_t slot = 0; slot < partitions_.size(); ++slot) {
      if (partitions_[slot] == nullptr) continue;
      partitions_[slot]->listed = false;
      follow(*partitions_[slot], slot, cluster);
    }
  }
  // Until it is half empty, so that sending does not pause while it is filled again.
  const size_t enough = buffer_is_full_ ? settings_.buffer_bytes / 2 : settings_.buffer_bytes;
  buffer_is_full_ = wants_room || accumulator_.waiting_bytes() >= enough;
  if (now_ns >= expiry_check_ns_) expire(now_ns);
  settle_sequences();
}

void ProduceMachine::note_leaders(const ClusterView& cluster) {
  leaders_.clear();
  for (const std::string& name : accumulator_.topics()) {
    const TopicView* topic = cluster.find(name);
    if (topic == nullptr) continue;
    for (const PartitionView& partition : topic->partitions) {
      if (partition.leader >= 0) leaders_.push_back(partition.leader);
    }
  }
  std::sort(leaders_.begin(), leaders_.end());
  leaders_.erase(std::unique(leaders_.begin(), leaders_.end()), leaders_.end());
}

void ProduceMachine::collect(const ClusterView& cluster) {
  accumulator_.collect(news_);
  for (BatchAccumulator::News& news : news_) {
    if (partitions_.size() <= news.slot) partitions_.resize(news.slot + 1);
    std::unique_ptr<Partition>& partition = partitions_[news.slot];
    if (partition == nullptr) {
      partition = std::make_unique<Partition>(*news.partition, settings_, random_());
      follow(*partition, news.slot, cluster);
    }
    partition->open_since_ns = news.open_since_ns;
    for (auto& batch : news.closed) partition->batches.push_back(std::move(batch));
    list(*partition, news.slot);
  }
}

void ProduceMachine::follow(Partition& partition, size_t slot, const ClusterView& cluster) {
  const PartitionView* view = cluster.find(partition.name);
  partition.leader = view == nullptr || !cluster.brokers().contains(view->leader) ? PartitionView() : *view;
  partition.num_partitions = -1;
  if (const TopicView* topic = cluster.find(partition.name.topic)) {
    partition.topic_id = topic->id;
    if (topic->error == KafkaError::kNone && view == nullptr) partition.num_partitions = std::ssize(topic->partitions);
  }
  list(partition, slot);
}

void ProduceMachine::list(Partition& partition, size_t slot) {
  if (partition.listed || partition.leader.leader < 0) return;
  if (partition.batches.empty() && partition.open_since_ns == kNever) return;
  partition.listed = true;
  brokers_[partition.leader.leader].slots.push_back(slot);
}

void ProduceMachine::expire(int64_t now_ns) {
  // The partition that has made no progress for the longest: records that wait behind others move.
  const Partition* slowest = nullptr;
  int64_t slowest_ns = kNever;
  int64_t oldest_ns = kNever;
  for (size_t slot = 0; slot < partitions_.size(); ++slot) {
    if (partitions_[slot] == nullptr) continue;
    Partition& partition = *partitions_[slot];
    if (partition.open_since_ns <= now_ns - settings_.delivery_timeout_ns) {
      if (auto open = accumulator_.take_open(slot)) partition.batches.push_back(std::move(open));
      partition.open_since_ns = kNever;
    }
    const auto next_late = [&] {
      return std::find_if(partition.batches.begin(), partition.batches.end(), [&](const auto& batch) {
        return !batch->abandoned && batch->created_ns + settings_.delivery_timeout_ns <= now_ns;
      });
    };
    for (auto late = next_late(); late != partition.batches.end(); late = next_late()) {
      const std::string obstacle = obstacle_of(partition);
      const std::string reason =
          fmt::format("not delivered within 'delivery.timeout.ms' = {}{}{}",
                      settings_.delivery_timeout_ns / kNanosPerMs, obstacle.empty() ? "" : "; ", obstacle);
      fail(partition, **late, KafkaError::kRequestTimedOut, reason, false);
    }
    int64_t since_ns = partition.open_since_ns;
    for (const auto& batch : partition.batches) {
      if (!batch->abandoned) since_ns = std::min(since_ns, batch->created_ns);
    }
    oldest_ns = std::min(oldest_ns, since_ns);
    since_ns = std::max(since_ns, partition.completed_at_ns);
    if (since_ns >= slowest_ns) continue;
    slowest_ns = since_ns;
    slowest = &partition;
  }
  note_stall(slowest, slowest_ns, now_ns);
  // Whatever comes from now on is younger.
  expiry_check_ns_ =
      std::min(std::min(oldest_ns, now_ns) + settings_.delivery_timeout_ns,
               stalled_ ? now_ns + kStalledLookNs : std::min(slowest_ns, now_ns) + settings_.linger_ns + kStallNs);
}

/// What stands in the way now, for the end of a message; what does not last longer than an answer says nothing.
std::string ProduceMachine::obstacle_of(const Partition& partition) const {
  if (partition.num_partitions >= 0) {
    return fmt::format("it does not exist any more: the topic has {} partitions now", partition.num_partitions);
  }
  const auto broker = brokers_.find(partition.leader.leader);
  if (broker != brokers_.end() && !broker->second.unreachable.empty()) return "last: " + broker->second.unreachable;
  if (!partition.last_failure.empty()) return "last: " + partition.last_failure;
  return partition.leader.leader < 0 ? "it has no leader" : "";
}

void ProduceMachine::note_stall(const Partition* slowest, int64_t since_ns, int64_t now_ns) {
  const bool stalled =
      slowest != nullptr && open_ == transactional_ && since_ns + settings_.linger_ns + kStallNs <= now_ns;
  if (std::exchange(stalled_, stalled) == stalled) return;
  stall_.emplace();
  stall_->ended = !stalled;
  if (!stalled) return;
  stall_->partition = slowest->name;
  stall_->leader = slowest->leader.leader;
  stall_->waited_ns = now_ns - since_ns;
  stall_->reason = slowest->last_failure;
  if (slowest->num_partitions >= 0) stall_->reason = obstacle_of(*slowest);
}

// --- Who writes, and sequence numbers --------------------------------------------------------------------------------

bool ProduceMachine::wants_producer_id(int64_t now_ns) const {
  return settings_.idempotent && !transactional_ && !identity_.is_valid() && !asks_for_identity_ &&
         identity_not_before_ns_ <= now_ns;
}

InitProducerIdRequest ProduceMachine::producer_id_request() {
  asks_for_identity_ = true;
  InitProducerIdRequest request;
  request.transaction_timeout_ms = INT32_MAX;
  return request;
}

void ProduceMachine::on_producer_id(const InitProducerIdResponse& response, int64_t now_ns) {
  const KafkaError error = kafka_error(response.error_code);
  if (error == KafkaError::kNone) {
    asks_for_identity_ = false;
    identity_backoff_.reset();
    return set_producer({response.producer_id, response.producer_epoch});
  }
  on_producer_id_failure(now_ns);
  if (is_retriable(error)) return;
  throw external_error(4006, "the broker gives no producer id: {}; 'enable.idempotence' = false does without",
                       name_of(error));
}

void ProduceMachine::on_producer_id_failure(int64_t now_ns) {
  asks_for_identity_ = false;
  identity_not_before_ns_ = now_ns + identity_backoff_.next_ns();
}

void ProduceMachine::set_producer(ProducerIdentity identity) {
  identity_ = identity;
}

void ProduceMachine::settle_sequences() {
  if (!unsettled_) return;
  bool all_landed = true;
  for (const auto& partition : partitions_) {
    if (partition == nullptr) continue;
    const bool has_sequences = !partition->batches.empty() && partition->batches.front()->has_sequence();
    if (partition->unresolved && !has_sequences) {
      // All that was sent has come to an end: either the given up batch was written, or there is a gap.
      partition->unresolved.reset();
      if (partition->next_to_acknowledge != partition->next_sequence && !transactional_) request_restart(*partition);
    }
    if (partition->restart) all_landed = all_landed && partition->num_in_flight == 0;
  }
  if (needs_epoch_) {
    if (!all_landed) return;
    needs_epoch_ = false;
    // An epoch is bumped without the broker (KIP-360), until there is no higher one.
    if (identity_.epoch == INT16_MAX) {
      identity_ = {};
    } else if (identity_.is_valid()) {
      ++identity_.epoch;
    }
  }
  if (!identity_.is_valid()) return;
  unsettled_ = false;
  for (const auto& partition : partitions_) {
    if (partition == nullptr) continue;
    if (partition->restart && partition->num_in_flight == 0) restart_sequences(*partition);
    unsettled_ = unsettled_ || partition->restart || partition->unresolved;
  }
}

void ProduceMachine::restart_sequences(Partition& partition) {
  partition.restart = false;
  partition.unresolved.reset();
  partition.identity = identity_;
  partition.next_sequence = partition.next_to_acknowledge = 0;
  partition.last_acked_offset = -1;
  for (const auto& batch : partition.batches) {
    if (!batch->has_sequence()) break;
    batch->identity = identity_;
    batch->base_sequence = partition.next_sequence;
    partition.next_sequence = sequence_after(partition.next_sequence, batch->num_records());
  }
}

void ProduceMachine::request_restart(Partition& partition) {
  partition.restart = unsettled_ = true;
  needs_epoch_ = needs_epoch_ || !transactional_;
}

// --- Transactions ----------------------------------------------------------------------------------------------------

void ProduceMachine::begin_transaction(bool implicit) {
  open_ = true;
  implicit_ = implicit;
  broken_ = has_written_ = false;
  for (const auto& partition : partitions_) {
    if (partition != nullptr) partition->registration = Registration::kNone;
  }
}

std::vector<TopicPartition> ProduceMachine::take_unregistered() {
  std::vector<TopicPartition> names;
  if (!open_ || implicit_ || broken_) return names;
  for (const auto& partition : partitions_) {
    if (partition == nullptr || partition->registration != Registration::kNone) continue;
    if (partition->batches.empty() && partition->open_since_ns == kNever) continue;
    partition->registration = Registration::kAsked;
    names.push_back(partition->name);
  }
  has_written_ = has_written_ || !names.empty();
  return names;
}

void ProduceMachine::set_registered(const std::vector<TopicPartition>& names) {
  for (const auto& partition : partitions_) {
    if (partition != nullptr && std::find(names.begin(), names.end(), partition->name) != names.end()) {
      partition->registration = Registration::kDone;
    }
  }
}

void ProduceMachine::drop_transaction() {
  open_ = false;
  for (size_t slot = 0; slot < partitions_.size(); ++slot) {
    if (partitions_[slot] == nullptr) continue;
    Partition& partition = *partitions_[slot];
    if (auto open = accumulator_.take_open(slot)) partition.batches.push_back(std::move(open));
    partition.open_since_ns = kNever;
    std::erase_if(partition.batches, [&](const auto& batch) {
      if (batch->in_flight) {
        batch->abandoned = true;
        return false;
      }
      accumulator_.finished(*batch);
      return true;
    });
    partition.unresolved.reset();
    partition.restart = false;
  }
}

// --- Requests --------------------------------------------------------------------------------------------------------

std::vector<int32_t> ProduceMachine::brokers() const {
  std::vector<int32_t> ids;
  for (const auto& [id, broker] : brokers_) {
    if (!broker.slots.empty()) ids.push_back(id);
  }
  return ids;
}

/// Whether a batch that was never sent may be.
bool ProduceMachine::may_begin(const Partition& partition) const {
  if (!settings_.idempotent) return settings_.in_flight_max > 1 || partition.num_in_flight == 0;
  if (partition.unresolved) return false;
  // Brokers recognise a repeated batch among the last five of its producer. One that is still on its way, say to a
  // leader that is no more, must not fall out of them.
  const bool waits = !partition.batches.empty() && partition.batches.front()->has_sequence();
  if (waits && partition.next_ordinal - partition.batches.front()->ordinal >= kRememberedBatches) return false;
  // Sequence numbers of a new epoch begin when those of the old one have come to an end.
  return partition.identity == identity_ || !waits;
}

ProducedBatch* ProduceMachine::next_batch(Partition& partition, size_t slot, int64_t now_ns) {
  if (partition.restart) return nullptr;
  if (partition.not_before_ns > now_ns && same_leader(partition.leader, partition.failed_leader)) return nullptr;
  if (transactional_ && (!open_ || broken_)) return nullptr;
  if (transactional_ && !implicit_ && partition.registration != Registration::kDone) return nullptr;
  const auto waiting = std::find_if(partition.batches.begin(), partition.batches.end(),
                                    [](const auto& batch) { return !batch->in_flight; });
  if (waiting != partition.batches.end()) {
    ProducedBatch& batch = **waiting;
    // What is sent again goes alone, when all before it has come to an end.
    const bool may_go = batch.has_sequence() ? waiting == partition.batches.begin() : may_begin(partition);
    return may_go ? &batch : nullptr;
  }
  const bool is_due = partition.open_since_ns <= now_ns - settings_.linger_ns || buffer_is_full_;
  if (partition.open_since_ns == kNever || !is_due || !may_begin(partition)) return nullptr;
  auto open = accumulator_.take_open(slot);
  if (open == nullptr) return nullptr;  // closed just now: it comes with the next news
  partition.open_since_ns = kNever;
  partition.batches.push_back(std::move(open));
  return partition.batches.back().get();
}

void ProduceMachine::pack(ProducedBatch& batch) {
  if (!batch.records) return;
  const BatchRecords& records = *batch.records;
  batch.summary = records.summary();
  if (settings_.compression == Compression::kNone) {
    batch.bytes = records.buffer();
    batch.size = records.size();
  } else {
    const size_t room = compressor_.bound(records.records().size());
    if (scratch_.size() < room) scratch_.resize(room);
    const size_t size = compressor_.compress(records.records(), scratch_.data(), room);
    batch.size = kBatchHeadBytes + size;
    batch.bytes = accumulator_.pool().take(batch.size);
    std::copy_n(scratch_.data(), size, batch.bytes->data() + kBatchHeadBytes);
  }
  batch.records.reset();
}

void ProduceMachine::seal(Partition& partition, ProducedBatch& batch) {
  BatchProducer producer;
  if (settings_.idempotent) {
    if (!batch.has_sequence()) {
      if (partition.identity != identity_) {
        partition.identity = identity_;
        partition.next_sequence = partition.next_to_acknowledge = 0;
        partition.last_acked_offset = -1;
      }
      batch.identity = identity_;
      batch.base_sequence = partition.next_sequence;
      batch.ordinal = partition.next_ordinal++;
      partition.next_sequence = sequence_after(partition.next_sequence, batch.num_records());
    }
    producer = {batch.identity.id, batch.identity.epoch, batch.base_sequence, transactional_};
  }
  if (batch.num_attempts > 0 && batch.sealed == producer) return;
  batch.sealed = producer;
  write_batch_head(batch.bytes->data(), batch.size, settings_.compression, batch.summary, producer);
}

void ProduceMachine::add(ProduceRequest& request, const Partition& partition, const ProducedBatch& batch) const {
  auto topic = std::find_if(request.topic_data.rbegin(), request.topic_data.rend(),
                            [&](const auto& data) { return data.name == partition.name.topic; });
  if (topic == request.topic_data.rend()) {
    request.topic_data.emplace_back();
    topic = request.topic_data.rbegin();
    topic->name = partition.name.topic;
    topic->topic_id = partition.topic_id;
  }
  topic->partition_data.push_back({partition.name.partition, {batch.bytes->data(), batch.size}});
}

std::optional<ProduceRequest> ProduceMachine::next_request(int32_t id, int64_t now_ns, uint64_t& request_id) {
  Broker& broker = brokers_[id];
  if (is_saturated(broker)) return std::nullopt;
  if (settings_.idempotent && !identity_.is_valid()) return std::nullopt;
  ProduceRequest request;
  Sent sent{id, now_ns, {}};
  size_t bytes = 0;
  const size_t num_slots = broker.slots.size();
  for (size_t i = 0; i < num_slots; ++i) {
    const size_t slot = broker.slots[(broker.next + i) % num_slots];
    Partition& partition = *partitions_[slot];
    ProducedBatch* batch = next_batch(partition, slot, now_ns);
    if (batch == nullptr) continue;
    pack(*batch);
    if (bytes > 0 && bytes + batch->size > settings_.request_bytes_max) {
      broker.next = (broker.next + i) % num_slots;
      break;
    }
    bytes += batch->size;
    seal(partition, *batch);
    add(request, partition, *batch);
    count_sent(*batch, now_ns);
    ++batch->num_attempts;
    batch->sent_behind = batch != partition.batches.front().get();
    batch->in_flight = true;
    ++partition.num_in_flight;
    sent.batches.push_back(batch);
  }
  std::erase_if(broker.slots, [&](size_t slot) {
    Partition& partition = *partitions_[slot];
    partition.listed = !partition.batches.empty() || partition.open_since_ns != kNever;
    return !partition.listed;
  });
  if (sent.batches.empty()) return std::nullopt;
  request.acks = settings_.acks;
  request.timeout_ms = settings_.request_timeout_ms;
  if (transactional_) {
    request.transactional_id = settings_.transactional_id;
    has_written_ = true;
  }
  ++stats_.num_produce_requests;
  request_id = next_request_id_++;
  ++broker.num_in_flight;
  requests_.emplace(request_id, std::move(sent));
  return request;
}

void ProduceMachine::count_sent(const ProducedBatch& batch, int64_t now_ns) {
  const int64_t queued_ns = now_ns - batch.created_ns;
  const auto bytes = static_cast<int64_t>(batch.size);
  stats_.num_records += batch.num_records();
  ++stats_.num_batches;
  stats_.batch_bytes += bytes;
  stats_.largest_batch_bytes = std::max(stats_.largest_batch_bytes, bytes);
  stats_.queue_ns += queued_ns;
  stats_.longest_queue_ns = std::max(stats_.longest_queue_ns, queued_ns);
}

ProduceStats ProduceMachine::take_stats() {
  const ProduceStats stats = stats_;
  stats_.largest_batch_bytes = stats_.longest_queue_ns = stats_.longest_answer_ns = 0;
  return stats;
}

bool ProduceMachine::is_saturated() const {
  return !leaders_.empty() && std::all_of(leaders_.begin(), leaders_.end(), [&](int32_t leader) {
    const auto broker = brokers_.find(leader);
    return broker != brokers_.end() && is_saturated(broker->second);
  });
}

size_t ProduceMachine::answers_wanted(int32_t id) const {
  const auto found = brokers_.find(id);
  if (found == brokers_.end() || !is_saturated(found->second)) return 1;
  const std::vector<size_t>& slots = found->second.slots;
  const bool more_waits = std::any_of(slots.begin(), slots.end(), [&](size_t slot) {
    return partitions_[slot]->batches.size() > partitions_[slot]->num_in_flight;
  });
  return more_waits ? (settings_.in_flight_max + 1) / 2 : 1;
}

int16_t ProduceMachine::newest_version(const ProduceRequest& request) const {
  if (transactional_ && !implicit_) return kLastWithExplicitRegistration;
  const bool has_ids = std::none_of(request.topic_data.begin(), request.topic_data.end(),
                                    [](const auto& topic) { return topic.topic_id == Uuid(); });
  return has_ids ? kNewestVersion : kLastWithNames;
}

int64_t ProduceMachine::due_at_ns(int64_t now_ns) const {
  int64_t due = expiry_check_ns_;
  const auto consider = [&](int64_t at_ns) {
    if (at_ns > now_ns) due = std::min(due, at_ns);
  };
  if (!identity_.is_valid() && !asks_for_identity_) consider(identity_not_before_ns_);
  for (const auto& [id, broker] : brokers_) {
    if (is_saturated(broker)) continue;
    for (const size_t slot : broker.slots) {
      const Partition& partition = *partitions_[slot];
      consider(partition.not_before_ns);
      if (partition.open_since_ns != kNever) consider(partition.open_since_ns + settings_.linger_ns);
    }
  }
  return due;
}

}  // namespace yeoul
