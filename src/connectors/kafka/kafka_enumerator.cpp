#include "yeoul/connectors/kafka/kafka_enumerator.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/bytes.h"
#include "yeoul/common/log.h"

namespace yeoul {
namespace {

constexpr uint8_t kEnumeratorVersion = 1;

}  // namespace

KafkaSourceEnumerator::KafkaSourceEnumerator(SplitEnumeratorContext& context,
                                             std::shared_ptr<const KafkaSourceConfig> config,
                                             const std::optional<std::string>& restored)
    : context_(context), config_(std::move(config)) {
  if (restored) restore(*restored);
  look_up_->discovered = initialized_;
}

void KafkaSourceEnumerator::start() {
  const int64_t period_ms = config_->is_bounded() ? 0 : config_->discovery_interval_ms;
  if (initialized_ && period_ms <= 0) return;
  context_.call_async([this] { return discover(); }, period_ms);
}

/// Lists the partitions; on the I/O pool.
std::function<void()> KafkaSourceEnumerator::discover() {
  const std::scoped_lock lock(look_up_->mutex);
  const std::stop_token stop = look_up_->stop.get_token();
  if (stop.stop_requested()) return [] {};
  try {
    if (!look_up_->resolver) look_up_->resolver = std::make_unique<OffsetResolver>(*config_, stop);
    std::vector<TopicPartition> found = look_up_->resolver->discover();
    look_up_->discovered = true;
    return [this, found = std::move(found)]() mutable { take_partitions(std::move(found)); };
  } catch (const Error& error) {
    if (!look_up_->discovered) throw;
    if (stop.stop_requested()) return [] {};
    log(LogLevel::kWarn, "kafka", "{}: looking for new partitions failed, trying again in {} ms: {}", config_->owner(),
        config_->discovery_interval_ms, error.message());
    return [] {};
  }
}

/// Has the offsets of partitions not known yet looked up.
void KafkaSourceEnumerator::take_partitions(std::vector<TopicPartition> found) {
  if (resolving_) return;  // the next discovery finds them again
  std::erase_if(found, [this](const TopicPartition& tp) { return known_.contains(tp); });
  if (found.empty() && initialized_) return;
  resolving_ = true;
  context_.call_async([this, found = std::move(found), initial = !initialized_]() -> std::function<void()> {
    const std::scoped_lock lock(look_up_->mutex);
    OffsetResolver& resolver = *look_up_->resolver;
    return [this, splits = initial ? resolver.initial_splits(found) : resolver.later_splits(found)] {
      take_splits(splits);
    };
  });
}

void KafkaSourceEnumerator::take_splits(const std::vector<KafkaPartitionSplit>& splits) {
  resolving_ = false;
  for (const KafkaPartitionSplit& split : splits) {
    if (!known_.insert(split.partition).second) continue;
    if (initialized_) {
      log(LogLevel::kInfo, "kafka", "{}: found new partition {}", config_->owner(), to_string(split.partition));
    }
    pending_[split.partition] = split.to_source_split();
  }
  initialized_ = true;
  assign_pending();
}

void KafkaSourceEnumerator::assign_pending() {
  for (const int subtask : context_.registered_readers()) {
    std::vector<SourceSplit> own;
    for (auto it = pending_.begin(); it != pending_.end();) {
      if (split_owner(it->first, context_.parallelism()) == subtask) {
        own.push_back(std::move(it->second));
        it = pending_.erase(it);
      } else {
        ++it;
      }
    }
    if (!own.empty()) context_.assign_splits(subtask, std::move(own));
    if (initialized_ && config_->is_bounded() && told_no_more_.insert(subtask).second) {
      context_.signal_no_more_splits(subtask);
    }
  }
}

void KafkaSourceEnumerator::add_reader(int subtask) {
  told_no_more_.erase(subtask);
  assign_pending();
}

void KafkaSourceEnumerator::add_splits_back(std::vector<SourceSplit> splits, int subtask) {
  (void)subtask;
  for (SourceSplit& split : splits) {
    const TopicPartition partition = KafkaPartitionSplit::from_bytes(split.bytes).partition;
    known_.insert(partition);
    pending_[partition] = std::move(split);
  }
}

std::string KafkaSourceEnumerator::snapshot(int64_t checkpoint_id) {
  (void)checkpoint_id;
  ByteWriter writer;
  writer.u8(kEnumeratorVersion);
  writer.u8(initialized_ ? 1 : 0);
  writer.varint(known_.size());
  for (const TopicPartition& tp : known_) {
    writer.string(tp.topic);
    writer.varint(static_cast<uint64_t>(tp.partition));
  }
  writer.varint(pending_.size());
  for (const auto& [tp, split] : pending_) writer.string(split.bytes);
  return writer.take();
}

void KafkaSourceEnumerator::restore(const std::string& bytes) {
  ByteReader reader(bytes);
  if (const uint8_t version = reader.u8(); version != kEnumeratorVersion) {
    throw internal_error(6001, "a Kafka enumerator's state has version {}; this program knows {}", version,
                         kEnumeratorVersion);
  }
  initialized_ = reader.u8() != 0;
  for (uint64_t n = reader.varint(); n > 0; --n) {
    std::string topic(reader.string());
    known_.insert({std::move(topic), static_cast<int32_t>(reader.varint())});
  }
  for (uint64_t n = reader.varint(); n > 0; --n) {
    const KafkaPartitionSplit split = KafkaPartitionSplit::from_bytes(reader.string());
    pending_[split.partition] = split.to_source_split();
  }
}

}  // namespace yeoul
