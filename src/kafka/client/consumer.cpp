#include "yeoul/kafka/client/consumer.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <set>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/threads.h"
#include "yeoul/kafka/client/missing_topics.h"
#include "yeoul/kafka/client/native_client.h"
#include "yeoul/kafka/client/offset_committer.h"

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
constexpr int64_t kLeadersTimeoutMs = 3000;
/// A blocking question is cut into parts of this length, so that a stop is seen.
constexpr int64_t kQuestionStepMs = 500;
/// The client's main thread answers within a millisecond; so often and so long it is waited for at the end.
constexpr int kReleaseRounds = 20;
constexpr int kReleaseStepMs = 10;

int64_t steady_ms() {
  return system_clock().steady_ns() / 1'000'000;
}

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
    NativeQueue queue;  ///< the client's of this partition; see release_partitions()
  };

  ClientProperties properties;
  ConsumerOptions options;
  CommitListener on_commit;
  WakeUp wake;
  std::atomic<bool> woken{false};
  NativeClient client;
  NativeQueue queue;
  std::unique_ptr<OffsetCommitter> committer;  ///< null: the consumer has no group
  MissingTopics missing;
  std::vector<NativeQueue> unassigned_queues;
  std::map<TopicPartition, Slot> slots;
  /// Finds a message's slot without building a TopicPartition; cleared when slots come or go.
  std::map<std::pair<const void*, int32_t>, Slot*> slot_cache;
  std::pair<const void*, int32_t> last_key{nullptr, 0};
  Slot* last_slot = nullptr;
  std::vector<rd_kafka_message_t*> messages{kMessagesPerPoll};
  std::vector<Slot*> slot_of_message;
  std::vector<Slot*> touched;
  bool throttled = false;

  /// Called on the polling thread. Lost connections come back by themselves; a partition that cannot be read says so in
  /// its own event, but for one whose topic does not exist.
  static void on_error(rd_kafka_t*, int error, const char* reason, void* opaque) {
    log(LogLevel::kInfo, "kafka", "{}: {}", native_error_text(error), reason);
    if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
        error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION) {
      static_cast<Impl*>(opaque)->suspect(reason);
    }
  }

  /// @param reason  begins with the topic: "orders [3]: topic does not exist"
  void suspect(std::string_view reason) {
    for (const auto& [tp, slot] : slots) {
      if (reason.starts_with(tp.topic) && reason.substr(tp.topic.size()).starts_with(" [")) {
        missing.suspect(tp.topic, steady_ms());
      }
    }
  }

  static void on_queue_filled(rd_kafka_t*, void* opaque) { static_cast<Impl*>(opaque)->wake.raise(); }

  Impl(ClientProperties p, ConsumerOptions o, CommitListener commit_callback)
      : properties(std::move(p)), options(o), on_commit(std::move(commit_callback)) {
    NativeConf conf = make_conf(properties);
    rd_kafka_conf_set_opaque(conf.get(), this);
    rd_kafka_conf_set_error_cb(conf.get(), on_error);
    const auto group = properties.native().find("group.id");
    const bool has_group = group != properties.native().end() && !group->second.empty();
    // The client assigns nothing without a group; this one is never joined nor committed to.
    if (!has_group) rd_kafka_conf_set(conf.get(), "group.id", "yeoul-without-group", nullptr, 0);
    client = make_client(properties, std::move(conf));
    rd_kafka_poll_set_consumer(client.get());
    queue.reset(rd_kafka_queue_get_consumer(client.get()));
    rd_kafka_queue_cb_event_enable(queue.get(), on_queue_filled, this);
    if (has_group) {
      committer = std::make_unique<OffsetCommitter>(
          client.get(), group->second, [this] { wake.raise(); }, on_commit);
    }
  }

  ~Impl() {
    rd_kafka_queue_cb_event_enable(queue.get(), nullptr, nullptr);
    committer.reset();
    release_partitions();
    unassigned_queues.clear();
    slots.clear();
    queue.reset();
  }

  void drop_messages(rd_kafka_queue_t* from, int timeout_ms) {
    for (;;) {
      const ssize_t count = rd_kafka_consume_batch_queue(from, timeout_ms, messages.data(), messages.size());
      if (count <= 0) return;
      for (ssize_t i = 0; i < count; ++i) rd_kafka_message_destroy(messages[static_cast<size_t>(i)]);
    }
  }

  /// In version 2.0 of the client a stopped partition's own queue holds a last entry, which refers to the partition.
  /// Of a partition whose topic was deleted nobody else removes it, and the end of the client then waits for ever.
  void release_partitions() {
    if (slots.empty() && unassigned_queues.empty()) return;
    PartitionOffsets all;
    std::set<rd_kafka_queue_t*> stopping;
    for (const auto& [tp, slot] : slots) {
      all[tp] = RD_KAFKA_OFFSET_INVALID;
      if (slot.queue) stopping.insert(slot.queue.get());
    }
    if (!all.empty()) {
      rd_kafka_error_t* error = rd_kafka_incremental_unassign(client.get(), make_list(all).get());
      if (error != nullptr) rd_kafka_error_destroy(error);
    }
    for (int round = 0; round < kReleaseRounds && !stopping.empty(); ++round) {
      // Any question to the client's main thread: when it has answered, the partitions are stopped.
      rd_kafka_topic_partition_list_t* assigned = nullptr;
      rd_kafka_assignment(client.get(), &assigned);
      const NativeList none(assigned);
      drop_messages(queue.get(), round == 0 ? 0 : kReleaseStepMs);
      // Once stopped a partition's queue no longer leads to the consumer's, so what it has is its own.
      std::erase_if(stopping, [](rd_kafka_queue_t* one) { return rd_kafka_queue_length(one) > 0; });
    }
    for (const NativeQueue& one : unassigned_queues) drop_messages(one.get(), 0);
    for (const auto& [tp, slot] : slots) {
      if (slot.queue) drop_messages(slot.queue.get(), 0);
    }
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

  /// The brokers' answer about a topic, if one comes within that time.
  TopicAnswer ask(const std::string& topic, std::set<int32_t>& partitions, int64_t timeout_ms) {
    rd_kafka_topic_t* handle = rd_kafka_topic_new(client.get(), topic.c_str(), nullptr);
    if (handle == nullptr) return TopicAnswer::kUnknown;  // no topic can have such a name
    const rd_kafka_metadata_t* metadata = nullptr;
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client.get(), 0, handle, &metadata, static_cast<int>(std::max<int64_t>(timeout_ms, 1)));
    rd_kafka_topic_destroy(handle);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return TopicAnswer::kNone;
    TopicAnswer answer = TopicAnswer::kNone;
    if (metadata->topic_cnt == 1) {
      const rd_kafka_metadata_topic_t& found = metadata->topics[0];
      if (found.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) answer = TopicAnswer::kUnknown;
      if (found.err == RD_KAFKA_RESP_ERR_NO_ERROR) answer = TopicAnswer::kExists;
      for (int i = 0; i < found.partition_cnt; ++i) partitions.insert(found.partitions[i].id);
    }
    rd_kafka_metadata_destroy(metadata);
    return answer;
  }

  /// Has the client know the leaders before it is given partitions: else it looks for them once a second only. Without
  /// an answer it gets them anyway and waits for its brokers.
  void learn_leaders(const PartitionOffsets& positions, const std::stop_token& stop) {
    std::set<std::string> topics;
    for (const auto& [tp, position] : positions) topics.insert(tp.topic);
    const int64_t deadline = steady_ms() + kLeadersTimeoutMs;
    for (const std::string& topic : topics) {
      TopicAnswer answer = TopicAnswer::kNone;
      while (answer == TopicAnswer::kNone && !stop.stop_requested() && steady_ms() < deadline) {
        std::set<int32_t> partitions;
        answer = ask(topic, partitions, std::min(kQuestionStepMs, deadline - steady_ms()));
      }
    }
  }

  /// Adds a buffer for each partition that is found to be gone.
  void look_for_missing(std::vector<FetchedBuffer>& buffers, const std::stop_token& stop) {
    if (missing.empty()) return;
    std::set<TopicPartition> assigned;
    for (const auto& [tp, slot] : slots) assigned.insert(tp);
    const auto question = [this](const std::string& topic, std::set<int32_t>& partitions) {
      return ask(topic, partitions, kQuestionStepMs);
    };
    for (TopicPartition& tp : missing.check(assigned, steady_ms(), question, stop)) {
      FetchedBuffer& buffer = buffers.emplace_back();
      buffer.position_after = slots.at(tp).position;
      buffer.gone = true;
      buffer.partition = std::move(tp);
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

Consumer::Consumer(ClientProperties properties, ConsumerOptions options, CommitListener on_commit)
    : impl_(std::make_unique<Impl>(std::move(properties), options, std::move(on_commit))) {}
Consumer::~Consumer() = default;

void Consumer::assign(const PartitionOffsets& positions, const std::stop_token& stop) {
  if (positions.empty()) return;
  for (const auto& [tp, position] : positions) {
    Impl::Slot& slot = impl_->slots[tp];
    slot.partition = tp;
    slot.position = position;
  }
  impl_->forget_slots();
  impl_->learn_leaders(positions, stop);
  impl_->require(rd_kafka_incremental_assign(impl_->client.get(), make_list(positions).get()), "assigning partitions");
  for (const auto& [tp, position] : positions) {
    impl_->slots.at(tp).queue.reset(rd_kafka_queue_get_partition(impl_->client.get(), tp.topic.c_str(), tp.partition));
  }
}

void Consumer::unassign(std::span<const TopicPartition> partitions) {
  if (partitions.empty()) return;
  for (const TopicPartition& tp : partitions) {
    const auto slot = impl_->slots.find(tp);
    if (slot == impl_->slots.end()) continue;
    if (slot->second.queue) impl_->unassigned_queues.push_back(std::move(slot->second.queue));
    impl_->slots.erase(slot);
  }
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
  if (impl_->committer) impl_->committer->serve();
  impl_->look_for_missing(buffers, stop);
  if (!buffers.empty() || impl_->woken.exchange(false) || timeout_ms == 0) return buffers;
  if (!impl_->missing.empty()) {
    constexpr int64_t kAskAgainMs = MissingTopics::kAskAgainMs;
    timeout_ms = timeout_ms < 0 ? kAskAgainMs : std::min(timeout_ms, kAskAgainMs);
  }
  impl_->wake.wait(std::move(stop), timeout_ms);
  impl_->woken = false;
  return impl_->take_queued();
}

void Consumer::wake_up() {
  impl_->woken = true;
  impl_->wake.raise();
}

void Consumer::commit(const PartitionOffsets& offsets) {
  if (!offsets.empty() && impl_->committer) impl_->committer->commit(offsets);
}

}  // namespace yeoul
