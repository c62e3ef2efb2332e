#include "yeoul/testing/kafka/model_partition.h"

#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/crc32c.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr size_t kRememberedBatches = 5;
// Where the fields of a batch's head are.
constexpr size_t kLeaderEpochAt = 12;
constexpr size_t kCrcAt = 17;
constexpr size_t kAttributesAt = 21;

/// A batch with one control record: what brokers write where a transaction ends.
std::string marker_bytes(int64_t producer_id, int16_t producer_epoch, bool commit) {
  std::string record;
  WireWriter fields(record);
  fields.fixed(int8_t{0});
  fields.varint(0);  // timestamp
  fields.varint(0);  // offset
  fields.varint(4);
  fields.fixed(int16_t{0});
  fields.fixed(static_cast<int16_t>(commit ? ControlType::kCommit : ControlType::kAbort));
  fields.varint(6);
  fields.fixed(int16_t{0});
  fields.fixed(int32_t{0});  // coordinator epoch
  fields.varint(0);

  std::string batch;
  WireWriter head(batch);
  head.fixed(int64_t{0});
  head.fixed(int32_t{0});
  head.fixed(int32_t{0});
  head.fixed(int8_t{2});
  head.fixed(int32_t{0});
  head.fixed(int16_t{0x30});  // transactional, control
  head.fixed(int32_t{0});
  head.fixed(int64_t{0});
  head.fixed(int64_t{0});
  head.fixed(producer_id);
  head.fixed(producer_epoch);
  head.fixed(int32_t{-1});
  head.fixed(int32_t{1});
  head.varint(static_cast<int64_t>(record.size()));
  head.raw(record);
  store_big_endian(batch.data() + 8, static_cast<int32_t>(batch.size() - kLeaderEpochAt));
  store_big_endian(batch.data() + kCrcAt, crc32c(std::string_view(batch).substr(kAttributesAt)));
  return batch;
}

}  // namespace

const ModelLeader& ModelPartition::leader_seen(int64_t at_ms) const {
  auto seen = std::find_if(leaders_.rbegin(), leaders_.rend(),
                           [&](const ModelLeader& leader) { return leader.since_ms <= at_ms; });
  return seen == leaders_.rend() ? leaders_.front() : *seen;
}

void ModelPartition::elect(int32_t node, int64_t now_ms) {
  const int32_t epoch = leader().epoch + 1;
  leaders_.push_back({now_ms, node, epoch});
  std::erase_if(epochs_, [&](const Epoch& known) { return known.begin >= end_; });
  epochs_.push_back({epoch, end_});
}

void ModelPartition::elect_unclean(int32_t node, size_t num_lost_max, int64_t now_ms) {
  const size_t num_lost = std::min(num_lost_max, batches_.size());
  const auto kept_end = batches_.end() - static_cast<std::ptrdiff_t>(num_lost);
  lost_.insert(lost_.end(), kept_end, batches_.end());
  batches_.erase(kept_end, batches_.end());
  end_ = batches_.empty() ? 0 : batches_.back().last_offset + 1;
  producers_.clear();
  for (const ModelBatch& batch : batches_) {
    YEOUL_CHECK(!batch.transactional, "an unclean election where there are transactions");
    if (batch.producer_id < 0) continue;
    Producer& producer = producers_[batch.producer_id];
    if (batch.producer_epoch > producer.epoch) producer = {batch.producer_epoch, {}};
    remember(producer, batch.base_sequence, static_cast<int32_t>(batch.last_offset - batch.base_offset) + 1,
             batch.base_offset);
  }
  elect(node, now_ms);
}

ModelEpochEnd ModelPartition::end_of_epoch(int32_t epoch) const {
  const auto later =
      std::find_if(epochs_.begin(), epochs_.end(), [&](const Epoch& known) { return known.epoch > epoch; });
  if (later != epochs_.end()) {
    return {later == epochs_.begin() ? epoch : std::prev(later)->epoch, later->begin};
  }
  return epochs_.back().epoch == epoch ? ModelEpochEnd{epoch, end_} : ModelEpochEnd{};
}

int32_t ModelPartition::epoch_before(int64_t offset) const {
  const auto batch = std::partition_point(batches_.begin(), batches_.end(),
                                          [&](const ModelBatch& known) { return known.last_offset + 1 < offset; });
  return offset <= 0 || batch == batches_.end() ? -1 : batch->leader_epoch;
}

void ModelPartition::remember(Producer& producer, int32_t base_sequence, int32_t num_records, int64_t base_offset) {
  producer.last.push_back({base_sequence, base_sequence + num_records - 1, base_offset});
  if (producer.last.size() > kRememberedBatches) producer.last.pop_front();
}

ModelAppend ModelPartition::append(std::string_view bytes, const ModelSabotage& sabotage) {
  RecordBatchInfo info;
  RecordBatchIterator batches(bytes);
  if (!batches.next(info)) return {KafkaError::kCorruptMessage};
  if (crc32c(info.checked) != info.crc || info.num_records <= 0) return {KafkaError::kCorruptMessage};
  const int64_t base_offset = end_;
  if (info.producer_id >= 0) {
    if (!producers_.contains(info.producer_id) && info.base_sequence != 0) return {KafkaError::kUnknownProducerId};
    Producer& producer = producers_[info.producer_id];
    const int32_t last_sequence = info.base_sequence + info.num_records - 1;
    if (info.producer_epoch < producer.epoch) return {KafkaError::kInvalidProducerEpoch};
    if (info.producer_epoch > producer.epoch) {
      if (info.base_sequence != 0) return {KafkaError::kOutOfOrderSequenceNumber};
      producer = {info.producer_epoch, {}};
    }
    for (const Written& written : producer.last) {
      if (written.first_sequence != info.base_sequence || written.last_sequence != last_sequence) continue;
      if (!sabotage.no_deduplication) return {KafkaError::kNone, written.base_offset};
    }
    const int32_t expected = producer.last.empty() ? 0 : producer.last.back().last_sequence + 1;
    const bool again = sabotage.no_deduplication && info.base_sequence < expected;
    if (info.base_sequence != expected && !again) return {KafkaError::kOutOfOrderSequenceNumber};
    if (!again) remember(producer, info.base_sequence, info.num_records, base_offset);
    if (info.transactional) open_.try_emplace(info.producer_id, base_offset);
  }
  if (!sabotage.loses_acknowledged) store(bytes, info);
  return {KafkaError::kNone, base_offset};
}

void ModelPartition::store(std::string_view bytes, const RecordBatchInfo& info) {
  ModelBatch batch{.base_offset = end_,
                   .last_offset = end_ + info.num_records - 1,
                   .producer_id = info.producer_id,
                   .producer_epoch = info.producer_epoch,
                   .base_sequence = info.base_sequence,
                   .leader_epoch = leader().epoch,
                   .transactional = info.transactional,
                   .control = info.control,
                   .bytes = std::string(bytes.substr(0, info.bytes.size()))};
  store_big_endian(batch.bytes.data(), batch.base_offset);
  store_big_endian(batch.bytes.data() + kLeaderEpochAt, leader().epoch);
  end_ = batch.last_offset + 1;
  batches_.push_back(std::move(batch));
}

void ModelPartition::append_marker(int64_t producer_id, int16_t producer_epoch, bool commit) {
  Producer& producer = producers_[producer_id];
  if (producer_epoch > producer.epoch) producer = {producer_epoch, {}};
  const auto open = open_.find(producer_id);
  if (open != open_.end()) {
    if (!commit) aborted_.push_back({producer_id, open->second, end_});
    open_.erase(open);
  }
  const std::string bytes = marker_bytes(producer_id, producer_epoch, commit);
  RecordBatchInfo info;
  RecordBatchIterator batches(bytes);
  YEOUL_CHECK(batches.next(info), "a marker that is no batch");
  store(bytes, info);
}

int64_t ModelPartition::last_stable_offset() const {
  int64_t stable = end_;
  for (const auto& [producer, first_offset] : open_) stable = std::min(stable, first_offset);
  return stable;
}

int64_t ModelPartition::last_stable_offset(int64_t end) const {
  std::map<int64_t, int64_t> open;
  for (const ModelBatch& batch : batches_) {
    if (batch.base_offset >= end) break;
    if (batch.control) {
      open.erase(batch.producer_id);
    } else if (batch.transactional) {
      open.try_emplace(batch.producer_id, batch.base_offset);
    }
  }
  int64_t stable = end;
  for (const auto& [producer, first_offset] : open) stable = std::min(stable, first_offset);
  return stable;
}

std::string ModelPartition::read(int64_t offset, int64_t up_to, size_t bytes_max) const {
  std::string out;
  auto batch = std::partition_point(batches_.begin(), batches_.end(),
                                    [&](const ModelBatch& candidate) { return candidate.last_offset < offset; });
  for (; batch != batches_.end() && batch->base_offset < up_to; ++batch) {
    if (!out.empty() && out.size() + batch->bytes.size() > bytes_max) break;
    out += batch->bytes;
  }
  return out;
}

std::vector<FetchResponse::AbortedTransaction> ModelPartition::aborted_in(int64_t from, int64_t up_to) const {
  std::vector<FetchResponse::AbortedTransaction> out;
  for (const Aborted& aborted : aborted_) {
    if (aborted.last_offset < from || aborted.first_offset >= up_to) continue;
    FetchResponse::AbortedTransaction& entry = out.emplace_back();
    entry.producer_id = aborted.producer_id;
    entry.first_offset = aborted.first_offset;
  }
  return out;
}

bool ModelPartition::is_committed(const ModelBatch& batch) const {
  if (!batch.transactional) return true;
  const auto open = open_.find(batch.producer_id);
  if (open != open_.end() && batch.base_offset >= open->second) return false;
  return std::none_of(aborted_.begin(), aborted_.end(), [&](const Aborted& aborted) {
    return aborted.producer_id == batch.producer_id && aborted.first_offset <= batch.base_offset &&
           batch.base_offset <= aborted.last_offset;
  });
}

}  // namespace yeoul
