#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "yeoul/kafka/native/backoff.h"
#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/metadata_messages.h"

namespace yeoul {

struct ClusterSettings {
  int64_t max_age_ns = 300'000'000'000;    // metadata.max.age.ms
  int64_t backoff_ns = 100'000'000;        // retry.backoff.ms
  int64_t backoff_max_ns = 1'000'000'000;  // retry.backoff.max.ms
  bool creates_topics = false;             // allow.auto.create.topics; Java's default is true
};

struct BrokerAddress {
  std::string host;
  int32_t port = 0;
  auto operator<=>(const BrokerAddress&) const = default;
};

struct PartitionView {
  int32_t leader = -1;        ///< -1: none at the moment
  int32_t leader_epoch = -1;  ///< -1: not known
};

struct TopicView {
  Uuid id;
  KafkaError error = KafkaError::kNone;
  std::vector<PartitionView> partitions;
  std::vector<Uuid> past_ids;  ///< of topics that bore the name before

  /// Brokers do not say where it is, and will not if asked again, for want of rights or a valid name. One that fails
  /// for a reason of its own is asked again, as by Java's clients.
  bool is_refused() const {
    return error != KafkaError::kNone && error != KafkaError::kUnknownServerError && !is_retriable(error);
  }
};

/// What a coordinator is asked for; the numbers are the protocol's.
enum class CoordinatorType : int8_t { kGroup = 0, kTransaction = 1 };

/// A group or a transactional.id, which have a broker that coordinates them.
struct CoordinatorKey {
  CoordinatorType type = CoordinatorType::kGroup;
  std::string id;
  auto operator<=>(const CoordinatorKey&) const = default;
};

/// What is known of the cluster: brokers, and the topics asked for with their leaders. Asks again when it is old, or
/// when somebody found it wrong. A state machine without I/O. Threads: one at a time.
class ClusterView {
 public:
  ClusterView(const ClusterSettings& settings, uint32_t seed);

  /// Which topics to know; a new one makes the view out of date.
  void set_topics(std::set<std::string> topics);
  /// Something in the view is wrong: asks again, after a while if it did so just now.
  void request_refresh() { refresh_ = true; }

  /// When a request is due; kNever while one is on its way.
  int64_t due_at_ns() const;
  /// The request, which is then on its way.
  MetadataRequest take_request();
  void on_answer(const MetadataResponse& response, int64_t now_ns);
  void on_failure(int64_t now_ns);

  /// Changes whenever something in the view may have.
  uint64_t generation() const { return generation_; }
  const std::map<int32_t, BrokerAddress>& brokers() const { return brokers_; }
  /// -1: not known.
  int32_t controller() const { return controller_; }
  /// -1: not known, or not where brokers are known to be any more.
  int32_t coordinator(const CoordinatorKey& key) const;
  void set_coordinator(const CoordinatorKey& key, int32_t broker, BrokerAddress address);
  void forget_coordinator(const CoordinatorKey& key) { coordinators_.erase(key); }
  const TopicView* find(const std::string& topic) const;
  /// Null while the partition is not known.
  const PartitionView* find(const TopicPartition& partition) const;
  /// A broker's own word about a partition's leader, which may be newer than the view.
  void set_leader(const TopicPartition& partition, int32_t leader, int32_t leader_epoch);

 private:
  bool merge(const std::string& name, const MetadataResponse::MetadataResponseTopic& answer);

  ClusterSettings settings_;
  Backoff backoff_;
  std::set<std::string> topics_;
  std::map<int32_t, BrokerAddress> brokers_;
  int32_t controller_ = -1;
  std::map<CoordinatorKey, int32_t> coordinators_;
  std::map<std::string, TopicView> views_;
  uint64_t generation_ = 0;
  bool refresh_ = true;
  bool on_its_way_ = false;
  int64_t not_before_ns_ = 0;
  int64_t old_at_ns_ = 0;
};

}  // namespace yeoul
