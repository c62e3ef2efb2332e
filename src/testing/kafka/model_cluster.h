#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/kafka/protocol/api.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/group_messages.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/transaction_messages.h"
#include "yeoul/testing/kafka/model_coordinator.h"
#include "yeoul/testing/kafka/model_partition.h"
#include "yeoul/testing/seeded_random.h"

namespace yeoul {

/// How often in a thousand brokers refuse what they could do.
struct ModelMoods {
  int64_t refused_write = 0;        ///< not written
  int64_t write_not_confirmed = 0;  ///< written, and an error that says otherwise
  int64_t lost_session = 0;
  int64_t lost_coordinator = 0;
  int64_t throttled = 0;  ///< a quota is used up: the connection is not served for throttle_ms_max at most
  int64_t throttle_ms_max = 1'000;
};

/// Which versions are served.
enum class ModelGeneration {
  kOldest,  ///< as Apache Kafka 2.1: the first versions that Yeoul speaks
  kMiddle,  ///< no topic ids, no transaction.version 2
  kNewest,
};

/// A cluster of Kafka brokers as far as the client can tell: what each node answers to the bytes of a request. Logs,
/// transactions and groups are the cluster's and survive; fetch sessions are a node's. Threads: one.
class ModelCluster {
 public:
  struct Reply {
    std::string frame;     ///< empty: no answer is due
    int64_t delay_ms = 0;  ///< a fetch that found nothing: ask again then, and take what there is
    bool again = false;
    int64_t throttle_ms = 0;  ///< nothing more is taken from the connection for so long (KIP-219)
  };

  ModelCluster(SeededRandom& random, int num_nodes, ModelGeneration generation, ModelSabotage sabotage);

  ModelMoods moods;

  /// Nodes hear of it late. Made anew, the topic has another id.
  void create_topic(const std::string& name, int num_partitions, int64_t now_ms);
  void delete_topic(const std::string& name, int64_t now_ms);
  bool has_topic(const std::string& name) const { return topics_.contains(name); }
  /// Zero: there is none.
  Uuid id_of(const std::string& name) const;
  int num_nodes() const { return static_cast<int>(alive_.size()); }
  bool is_alive(int32_t node) const { return alive_[static_cast<size_t>(node)]; }
  /// A node dies or comes back.
  void set_alive(int32_t node, bool alive);
  /// The cluster notices that a node is dead, if it still is: until then it is named as a leader and coordinator.
  /// Partitions that it led have no leader until elect_missing().
  void fence(int32_t node, int64_t now_ms);
  /// Partitions without a leader get one.
  void elect_missing(int64_t now_ms);
  /// A partition moves to another node, which may be the same.
  void move_a_leader(int64_t now_ms);
  /// The same, to one that lacks the last batches.
  void elect_unclean(int64_t now_ms);
  /// Followers come to have what leaders have, each that many times in a thousand. From the first time on consumers
  /// that have a rack read from them (KIP-392).
  void replicate(int64_t per_mille);
  /// A rack has one node.
  static std::string rack_of(int32_t node) { return "rack" + std::to_string(node); }
  int64_t num_fetches_from_followers() const { return num_fetches_from_followers_; }
  void forget_sessions(int32_t node) { sessions_[static_cast<size_t>(node)].clear(); }
  ModelCoordinator& coordinator() { return coordinator_; }
  const ModelCoordinator& coordinator() const { return coordinator_; }

  /// @param final  of a fetch: answers even if there is nothing
  Reply handle(int32_t node, std::string_view frame, int64_t now_ms, bool final);

  const std::map<TopicPartition, ModelPartition>& partitions() const { return partitions_; }
  /// Null: there is none.
  const ModelPartition* find(const TopicPartition& partition) const;
  /// A partition of all the topics that had its name, in order; of the present one, too.
  std::vector<const ModelPartition*> ever(const TopicPartition& partition) const;
  const std::map<std::string, PartitionOffsets>& committed_offsets() const { return offsets_; }
  static std::string host_of(int32_t node) { return "node" + std::to_string(node); }
  static constexpr int32_t kPort = 9092;

 private:
  struct Topic {
    Uuid id;
    int num_partitions = 0;
  };
  /// What became of a name: a topic with an id, or none.
  struct TopicNews {
    int64_t at_ms;
    std::optional<Uuid> id;
  };
  struct DeadTopic {
    std::string name;
    Uuid id;
    std::vector<ModelPartition> partitions;
  };
  struct SessionPartition {
    FetchRequest::FetchPartition asked;
    int64_t told_high_watermark = -1;
  };
  /// As requests name a partition: by its topic's name, or since version 13 by its id.
  struct SessionKey {
    std::string name;
    Uuid id;
    int32_t partition;
    auto operator<=>(const SessionKey&) const = default;
  };
  struct Session {
    int32_t epoch = 0;
    std::map<SessionKey, SessionPartition> partitions;
  };

  VersionRange served(const Api& api) const;
  bool is_served(const Api& api) const;
  int32_t coordinator_of(const std::string& key) const;
  const std::string* name_of(const Uuid& id) const;
  /// What a node believes that hears of changes late.
  std::optional<Uuid> id_seen(const std::string& name, int64_t at_ms) const;
  std::vector<const ModelPartition*> partitions_of(const std::string& name, const Uuid& id) const;
  ModelPartition* find(const std::string& topic, int32_t partition);
  bool leads(int32_t node, const std::string& topic, int32_t partition);

  ApiVersionsResponse answer(int32_t node, const ApiVersionsRequest& request, int16_t version, int64_t now_ms);
  MetadataResponse answer(int32_t node, const MetadataRequest& request, int16_t version, int64_t now_ms);
  FindCoordinatorResponse answer(int32_t node, const FindCoordinatorRequest& request, int16_t version, int64_t now_ms);
  ProduceResponse answer(int32_t node, const ProduceRequest& request, int16_t version, int64_t now_ms);
  FetchResponse answer(int32_t node, const FetchRequest& request, int16_t version, int64_t now_ms);
  ListOffsetsResponse answer(int32_t node, const ListOffsetsRequest& request, int16_t version, int64_t now_ms);
  OffsetForLeaderEpochResponse answer(int32_t node, const OffsetForLeaderEpochRequest& request, int16_t version,
                                      int64_t now_ms);
  OffsetCommitResponse answer(int32_t node, const OffsetCommitRequest& request, int16_t version, int64_t now_ms);
  OffsetFetchResponse answer(int32_t node, const OffsetFetchRequest& request, int16_t version, int64_t now_ms);
  InitProducerIdResponse answer(int32_t node, const InitProducerIdRequest& request, int16_t version, int64_t now_ms);
  AddPartitionsToTxnResponse answer(int32_t node, const AddPartitionsToTxnRequest& request, int16_t version,
                                    int64_t now_ms);
  EndTxnResponse answer(int32_t node, const EndTxnRequest& request, int16_t version, int64_t now_ms);
  template <class Request>
  Reply handle_as(int32_t node, int16_t version, int32_t correlation_id, std::string_view body, int64_t now_ms,
                  bool final);

  KafkaError write(int32_t node, const ProduceRequest& request, int16_t version, const std::string& topic,
                   const ProduceRequest::PartitionProduceData& data, int64_t& base_offset);
  Session* session_of(int32_t node, const FetchRequest& request, int16_t version, FetchResponse& response);
  int32_t nearest_follower(const FetchRequest& request, const TopicPartition& partition, int64_t offset) const;
  /// Up to where a node has a partition; -1: it is no replica that may be read.
  int64_t end_at(int32_t node, const TopicPartition& partition) const;
  FetchResponse::PartitionData fetch(int32_t node, const FetchRequest& request, const std::string& topic,
                                     const FetchRequest::FetchPartition& asked);
  KafkaError coordinator_error(int32_t node, const std::string& key);

  SeededRandom& random_;
  ModelGeneration generation_;
  ModelSabotage sabotage_;
  std::vector<bool> alive_;
  std::vector<bool> listed_;  ///< as alive, in metadata
  std::map<std::string, Topic> topics_;
  std::map<std::string, std::vector<TopicNews>> topic_news_;
  std::vector<DeadTopic> dead_topics_;
  std::map<TopicPartition, ModelPartition> partitions_;
  std::map<TopicPartition, std::vector<int64_t>>
      replica_ends_;  ///< by node; none: consumers do not read from followers
  std::map<std::string, PartitionOffsets> offsets_;
  std::vector<std::map<int32_t, Session>> sessions_;
  int32_t next_session_ = 1;
  int64_t num_fetches_from_followers_ = 0;
  ModelCoordinator coordinator_;
  std::deque<std::string> records_;  ///< of the answer that is being made
  int32_t throttle_ms_ = 0;          ///< of the same
};

}  // namespace yeoul
