#include "yeoul/kafka/client/producer.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/common/threads.h"
#include "yeoul/kafka/client/native_client.h"

namespace yeoul {
namespace {

/// How often the thread looks for room or the end of a flush while somebody waits for it.
constexpr int kWaitingMs = 1;
/// How long a look-up of a topic may block the thread before it looks at its other duties: at first, and at most where
/// brokers are slow to answer.
constexpr int kMetadataStepMs = 500;
constexpr int kMetadataStepMsMax = 3000;
/// The Java producer's default of `buffer.memory`.
constexpr int64_t kDefaultBufferBytes = 33'554'432;
/// What a buffered record costs beside its own bytes.
constexpr int64_t kRecordOverheadBytes = 160;

struct Topic {
  std::string name;
  rd_kafka_topic_t* handle = nullptr;
  std::atomic<int32_t> num_partitions{0};
};

}  // namespace

struct Producer::Impl {
  ClientProperties properties;
  ProducerEvents events;
  const int64_t buffer_bytes_max;
  std::vector<std::unique_ptr<Topic>> topics;
  NativeClient client;
  std::atomic<bool> ready{false};
  std::atomic<bool> failed{false};
  /// Somebody saw no room and waits for wake_up.
  mutable std::atomic<bool> wants_room{false};
  /// Mean bytes of a record, to turn the client's count of waiting records into bytes.
  std::atomic<int64_t> mean_bytes{256};
  std::mutex mutex;
  std::function<void()> flushed;
  int metadata_step_ms = kMetadataStepMs;  ///< the thread's
  mutable WakeUp wake;
  std::jthread thread;

  Impl(ClientProperties p, std::vector<std::string> names, ProducerEvents e)
      : properties(std::move(p)),
        events(std::move(e)),
        buffer_bytes_max(properties.integer("buffer.memory", kDefaultBufferBytes)) {
    NativeConf conf = make_conf(properties);
    rd_kafka_conf_set_opaque(conf.get(), this);
    rd_kafka_conf_set_dr_msg_cb(conf.get(), on_undelivered);
    rd_kafka_conf_set_error_cb(conf.get(), on_error);
    client = make_client(properties, std::move(conf));
    for (std::string& name : names) {
      topics.push_back(std::make_unique<Topic>());
      topics.back()->name = std::move(name);
      topics.back()->handle = rd_kafka_topic_new(client.get(), topics.back()->name.c_str(), nullptr);
      if (topics.back()->handle == nullptr) {
        throw user_error(4002, "{}: '{}' is no topic name: {}", properties.owner(), topics.back()->name,
                         rd_kafka_err2str(rd_kafka_last_error()));
      }
    }
    thread = start_thread("kafka-producer", [this](std::stop_token stop) { run(std::move(stop)); });
  }

  ~Impl() {
    thread.request_stop();
    if (thread.joinable()) thread.join();
    rd_kafka_purge(client.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT | RD_KAFKA_PURGE_F_NON_BLOCKING);
    for (const auto& topic : topics) {
      if (topic->handle != nullptr) rd_kafka_topic_destroy(topic->handle);
    }
  }

  void fail(Error error) {
    if (failed.exchange(true)) return;
    events.fail(std::make_exception_ptr(std::move(error)));
  }

  static void on_undelivered(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
    auto* self = static_cast<Impl*>(opaque);
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR || message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
        message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) {
      return;
    }
    self->fail(external_error(4006, "{}: a record of topic={} partition={} was not delivered: {}",
                              self->properties.owner(), rd_kafka_topic_name(message->rkt), message->partition,
                              rd_kafka_err2str(message->err)));
  }

  static void on_error(rd_kafka_t* client, int error, const char* reason, void* opaque) {
    auto* self = static_cast<Impl*>(opaque);
    if (error != RD_KAFKA_RESP_ERR__FATAL) {
      log(LogLevel::kInfo, "kafka", "{}: {}", native_error_text(error), reason);
      return;
    }
    char text[512];
    const rd_kafka_resp_err_t cause = rd_kafka_fatal_error(client, text, sizeof text);
    self->fail(external_error(4006, "{}: the Kafka producer cannot go on: {}: {}", self->properties.owner(),
                              rd_kafka_err2str(cause), text));
  }

  int64_t waiting_bytes() const { return rd_kafka_outq_len(client.get()) * mean_bytes.load(std::memory_order_relaxed); }

  bool has_room() const {
    if (ready && waiting_bytes() < buffer_bytes_max) return true;
    // Set before looking again, so that a wake-up between the two is not missed.
    wants_room = true;
    wake.raise();
    return ready && waiting_bytes() < buffer_bytes_max;
  }

  /// Asks for the partitions of all topics. False: try again.
  bool look_up_topics(const std::stop_token& stop) {
    for (const auto& topic : topics) {
      if (stop.stop_requested()) return false;
      const rd_kafka_metadata_t* metadata = nullptr;
      rd_kafka_resp_err_t error = rd_kafka_metadata(client.get(), 0, topic->handle, &metadata, metadata_step_ms);
      if (error == RD_KAFKA_RESP_ERR__TIMED_OUT) metadata_step_ms = std::min(2 * metadata_step_ms, kMetadataStepMsMax);
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return false;
      const rd_kafka_metadata_topic_t& found = metadata->topics[0];
      error = found.err;
      const int32_t count = found.partition_cnt;
      rd_kafka_metadata_destroy(metadata);
      // A topic that the broker is just creating has no partitions for a moment.
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR || count == 0) return false;
      topic->num_partitions = count;
    }
    return true;
  }

  void prepare(const std::stop_token& stop) {
    const int64_t timeout_ms = properties.integer("max.block.ms", 60'000);
    const int64_t deadline = system_clock().steady_ns() + timeout_ms * 1'000'000;
    while (!look_up_topics(stop)) {
      if (stop.stop_requested()) return;
      if (system_clock().steady_ns() > deadline) {
        std::string names;
        for (const auto& topic : topics) names += (names.empty() ? "'" : ", '") + topic->name + "'";
        fail(external_error(4001,
                            "{}: no metadata of topic {} from {} within {} ms ('properties.max.block.ms'); is the "
                            "broker there, and does the topic exist?",
                            properties.owner(), names, properties.bootstrap_servers(), timeout_ms));
        return;
      }
      rd_kafka_poll(client.get(), 50);
    }
    ready = true;
  }

  void run(std::stop_token stop) {
    prepare(stop);
    const int64_t refresh_ns = properties.integer("metadata.max.age.ms", 300'000) * 1'000'000;
    int64_t refreshed_ns = system_clock().steady_ns();
    while (!stop.stop_requested()) {
      rd_kafka_poll(client.get(), 0);
      if (wants_room && ready && waiting_bytes() < buffer_bytes_max && wants_room.exchange(false)) events.wake_up();
      if (serve_flush()) continue;
      const int64_t now = system_clock().steady_ns();
      if (now - refreshed_ns > refresh_ns) {
        look_up_topics(stop);
        refreshed_ns = now;
      }
      // Failures of deliveries come as events that need a poll now and then.
      wake.wait(stop, wants_room ? kWaitingMs : 200);
    }
  }

  /// One step of a flush; true while one is on.
  bool serve_flush() {
    {
      const std::scoped_lock lock(mutex);
      if (!flushed) return false;
    }
    const rd_kafka_resp_err_t error = rd_kafka_flush(client.get(), kWaitingMs);
    if (failed) {
      const std::scoped_lock lock(mutex);
      flushed = nullptr;
      return false;
    }
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return true;
    std::function<void()> done;
    {
      const std::scoped_lock lock(mutex);
      done = std::exchange(flushed, nullptr);
    }
    done();
    return true;
  }

  bool produce(const Topic& topic, int32_t partition, const ProducedRecord& record) {
    void* value = const_cast<char*>(record.value.data());
    rd_kafka_headers_t* headers = nullptr;
    if (!record.headers.empty()) {
      headers = rd_kafka_headers_new(record.headers.size());
      for (const auto& [name, bytes] : record.headers) {
        rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), bytes.data(),
                            static_cast<ssize_t>(bytes.size()));
      }
    }
    rd_kafka_vu_t arguments[7];
    size_t count = 0;
    const auto next = [&](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
      arguments[count].vtype = type;
      return arguments[count++];
    };
    next(RD_KAFKA_VTYPE_RKT).u.rkt = topic.handle;
    next(RD_KAFKA_VTYPE_PARTITION).u.i32 = partition;
    next(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
    next(RD_KAFKA_VTYPE_VALUE).u.mem = {value, record.value.size()};
    next(RD_KAFKA_VTYPE_KEY).u.mem = {const_cast<char*>(record.key.data()), record.key.size()};
    if (record.timestamp_ms >= 0) next(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = record.timestamp_ms;
    if (headers != nullptr) next(RD_KAFKA_VTYPE_HEADERS).u.headers = headers;
    rd_kafka_error_t* error = rd_kafka_produceva(client.get(), arguments, count);
    if (error == nullptr) return true;
    last_error = rd_kafka_error_code(error);
    rd_kafka_error_destroy(error);
    if (headers != nullptr) rd_kafka_headers_destroy(headers);
    return false;
  }

  rd_kafka_resp_err_t last_error = RD_KAFKA_RESP_ERR_NO_ERROR;
  /// The run being sent, as the client takes it.
  std::vector<rd_kafka_message_t> run_messages;

  /// Records without headers and times of their own go to the client in one call, which looks at its clocks and for the
  /// partition once. Returns the first record it refused, records.size() when none; the reason is in last_error.
  size_t produce_run(const Topic& topic, int32_t partition, std::span<const ProducedRecord> records) {
    run_messages.assign(records.size(), {});
    for (size_t i = 0; i < records.size(); ++i) {
      rd_kafka_message_t& message = run_messages[i];
      message.payload = const_cast<char*>(records[i].value.data());
      message.len = records[i].value.size();
      message.key = const_cast<char*>(records[i].key.data());
      message.key_len = records[i].key.size();
    }
    const int sent = rd_kafka_produce_batch(topic.handle, partition, RD_KAFKA_MSG_F_COPY, run_messages.data(),
                                            static_cast<int>(records.size()));
    if (static_cast<size_t>(sent) == records.size()) return records.size();
    size_t refused = 0;
    while (refused + 1 < records.size() && run_messages[refused].err == RD_KAFKA_RESP_ERR_NO_ERROR) ++refused;
    last_error = run_messages[refused].err;
    return refused;
  }

  size_t produce_each(const Topic& topic, int32_t partition, std::span<const ProducedRecord> records) {
    for (size_t i = 0; i < records.size(); ++i) {
      if (!produce(topic, partition, records[i])) return i;
    }
    return records.size();
  }
};

Producer::Producer(ClientProperties properties, std::vector<std::string> topics, ProducerEvents events)
    : impl_(std::make_unique<Impl>(std::move(properties), std::move(topics), std::move(events))) {}
Producer::~Producer() = default;

int32_t Producer::num_partitions(size_t topic) const {
  return impl_->topics[topic]->num_partitions;
}

bool Producer::has_room() const {
  return impl_->has_room();
}

void Producer::send(size_t topic, int32_t partition, std::span<const ProducedRecord> records) {
  const Topic& target = *impl_->topics[topic];
  if (records.empty()) return;
  int64_t bytes = 0;
  bool plain = true;
  for (const ProducedRecord& record : records) {
    bytes += static_cast<int64_t>(record.key.size() + record.value.size()) + kRecordOverheadBytes;
    if (record.timestamp_ms == 0) {
      throw user_error(
          3202,
          "{}: a record of topic={} has the timestamp 0 (1970-01-01 00:00:00.000 UTC), which the Kafka "
          "client cannot write, since it takes 0 for the time of sending; give it a later timestamp or none",
          impl_->properties.owner(), target.name);
    }
    plain = plain && record.timestamp_ms < 0 && record.headers.empty();
  }
  const size_t sent =
      plain ? impl_->produce_run(target, partition, records) : impl_->produce_each(target, partition, records);
  if (sent != records.size()) {
    const ProducedRecord& refused = records[sent];
    throw external_error(4006, "{}: a record of {} bytes cannot be sent to topic={} partition={}: {}",
                         impl_->properties.owner(), refused.key.size() + refused.value.size(), target.name, partition,
                         rd_kafka_err2str(impl_->last_error));
  }
  impl_->mean_bytes = bytes / static_cast<int64_t>(records.size());
}

void Producer::flush(std::function<void()> done) {
  {
    const std::scoped_lock lock(impl_->mutex);
    impl_->flushed = std::move(done);
  }
  impl_->wake.raise();
}

}  // namespace yeoul
