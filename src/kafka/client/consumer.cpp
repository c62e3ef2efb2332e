#include "yeoul/kafka/client/consumer.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/threads.h"
#include "yeoul/kafka/client/native_client.h"

namespace yeoul {
namespace {

/// Messages taken from the client's queue at once: enough for whole row batches, few enough that they are still in the
/// processor's cache when they are copied and given back.
constexpr size_t kMessagesPerPoll = 2'000;
/// The client stops fetching at this many queued messages ("queued.min.messages").
constexpr size_t kQueueFull = 20'000;
/// How far ahead of a message at hand the next ones are fetched into the cache; another thread has made them.
constexpr size_t kPrefetch = 8;
/// How long a look-up that only wakes the client may take.
constexpr int kNudgeTimeoutMs = 100;
/// How long the look-up of leaders before an assignment may take.
constexpr int kLeadersTimeoutMs = 3000;

struct QueueDeleter {
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
};

TimestampType timestamp_type(rd_kafka_timestamp_type_t type) {
  return static_cast<TimestampType>(static_cast<int>(type) - 1);
}

}  // namespace

struct Consumer::Impl {
  /// An assigned partition, and what the poll in progress has seen of it.
  struct Slot {
    TopicPartition partition;
    int64_t position = 0;
    size_t num_records = 0;
    size_t num_bytes = 0;
    bool touched = false;
    bool at_end = false;
    FetchedBuffer buffer;
    char* write_at = nullptr;
  };

  ClientProperties properties;
  ConsumerOptions options;
  std::function<void(const std::string&)> on_commit;
  WakeUp wake;
  std::atomic<bool> woken{false};
  NativeClient client;
  std::unique_ptr<rd_kafka_queue_t, QueueDeleter> queue;
  std::map<TopicPartition, Slot> slots;
  /// Finds a message's slot without building a TopicPartition; cleared when slots come or go.
  std::map<std::pair<const void*, int32_t>, Slot*> slot_cache;
  std::pair<const void*, int32_t> last_key{nullptr, 0};
  Slot* last_slot = nullptr;
  std::vector<rd_kafka_message_t*> messages{kMessagesPerPoll};
  std::vector<Slot*> slot_of_message;
  std::vector<Slot*> touched;
  bool throttled = false;

  static void on_error(rd_kafka_t*, int error, const char* reason, void*) {
    // Lost connections come back by themselves; a partition that cannot be read says so in its own event.
    log(LogLevel::kInfo, "kafka", "{}: {}", native_error_text(error), reason);
  }

  static void on_offset_commit(rd_kafka_t*, rd_kafka_resp_err_t error, rd_kafka_topic_partition_list_t* offsets,
                               void* opaque) {
    const auto* self = static_cast<Impl*>(opaque);
    for (int i = 0; offsets != nullptr && i < offsets->cnt && error == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      error = offsets->elems[i].err;
    }
    self->on_commit(error == RD_KAFKA_RESP_ERR_NO_ERROR ? "" : rd_kafka_err2str(error));
  }

  static void on_queue_filled(rd_kafka_t*, void* opaque) { static_cast<Impl*>(opaque)->wake.raise(); }

  Impl(ClientProperties p, ConsumerOptions o, std::function<void(const std::string&)> commit_callback)
      : properties(std::move(p)), options(o), on_commit(std::move(commit_callback)) {
    NativeConf conf = make_conf(properties);
    // With sparse connections nothing re-opens the connection to the group's coordinator for a commit without a
    // subscription: after a broker restart the client's main thread then spins until session.timeout.ms has passed.
    rd_kafka_conf_set(conf.get(), "enable.sparse.connections", "false", nullptr, 0);
    rd_kafka_conf_set_opaque(conf.get(), this);
    rd_kafka_conf_set_error_cb(conf.get(), on_error);
    rd_kafka_conf_set_offset_commit_cb(conf.get(), on_offset_commit);
    client = make_client(properties, std::move(conf));
    rd_kafka_poll_set_consumer(client.get());
    queue.reset(rd_kafka_queue_get_consumer(client.get()));
    rd_kafka_queue_cb_event_enable(queue.get(), on_queue_filled, this);
  }

  ~Impl() {
    rd_kafka_queue_cb_event_enable(queue.get(), nullptr, nullptr);
    queue.reset();
  }

  Slot* find_slot(const rd_kafka_message_t& message) {
    const std::pair<const void*, int32_t> key(message.rkt, message.partition);
    if (key == last_key) return last_slot;  // messages come in runs of one partition
    last_key = key;
    if (const auto it = slot_cache.find(key); it != slot_cache.end()) return last_slot = it->second;
    const auto it = slots.find({rd_kafka_topic_name(message.rkt), message.partition});
    last_slot = it == slots.end() ? nullptr : &it->second;
    slot_cache.emplace(key, last_slot);
    return last_slot;
  }

  void forget_slots() {
    slot_cache.clear();
    last_key = {nullptr, 0};
    last_slot = nullptr;
  }

  void touch(Slot& slot) {
    if (slot.touched) return;
    slot.touched = true;
    slot.buffer = FetchedBuffer();
    slot.num_records = 0;
    slot.num_bytes = 0;
    slot.at_end = false;
    touched.push_back(&slot);
  }

  void note_event(const rd_kafka_message_t& message) {
    if (message.rkt == nullptr) {
      throw external_error(4003, "{}: Kafka consumer failed: {}", properties.owner(),
                           rd_kafka_message_errstr(&message));
    }
    Slot* slot = find_slot(message);
    if (slot == nullptr) return;
    touch(*slot);
    if (message.err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      slot->position = std::max(slot->position, message.offset);
      slot->at_end = true;
      return;
    }
    slot->buffer.error = rd_kafka_message_errstr(&message);
    slot->buffer.out_of_range =
        message.err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET || message.err == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
  }

  /// First pass over a message: whose it is, and how many bytes it needs.
  Slot* measure(const rd_kafka_message_t& message) {
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      note_event(message);
      return nullptr;
    }
    Slot* slot = find_slot(message);
    // Left over from before an unassign or a seek.
    if (slot == nullptr || message.offset < slot->position) return nullptr;
    touch(*slot);
    slot->position = message.offset + 1;
    slot->at_end = false;
    ++slot->num_records;
    slot->num_bytes += message.len + (options.keep_keys ? message.key_len : 0);
    if (options.keep_headers) slot->num_bytes += header_bytes(message);
    return slot;
  }

  static size_t header_bytes(const rd_kafka_message_t& message) {
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return 0;
    const char* name;
    const void* value;
    size_t size;
    size_t bytes = 0;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      bytes += std::strlen(name) + size;
    }
    return bytes;
  }

  static const char* copy_part(Slot& slot, const void* bytes, size_t size) {
    if (bytes == nullptr) return nullptr;
    char* at = slot.write_at;
    std::memcpy(at, bytes, size);
    slot.write_at += size;
    return at;
  }

  /// Second pass: copies the message's parts behind those before it.
  void copy(Slot& slot, const rd_kafka_message_t& message) {
    rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    FetchedRecord& record = slot.buffer.records.emplace_back();
    record.offset = message.offset;
    record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
    record.timestamp_type = timestamp_type(type);
    record.leader_epoch = -1;
    record.value_size = static_cast<uint32_t>(message.len);
    record.value = copy_part(slot, message.payload, message.len);
    record.key_size = options.keep_keys ? static_cast<uint32_t>(message.key_len) : 0;
    record.key = options.keep_keys ? copy_part(slot, message.key, message.key_len) : nullptr;
    record.first_header = static_cast<uint32_t>(slot.buffer.headers.size());
    if (options.keep_headers) copy_headers(slot, message);
    record.num_headers = static_cast<uint32_t>(slot.buffer.headers.size()) - record.first_header;
  }

  static void copy_headers(Slot& slot, const rd_kafka_message_t& message) {
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
    const char* name;
    const void* value;
    size_t size;
    for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      const size_t name_size = std::strlen(name);
      const char* copied = copy_part(slot, name, name_size);
      slot.buffer.headers.push_back({{copied, name_size}, copy_part(slot, value, size), static_cast<uint32_t>(size)});
    }
  }

  std::vector<FetchedBuffer> build(size_t count) {
    slot_of_message.assign(count, nullptr);
    for (size_t i = 0; i < count; ++i) {
      __builtin_prefetch(messages[std::min(i + kPrefetch, count - 1)]);
      slot_of_message[i] = measure(*messages[i]);
    }
    for (Slot* slot : touched) {
      slot->buffer.records.reserve(slot->num_records);
      slot->buffer.num_bytes = slot->num_bytes;
      slot->buffer.bytes = std::make_unique_for_overwrite<char[]>(slot->num_bytes + FetchedBuffer::kReadableBehind);
      slot->write_at = slot->buffer.bytes.get();
    }
    for (size_t i = 0; i < count; ++i) {
      __builtin_prefetch(messages[std::min(i + kPrefetch, count - 1)]->payload);
      if (slot_of_message[i] != nullptr) copy(*slot_of_message[i], *messages[i]);
    }
    std::vector<FetchedBuffer> buffers;
    for (Slot* slot : touched) buffers.push_back(finish(*slot));
    touched.clear();
    return buffers;
  }

  FetchedBuffer finish(Slot& slot) {
    slot.touched = false;
    FetchedBuffer buffer = std::move(slot.buffer);
    std::memset(slot.write_at, 0, FetchedBuffer::kReadableBehind);
    buffer.partition = slot.partition;
    buffer.position_after = slot.position;
    int64_t low = 0;
    int64_t high = 0;
    if (rd_kafka_get_watermark_offsets(client.get(), slot.partition.topic.c_str(), slot.partition.partition, &low,
                                       &high) == RD_KAFKA_RESP_ERR_NO_ERROR &&
        high >= 0) {
      buffer.end_offset = std::max(high, slot.position);
    }
    buffer.at_end = slot.at_end || buffer.end_offset == slot.position;
    return buffer;
  }

  /// Version 2.0 of the client sleeps for a second once its queue was full, however fast the queue is emptied, unless
  /// something wakes its broker threads. A look-up of end offsets does: one small request a queue's filling.
  void keep_fetching(size_t taken) {
    const size_t left = rd_kafka_queue_length(queue.get());
    if (taken + left >= kQueueFull) throttled = true;
    if (!throttled || left >= kQueueFull / 2) return;
    throttled = false;
    PartitionOffsets ends;
    for (const auto& [tp, slot] : slots) ends[tp] = -1;
    const NativeList list = make_list(ends);
    rd_kafka_offsets_for_times(client.get(), list.get(), kNudgeTimeoutMs);
  }

  std::vector<FetchedBuffer> take_queued() {
    const ssize_t count = rd_kafka_consume_batch_queue(queue.get(), 0, messages.data(), messages.size());
    if (count <= 0) return {};
    std::vector<FetchedBuffer> buffers;
    try {
      buffers = build(static_cast<size_t>(count));
    } catch (...) {
      for (ssize_t i = 0; i < count; ++i) rd_kafka_message_destroy(messages[static_cast<size_t>(i)]);
      touched.clear();
      throw;
    }
    for (ssize_t i = 0; i < count; ++i) rd_kafka_message_destroy(messages[static_cast<size_t>(i)]);
    keep_fetching(static_cast<size_t>(count));
    return buffers;
  }

  /// Has the client know the leaders before it is given partitions: else it looks for them once a second only. Without
  /// an answer it gets them anyway and waits for its brokers.
  void learn_leaders(const PartitionOffsets& positions) {
    std::set<std::string> topics;
    for (const auto& [tp, position] : positions) topics.insert(tp.topic);
    for (const std::string& topic : topics) {
      rd_kafka_topic_t* handle = rd_kafka_topic_new(client.get(), topic.c_str(), nullptr);
      if (handle == nullptr) continue;
      const rd_kafka_metadata_t* metadata = nullptr;
      if (rd_kafka_metadata(client.get(), 0, handle, &metadata, kLeadersTimeoutMs) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_metadata_destroy(metadata);
      }
      rd_kafka_topic_destroy(handle);
    }
  }

  NativeList list_of(std::span<const TopicPartition> partitions) {
    PartitionOffsets offsets;
    for (const TopicPartition& tp : partitions) offsets[tp] = RD_KAFKA_OFFSET_INVALID;
    return make_list(offsets);
  }

  void require(rd_kafka_error_t* error, std::string_view what) {
    if (error == nullptr) return;
    const std::string reason = rd_kafka_error_string(error);
    rd_kafka_error_destroy(error);
    throw external_error(4003, "{}: {} failed: {}", properties.owner(), what, reason);
  }

  void require(rd_kafka_resp_err_t error, std::string_view what) {
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    throw external_error(4003, "{}: {} failed: {}", properties.owner(), what, rd_kafka_err2str(error));
  }
};

Consumer::Consumer(ClientProperties properties, ConsumerOptions options,
                   std::function<void(const std::string&)> on_commit)
    : impl_(std::make_unique<Impl>(std::move(properties), options, std::move(on_commit))) {}
Consumer::~Consumer() = default;

void Consumer::assign(const PartitionOffsets& positions) {
  if (positions.empty()) return;
  for (const auto& [tp, position] : positions) {
    Impl::Slot& slot = impl_->slots[tp];
    slot.partition = tp;
    slot.position = position;
  }
  impl_->forget_slots();
  impl_->learn_leaders(positions);
  impl_->require(rd_kafka_incremental_assign(impl_->client.get(), make_list(positions).get()), "assigning partitions");
}

void Consumer::unassign(std::span<const TopicPartition> partitions) {
  if (partitions.empty()) return;
  for (const TopicPartition& tp : partitions) impl_->slots.erase(tp);
  impl_->forget_slots();
  impl_->require(rd_kafka_incremental_unassign(impl_->client.get(), impl_->list_of(partitions).get()),
                 "giving partitions back");
}

void Consumer::seek(const TopicPartition& partition, int64_t position) {
  const auto it = impl_->slots.find(partition);
  YEOUL_CHECK(it != impl_->slots.end(), "{} is not assigned", to_string(partition));
  // Taking it anew discards what is still queued from the old position.
  const std::vector<TopicPartition> one{partition};
  impl_->require(rd_kafka_incremental_unassign(impl_->client.get(), impl_->list_of(one).get()), "seeking");
  it->second.position = position;
  impl_->require(rd_kafka_incremental_assign(impl_->client.get(), make_list({{partition, position}}).get()), "seeking");
}

void Consumer::pause(std::span<const TopicPartition> partitions) {
  impl_->require(rd_kafka_pause_partitions(impl_->client.get(), impl_->list_of(partitions).get()), "pausing");
}

void Consumer::resume(std::span<const TopicPartition> partitions) {
  impl_->require(rd_kafka_resume_partitions(impl_->client.get(), impl_->list_of(partitions).get()), "resuming");
}

std::vector<FetchedBuffer> Consumer::poll(std::stop_token stop, int64_t timeout_ms) {
  std::vector<FetchedBuffer> buffers = impl_->take_queued();
  if (!buffers.empty() || impl_->woken.exchange(false) || timeout_ms == 0) return buffers;
  impl_->wake.wait(std::move(stop), timeout_ms);
  impl_->woken = false;
  return impl_->take_queued();
}

void Consumer::wake_up() {
  impl_->woken = true;
  impl_->wake.raise();
}

void Consumer::commit(const PartitionOffsets& offsets) {
  if (offsets.empty()) return;
  const rd_kafka_resp_err_t error = rd_kafka_commit(impl_->client.get(), make_list(offsets).get(), 1);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) impl_->on_commit(rd_kafka_err2str(error));
}

}  // namespace yeoul
