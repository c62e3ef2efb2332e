#include "yeoul/kafka/native/batch_accumulator.h"

#include <algorithm>
#include <utility>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

constexpr size_t kNoSlot = SIZE_MAX;
constexpr size_t kSmallestBatch = 4096;

}  // namespace

BatchAccumulator::BatchAccumulator(const ProduceSettings& settings, std::vector<std::string> topics)
    : batch_bytes_(settings.batch_bytes),
      record_bytes_max_(std::min(settings.request_bytes_max, settings.buffer_bytes)),
      linger_ns_(settings.linger_ns),
      buffer_bytes_(settings.buffer_bytes),
      pool_(settings.buffer_bytes),
      topics_(std::move(topics)),
      slot_numbers_(topics_.size()) {}

size_t BatchAccumulator::add_topic(std::string topic) {
  const std::scoped_lock lock(mutex_);
  topics_.push_back(std::move(topic));
  slot_numbers_.emplace_back();
  return topics_.size() - 1;
}

std::vector<std::string> BatchAccumulator::topics() {
  const std::scoped_lock lock(mutex_);
  return topics_;
}

BatchAccumulator::Slot& BatchAccumulator::slot_of(size_t topic, int32_t partition, size_t& number) {
  YEOUL_CHECK(partition >= 0, "partition {}", partition);
  std::vector<size_t>& numbers = slot_numbers_.at(topic);
  const auto index = static_cast<size_t>(partition);
  if (numbers.size() <= index) numbers.resize(index + 1, kNoSlot);
  if (numbers[index] == kNoSlot) {
    numbers[index] = slots_.size();
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->partition = {topics_[topic], partition};
    slots_.back()->batch_bytes = batch_bytes_;
  }
  number = numbers[index];
  return *slots_[number];
}

void BatchAccumulator::check_size(const Slot& slot, const ProducedRecord& record) const {
  if (BatchRecords::batch_bytes_of(record.key, record.value, record.headers) <= record_bytes_max_) return;
  const bool too_large_to_send = record_bytes_max_ < buffer_bytes_;
  throw external_error(4006, "a record of {} bytes cannot be sent to topic={} partition={}: it is above '{}' = {}",
                       record.key.size() + record.value.size(), slot.partition.topic, slot.partition.partition,
                       too_large_to_send ? "max.request.size" : "buffer.memory", record_bytes_max_);
}

int64_t BatchAccumulator::append(size_t topic, int32_t partition, std::span<const ProducedRecord> records,
                                 int64_t now_ns, int64_t wall_ms) {
  const std::scoped_lock lock(mutex_);
  size_t number = 0;
  Slot& slot = slot_of(topic, partition, number);
  int64_t look_at_ns = kNever;
  size_t added = 0;
  const auto count = [&] { waiting_bytes_.fetch_add(std::exchange(added, 0), std::memory_order_relaxed); };
  for (const ProducedRecord& record : records) {
    const size_t bytes = BatchRecords::bytes_of(record.key, record.value, record.headers);
    if (kBatchHeadBytes + bytes > record_bytes_max_) {
      count();
      check_size(slot, record);
    }
    if (slot.open != nullptr && slot.open->records->size() + bytes > slot.batch_bytes) {
      close(slot, number);
      look_at_ns = now_ns;
    }
    if (slot.open == nullptr) {
      open_batch(slot, number, now_ns, bytes);
      look_at_ns = std::min(look_at_ns, now_ns + linger_ns_);
    }
    BatchRecords& open = *slot.open->records;
    const size_t before = open.size();
    open.append(record.timestamp_ms < 0 ? wall_ms : record.timestamp_ms, record.key, record.value, record.headers);
    added += open.size() - before;
    slot.open->counted_bytes += open.size() - before;
    ++slot.next_index;
  }
  count();
  return look_at_ns;
}

void BatchAccumulator::open_batch(Slot& slot, size_t number, int64_t now_ns, size_t bytes) {
  const size_t expected = std::min(slot.batch_bytes, std::max(kSmallestBatch, slot.last_size));
  slot.open = std::make_unique<ProducedBatch>(pool_, std::max(expected, kBatchHeadBytes + bytes));
  slot.open->slot = number;
  slot.open->created_ns = now_ns;
  slot.open->first_index = slot.next_index;
  slot.open->flush_group = flush_group_;
  ++num_batches_[static_cast<size_t>(flush_group_)];
  announce(slot, number);
}

void BatchAccumulator::close(Slot& slot, size_t number) {
  slot.last_size = slot.open->records->size();
  slot.closed.push_back(std::move(slot.open));
  announce(slot, number);
}

void BatchAccumulator::announce(Slot& slot, size_t number) {
  if (std::exchange(slot.has_news, true)) return;
  slots_with_news_.push_back(number);
  has_news_ = true;
}

void BatchAccumulator::begin_flush() {
  const std::scoped_lock lock(mutex_);
  YEOUL_CHECK(!flushing_, "a flush during a flush");
  for (size_t number = 0; number < slots_.size(); ++number) {
    if (slots_[number]->open != nullptr) close(*slots_[number], number);
  }
  flushing_ = true;
  flush_group_ = 1 - flush_group_;
  has_news_ = true;
}

bool BatchAccumulator::take_flush_end() {
  const std::scoped_lock lock(mutex_);
  if (!flushing_ || num_batches_[static_cast<size_t>(1 - flush_group_)] > 0) return false;
  flushing_ = false;
  return true;
}

void BatchAccumulator::collect(std::vector<News>& news) {
  news.clear();
  if (!has_news_.exchange(false)) return;
  const std::scoped_lock lock(mutex_);
  for (const size_t number : slots_with_news_) {
    Slot& slot = *slots_[number];
    slot.has_news = false;
    const int64_t open_since_ns = slot.open == nullptr ? kNever : slot.open->created_ns;
    news.push_back({number, &slot.partition, std::move(slot.closed), open_since_ns});
    slot.closed.clear();
  }
  slots_with_news_.clear();
}

std::unique_ptr<ProducedBatch> BatchAccumulator::take_open(size_t slot) {
  const std::scoped_lock lock(mutex_);
  // What was closed meanwhile comes first.
  if (!slots_[slot]->closed.empty()) return nullptr;
  if (slots_[slot]->open != nullptr) slots_[slot]->last_size = slots_[slot]->open->records->size();
  return std::move(slots_[slot]->open);
}

void BatchAccumulator::finished(const ProducedBatch& batch) {
  waiting_bytes_.fetch_sub(batch.counted_bytes, std::memory_order_relaxed);
  const std::scoped_lock lock(mutex_);
  --num_batches_[static_cast<size_t>(batch.flush_group)];
}

std::unique_ptr<ProducedBatch> BatchAccumulator::new_part(const ProducedBatch& whole, size_t bytes_expected) {
  auto part = std::make_unique<ProducedBatch>(pool_, bytes_expected);
  part->slot = whole.slot;
  part->created_ns = whole.created_ns;
  part->flush_group = whole.flush_group;
  const std::scoped_lock lock(mutex_);
  ++num_batches_[static_cast<size_t>(whole.flush_group)];
  return part;
}

void BatchAccumulator::limit_batches(size_t slot, size_t bytes) {
  const std::scoped_lock lock(mutex_);
  size_t& limit = slots_[slot]->batch_bytes;
  limit = std::min(limit, std::max(bytes, kSmallestLimit));
}

}  // namespace yeoul
