#include "yeoul/kafka/client/admin.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <functional>

#include "yeoul/common/clock.h"
#include "yeoul/common/error.h"
#include "yeoul/kafka/client/native_client.h"

namespace yeoul {
namespace {

/// "Timestamps" that stand for the ends of a partition in a ListOffsets request.
constexpr int64_t kLatestTimestamp = -1;
constexpr int64_t kEarliestTimestamp = -2;
/// Between attempts, while the client serves its own events.
constexpr int kRetryMs = 100;
/// How long a request is waited for at first. A blocked client cannot be interrupted, so a call is cut into steps; they
/// grow for brokers that are slow to answer.
constexpr int64_t kFirstStepMs = 500;

struct MetadataDeleter {
  void operator()(const rd_kafka_metadata_t* metadata) const { rd_kafka_metadata_destroy(metadata); }
};
using Metadata = std::unique_ptr<const rd_kafka_metadata_t, MetadataDeleter>;

struct TopicDeleter {
  void operator()(rd_kafka_topic_t* topic) const { rd_kafka_topic_destroy(topic); }
};
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, TopicDeleter>;

/// Errors that may go away by themselves within the time a call has.
bool is_passing(rd_kafka_resp_err_t error) {
  switch (error) {
    case RD_KAFKA_RESP_ERR__TRANSPORT:
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
    case RD_KAFKA_RESP_ERR__TIMED_OUT:
    case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
    case RD_KAFKA_RESP_ERR__WAIT_COORD:
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
    case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
    case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
    case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
    case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
    case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
    case RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE:
      return true;
    default:
      return false;
  }
}

}  // namespace

struct Admin::Impl {
  ClientProperties properties;
  std::stop_token stop;
  NativeClient client;
  std::string last_error;  ///< what the client said last about its connections

  static void on_error(rd_kafka_t*, int, const char* reason, void* self) {
    static_cast<Impl*>(self)->last_error = reason;
  }

  Impl(ClientProperties p, std::stop_token s) : properties(std::move(p)), stop(std::move(s)) {
    NativeConf conf = make_conf(properties);
    rd_kafka_conf_set_opaque(conf.get(), this);
    rd_kafka_conf_set_error_cb(conf.get(), on_error);
    client = make_client(properties, std::move(conf));
  }

  /// Runs `attempt(ms to wait)` until it succeeds, time is up or the stop is requested.
  void retry(const std::string& what, const std::function<rd_kafka_resp_err_t(int)>& attempt) {
    const int64_t timeout_ms = properties.integer("default.api.timeout.ms", 60'000);
    const int64_t deadline = system_clock().steady_ns() + timeout_ms * 1'000'000;
    int64_t step_ms = kFirstStepMs;
    for (;;) {
      if (stop.stop_requested()) {
        throw external_error(4009, "Kafka at {}: {} was given up: the job is stopping", properties.bootstrap_servers(),
                             what);
      }
      const int64_t left_ms = (deadline - system_clock().steady_ns()) / 1'000'000;
      const rd_kafka_resp_err_t error = attempt(static_cast<int>(std::clamp<int64_t>(left_ms, 1, step_ms)));
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return;
      if (is_passing(error) && left_ms > kRetryMs) {
        if (error == RD_KAFKA_RESP_ERR__TIMED_OUT) step_ms = std::min(2 * step_ms, kStepMsMax);
        rd_kafka_poll(client.get(), kRetryMs);
        continue;
      }
      rd_kafka_poll(client.get(), 0);
      throw external_error(4001, "Kafka at {}: {} failed: {}{}", properties.bootstrap_servers(), what,
                           rd_kafka_err2str(error), last_error.empty() ? "" : fmt::format(" ({})", last_error));
    }
  }

  /// The error of a topic's metadata that a retry may mend, or none.
  static rd_kafka_resp_err_t partition_error(const rd_kafka_metadata_topic_t& topic) {
    for (int i = 0; i < topic.partition_cnt; ++i) {
      if (is_passing(topic.partitions[i].err)) return topic.partitions[i].err;
    }
    return topic.err;
  }

  /// Offsets by timestamp, the two special ones included.
  PartitionOffsets list_offsets(std::span<const TopicPartition> partitions, int64_t timestamp) {
    PartitionOffsets wanted;
    for (const TopicPartition& tp : partitions) wanted[tp] = timestamp;
    PartitionOffsets found;
    if (wanted.empty()) return found;
    retry("looking up offsets", [&](int timeout_ms) {
      const NativeList list = make_list(wanted);
      rd_kafka_resp_err_t error = rd_kafka_offsets_for_times(client.get(), list.get(), timeout_ms);
      for (int i = 0; i < list->cnt && error == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
        const rd_kafka_topic_partition_t& one = list->elems[i];
        error = one.err;
        found[{one.topic, one.partition}] = one.offset;
      }
      return error;
    });
    return found;
  }
};

Admin::Admin(ClientProperties properties, std::stop_token stop)
    : impl_(std::make_unique<Impl>(std::move(properties), std::move(stop))) {}
Admin::~Admin() = default;

std::vector<std::string> Admin::list_topics() {
  std::vector<std::string> topics;
  impl_->retry("listing topics", [&](int timeout_ms) {
    const rd_kafka_metadata_t* raw = nullptr;
    const rd_kafka_resp_err_t error = rd_kafka_metadata(impl_->client.get(), 1, nullptr, &raw, timeout_ms);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
    const Metadata metadata(raw);
    for (int i = 0; i < metadata->topic_cnt; ++i) {
      const std::string_view name = metadata->topics[i].topic;
      if (!name.starts_with("__")) topics.emplace_back(name);
    }
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  });
  std::sort(topics.begin(), topics.end());
  return topics;
}

std::vector<TopicPartition> Admin::partitions_of(std::span<const std::string> topics) {
  std::vector<TopicPartition> partitions;
  std::string missing;
  for (const std::string& name : topics) {
    impl_->retry(fmt::format("describing topic '{}'", name), [&](int timeout_ms) {
      const TopicHandle handle(rd_kafka_topic_new(impl_->client.get(), name.c_str(), nullptr));
      if (!handle) return rd_kafka_last_error();
      const rd_kafka_metadata_t* raw = nullptr;
      rd_kafka_resp_err_t error = rd_kafka_metadata(impl_->client.get(), 0, handle.get(), &raw, timeout_ms);
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
      const Metadata metadata(raw);
      if (metadata->topic_cnt != 1) return RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
      const rd_kafka_metadata_topic_t& topic = metadata->topics[0];
      error = Impl::partition_error(topic);
      if (error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
        missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", name);
        return RD_KAFKA_RESP_ERR_NO_ERROR;
      }
      if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return error;
      for (int i = 0; i < topic.partition_cnt; ++i) partitions.push_back({name, topic.partitions[i].id});
      return RD_KAFKA_RESP_ERR_NO_ERROR;
    });
  }
  if (!missing.empty()) {
    throw user_error(4002, "Kafka at {} has no topic {}; create it, or mend the option 'topic'",
                     impl_->properties.bootstrap_servers(), missing);
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

PartitionOffsets Admin::earliest_offsets(std::span<const TopicPartition> partitions) {
  return impl_->list_offsets(partitions, kEarliestTimestamp);
}

PartitionOffsets Admin::end_offsets(std::span<const TopicPartition> partitions) {
  return impl_->list_offsets(partitions, kLatestTimestamp);
}

PartitionOffsets Admin::offsets_for_time(std::span<const TopicPartition> partitions, int64_t timestamp_ms) {
  const PartitionOffsets ends = end_offsets(partitions);
  PartitionOffsets found = impl_->list_offsets(partitions, std::max<int64_t>(timestamp_ms, 0));
  for (auto& [tp, offset] : found) {
    if (offset < 0) offset = ends.at(tp);
  }
  return found;
}

PartitionOffsets Admin::committed_offsets(std::span<const TopicPartition> partitions) {
  PartitionOffsets wanted;
  for (const TopicPartition& tp : partitions) wanted[tp] = RD_KAFKA_OFFSET_INVALID;
  PartitionOffsets found;
  if (wanted.empty()) return found;
  impl_->retry("reading committed offsets", [&](int timeout_ms) {
    const NativeList list = make_list(wanted);
    rd_kafka_resp_err_t error = rd_kafka_committed(impl_->client.get(), list.get(), timeout_ms);
    for (int i = 0; i < list->cnt && error == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
      const rd_kafka_topic_partition_t& one = list->elems[i];
      error = one.err;
      if (one.offset >= 0) found[{one.topic, one.partition}] = one.offset;
    }
    return error;
  });
  return found;
}

}  // namespace yeoul
