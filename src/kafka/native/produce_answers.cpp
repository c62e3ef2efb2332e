// What answers to Produce requests mean: the other half of ProduceMachine.

#include <algorithm>
#include <utility>

#include "yeoul/kafka/native/produce_machine.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {
namespace {

/// Whether a result is that of a partition; versions differ in how they name topics.
bool is_topic(const ProduceResponse::TopicProduceResponse& topic, const TopicPartition& partition, const Uuid& id) {
  return topic.name.empty() ? topic.topic_id == id : topic.name == partition.topic;
}

/// Whether one of the sequence numbers that were given is before another; they begin again at 0 at their end.
bool is_before(int32_t sequence, int32_t other, int32_t next_sequence) {
  const auto behind_next = [&](int32_t number) { return static_cast<uint32_t>(next_sequence - number) & INT32_MAX; };
  return behind_next(sequence) > behind_next(other);
}

}  // namespace

void ProduceMachine::on_answer(uint64_t id, const ProduceResponse& response, ClusterView& cluster, int64_t now_ns) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  const Sent sent = std::move(found->second);
  requests_.erase(found);
  Broker& broker = brokers_[sent.broker];
  --broker.num_in_flight;
  ++stats_.num_answers;
  stats_.answer_ns += now_ns - sent.sent_ns;
  stats_.longest_answer_ns = std::max(stats_.longest_answer_ns, now_ns - sent.sent_ns);
  // Brokers answer in the order of the request as a rule: each search goes on behind the last match.
  size_t next = 0;
  std::vector<char> answered(sent.batches.size());
  for (const auto& topic : response.responses) {
    for (const auto& result : topic.partition_responses) {
      for (size_t i = 0; i < sent.batches.size(); ++i) {
        const size_t at = (next + i) % sent.batches.size();
        if (answered[at] != 0) continue;
        Partition& partition = partition_of(*sent.batches[at]);
        if (partition.name.partition != result.index || !is_topic(topic, partition.name, partition.topic_id)) continue;
        answered[at] = 1;
        next = at + 1;
        on_batch(partition, *sent.batches[at], result, cluster, now_ns);
        break;
      }
    }
  }
  for (size_t i = 0; i < sent.batches.size(); ++i) {
    if (answered[i] != 0) continue;
    on_batch_failure(partition_of(*sent.batches[i]), *sent.batches[i], "the broker's answer leaves it out", now_ns);
  }
}

void ProduceMachine::on_sent(uint64_t id, int64_t now_ns) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  const Sent sent = std::move(found->second);
  requests_.erase(found);
  --brokers_[sent.broker].num_in_flight;
  for (ProducedBatch* batch : sent.batches) {
    land(partition_of(*batch), *batch);
    complete(partition_of(*batch), *batch, -1, now_ns);
  }
}

void ProduceMachine::on_failure(uint64_t id, const std::string& reason, ClusterView& cluster, int64_t now_ns) {
  const auto found = requests_.find(id);
  if (found == requests_.end()) return;
  const Sent sent = std::move(found->second);
  requests_.erase(found);
  --brokers_[sent.broker].num_in_flight;
  cluster.request_refresh();
  for (ProducedBatch* batch : sent.batches) on_batch_failure(partition_of(*batch), *batch, reason, now_ns);
}

void ProduceMachine::land(Partition& partition, ProducedBatch& batch) {
  batch.in_flight = false;
  --partition.num_in_flight;
  list(partition, batch.slot);
}

void ProduceMachine::wait(Partition& partition, std::string failure, int64_t now_ns) {
  partition.last_failure = std::move(failure);
  partition.not_before_ns = now_ns + partition.backoff.next_ns();
  partition.failed_leader = partition.leader;
}

void ProduceMachine::on_batch_failure(Partition& partition, ProducedBatch& batch, const std::string& reason,
                                      int64_t now_ns) {
  land(partition, batch);
  if (batch.abandoned) return fail(partition, batch, KafkaError::kNetworkException, reason, false);
  if (batch.num_attempts <= settings_.retries) return repeat(partition, batch, reason, now_ns);
  wait(partition, reason, now_ns);
  fail(partition, batch, KafkaError::kNetworkException, reason, false);
}

void ProduceMachine::repeat(Partition& partition, const ProducedBatch& batch, std::string failure, int64_t now_ns) {
  stats_.num_repeated += batch.num_records();
  wait(partition, std::move(failure), now_ns);
}

void ProduceMachine::on_batch(Partition& partition, ProducedBatch& batch,
                              const ProduceResponse::PartitionProduceResponse& result, ClusterView& cluster,
                              int64_t now_ns) {
  const KafkaError error = kafka_error(result.error_code);
  land(partition, batch);
  if (error == KafkaError::kNone || error == KafkaError::kDuplicateSequenceNumber) {
    // A duplicate: the broker has it, and does not know any more where.
    return complete(partition, batch, error == KafkaError::kNone ? result.base_offset : -1, now_ns);
  }
  if (is_stale_metadata(error)) {
    cluster.request_refresh();
    if (result.current_leader.leader_id >= 0) {
      cluster.set_leader(partition.name, result.current_leader.leader_id, result.current_leader.leader_epoch);
    }
  }
  const bool too_large = error == KafkaError::kMessageTooLarge || error == KafkaError::kRecordListTooLarge;
  if (too_large && batch.num_records() > 1 && !batch.abandoned) return split(partition, batch);
  if (!batch.abandoned && may_retry(partition, batch, error, result.log_start_offset)) {
    return repeat(partition, batch, reason_of(result, batch), now_ns);
  }
  const bool certain = batch.num_attempts <= settings_.retries && !is_retriable(error);
  fail(partition, batch, error, reason_of(result, batch), certain);
}

bool ProduceMachine::may_retry(Partition& partition, const ProducedBatch& batch, KafkaError error,
                               int64_t log_start_offset) {
  if (batch.num_attempts > settings_.retries) return false;
  if (!settings_.idempotent) return is_retriable(error);
  if (error == KafkaError::kOutOfOrderSequenceNumber) return may_retry_out_of_order(partition, batch);
  if (error != KafkaError::kUnknownProducerId) return is_retriable(error);
  if (!transactional_) {
    // The broker has forgotten this producer. What it had of it is acknowledged, so that a new epoch repeats nothing.
    // Other partitions may have moved to one already: Java's producer repeats such a batch for ever.
    if (batch.identity == partition.identity) request_restart(partition);
    return true;
  }
  // Those before it may have been refused, and be written meanwhile: only of the first is it true for certain.
  if (batch.sent_behind || log_start_offset == -1) return true;
  // What was acknowledged is to be in the log, or deleted from it like anything that has grown old.
  if (partition.last_acked_offset < 0 || partition.last_acked_offset >= log_start_offset) return false;
  request_restart(partition);
  return true;
}

bool ProduceMachine::may_retry_out_of_order(Partition& partition, const ProducedBatch& batch) {
  // One before it failed, and will be sent again before it.
  const bool behind_others = is_before(partition.next_to_acknowledge, batch.base_sequence, partition.next_sequence);
  if (!partition.unresolved && behind_others) return true;
  // The broker has lost what it had acknowledged, as after an unclean election. Java's producer repeats such a batch
  // for ever if it was numbered anew once already, or if a later one was acknowledged. In a transaction it is certain
  // only of the first: those before it may have been acknowledged since.
  if (transactional_) return !partition.unresolved && batch.sent_behind;
  const bool gap = !partition.unresolved || batch.base_sequence == *partition.unresolved;
  if (gap && batch.identity == partition.identity) request_restart(partition);
  return true;
}

void ProduceMachine::complete(Partition& partition, ProducedBatch& batch, int64_t base_offset, int64_t now_ns) {
  stats_.last_send_ns = now_ns - batch.created_ns;
  partition.backoff.reset();
  partition.not_before_ns = 0;
  partition.last_failure.clear();
  partition.completed_at_ns = now_ns;
  if (batch.has_sequence() && batch.identity == partition.identity && !partition.restart) {
    // The answer of a leader that is no more may come after that of the next one to a later batch.
    const int32_t next = sequence_after(batch.base_sequence, batch.num_records());
    const bool is_news = is_before(partition.next_to_acknowledge, next, partition.next_sequence);
    if (is_news) partition.next_to_acknowledge = next;
    if (is_news && base_offset >= 0) partition.last_acked_offset = base_offset + batch.num_records() - 1;
  }
  if (!batch.abandoned) {
    deliveries_.push_back(
        {&partition.name, batch.first_index, batch.num_records(), base_offset, KafkaError::kNone, {}});
  }
  remove(partition, batch);
}

/// @param certain  the broker has said that it did not write it
void ProduceMachine::fail(Partition& partition, ProducedBatch& batch, KafkaError code, const std::string& reason,
                          bool certain) {
  if (!batch.abandoned) report(partition, batch, code, reason);
  broken_ = broken_ || transactional_;
  if (batch.in_flight) {
    batch.abandoned = true;
    return;
  }
  if (batch.has_sequence() && batch.identity == partition.identity && open_ == transactional_) {
    if (certain && !transactional_) {
      request_restart(partition);
    } else if (!certain) {
      partition.unresolved = sequence_after(batch.base_sequence, batch.num_records());
      unsettled_ = true;
    }
  }
  remove(partition, batch);
}

void ProduceMachine::report(const Partition& partition, const ProducedBatch& batch, KafkaError code,
                            const std::string& reason) {
  stats_.num_failed += batch.num_records();
  const uint64_t last = batch.first_index + static_cast<uint64_t>(batch.num_records()) - 1;
  std::string text = fmt::format("topic={} partition={}: records {} to {} of those sent to it were not delivered: {}",
                                 partition.name.topic, partition.name.partition, batch.first_index, last, reason);
  deliveries_.push_back({&partition.name, batch.first_index, batch.num_records(), -1, code, std::move(text)});
}

void ProduceMachine::remove(Partition& partition, const ProducedBatch& batch) {
  accumulator_.finished(batch);
  const auto at = std::find_if(partition.batches.begin(), partition.batches.end(),
                               [&](const auto& owned) { return owned.get() == &batch; });
  partition.batches.erase(at);
}

std::string ProduceMachine::reason_of(const ProduceResponse::PartitionProduceResponse& result,
                                      const ProducedBatch& batch) {
  const KafkaError error = kafka_error(result.error_code);
  std::string text = name_of(error);
  if (result.error_message) text += fmt::format(": {}", *result.error_message);
  for (const auto& record : result.record_errors) {
    text += fmt::format("; record {}: {}", batch.first_index + static_cast<uint64_t>(record.batch_index),
                        record.batch_index_error_message.value_or("refused"));
  }
  if (error == KafkaError::kMessageTooLarge || error == KafkaError::kRecordListTooLarge) {
    text += fmt::format(" ({} bytes; the topic's 'max.message.bytes' is the limit)", batch.size);
  }
  return text;
}

/// Halves a batch that the broker finds too large. The halves have its sequence numbers between them. What is not
/// batched yet need not be halved: the partition's batches grow no larger than a half.
void ProduceMachine::split(Partition& partition, ProducedBatch& batch) {
  ++stats_.num_splits;
  RecordBatchInfo info;
  RecordBatchIterator({batch.bytes->data(), batch.size}).next(info);
  ByteArena arena(accumulator_.pool());
  RecordRun run;
  BatchDecoder({.check_crcs = false}).decode(info, 0, arena, run);
  const std::vector<SharedBuffer> blocks = arena.take_blocks();
  std::unique_ptr<ProducedBatch> halves[2];
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  const size_t first_size = (run.size() + 1) / 2;
  for (size_t i = 0; i < run.size(); ++i) {
    const FetchedRecord& record = run.records()[i];
    std::unique_ptr<ProducedBatch>& half = halves[i < first_size ? 0 : 1];
    if (half == nullptr) {
      half = accumulator_.new_part(batch, info.body.size());
      half->first_index = batch.first_index + i;
      half->identity = batch.identity;
      half->ordinal = batch.ordinal;
      if (batch.has_sequence()) half->base_sequence = sequence_after(batch.base_sequence, static_cast<int32_t>(i));
    }
    headers.clear();
    for (const FetchedHeader& header : run.headers().subspan(record.first_header, record.num_headers)) {
      headers.emplace_back(header.name, std::string_view(header.value, header.value_size));
    }
    half->records->append(record.timestamp_ms, {record.key, record.key_size}, {record.value, record.value_size},
                          headers);
  }
  accumulator_.limit_batches(batch.slot, halves[0]->records->size());
  halves[0]->counted_bytes = std::min(batch.counted_bytes, halves[0]->records->size());
  halves[1]->counted_bytes = batch.counted_bytes - halves[0]->counted_bytes;
  batch.counted_bytes = 0;
  accumulator_.finished(batch);
  const auto at = std::find_if(partition.batches.begin(), partition.batches.end(),
                               [&](const auto& owned) { return owned.get() == &batch; });
  *at = std::move(halves[0]);
  partition.batches.insert(std::next(at), std::move(halves[1]));
}

}  // namespace yeoul
