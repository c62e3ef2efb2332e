#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/kafka_error.h"

namespace yeoul {

/// Who writes, as brokers number it.
struct ModelIdentity {
  int64_t id = -1;
  int16_t epoch = -1;
  bool operator==(const ModelIdentity&) const = default;
};

/// The transactions of all transactional ids (KIP-98, KIP-360, KIP-890), as Apache Kafka's coordinator has them. Ends
/// are written to the partitions after a while; until then the next transaction is refused.
class ModelCoordinator {
 public:
  using WriteMarker = std::function<void(const TopicPartition&, const ModelIdentity&, bool commit)>;
  struct Answer {
    KafkaError error = KafkaError::kNone;
    ModelIdentity identity = {};
  };

  explicit ModelCoordinator(WriteMarker write_marker) : write_marker_(std::move(write_marker)) {}

  /// A producer id without transactions.
  ModelIdentity next_identity() { return {next_id_++, 0}; }
  /// @param given  what the producer has already; invalid: nothing, it is a new one
  Answer init(const std::string& transactional_id, const ModelIdentity& given);
  KafkaError add(const std::string& transactional_id, const ModelIdentity& who, const TopicPartition& partition);
  /// Whether a batch may be written; with `implicit` that registers the partition.
  KafkaError admit(const std::string& transactional_id, const ModelIdentity& who, const TopicPartition& partition,
                   bool implicit);
  /// @param bumps  the epoch, as version 5 of EndTxn does
  Answer end(const std::string& transactional_id, const ModelIdentity& who, bool commit, bool bumps);

  bool has_unwritten_ends() const;
  /// Writes the markers of one transaction that has ended.
  void write_ends();

 private:
  enum class State { kEmpty, kOngoing, kEnding, kComplete };
  struct Transaction {
    ModelIdentity identity;
    ModelIdentity marker;  ///< under which the end is written
    State state = State::kEmpty;
    bool commit = false;  ///< of kEnding and kComplete
    bool bumped = false;  ///< the last end has moved the epoch
    bool fenced = false;  ///< the end is that of a producer that is no more
    std::set<TopicPartition> partitions;
  };

  void begin_end(Transaction& transaction, bool commit, bool bumps);

  WriteMarker write_marker_;
  int64_t next_id_ = 1000;
  std::map<std::string, Transaction> transactions_;
};

}  // namespace yeoul
