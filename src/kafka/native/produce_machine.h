#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/native/batch_accumulator.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/kafka/native/produce_settings.h"
#include "yeoul/kafka/native/produce_stats.h"
#include "yeoul/kafka/native/produced_batch.h"
#include "yeoul/kafka/protocol/compression.h"
#include "yeoul/kafka/protocol/produce_messages.h"

namespace yeoul {

/// What became of records that lie next to each other in a partition.
struct Delivery {
  const TopicPartition* partition = nullptr;
  uint64_t first_index = 0;  ///< counted over all records that were sent to the partition
  int32_t num_records = 0;
  int64_t base_offset = -1;  ///< -1: not known
  KafkaError code = KafkaError::kNone;
  std::string error;  ///< not empty: not delivered, or not known to be
};

/// That records have been waiting for long, which nobody would know until they are given up; or that none do any more.
struct Stall {
  bool ended = false;
  TopicPartition partition;  ///< the one that has waited longest
  int32_t leader = -1;       ///< -1: none is known
  int64_t waited_ns = 0;
  std::string reason;  ///< of the last failure; empty: there was none
};

/// Brings batches to the leaders of their partitions: which request each broker gets next, and what became of it. With
/// `idempotent` each record is in its partition once and in order, whatever is lost or repeated on the way; the rules
/// for sequence numbers are the Java producer's (KIP-98, KIP-360). In a transaction, partitions are registered before
/// they are written, or by writing (KIP-890). A state machine without I/O. Threads: one at a time.
class ProduceMachine {
 public:
  /// @throws user error 2010 for settings that exclude one another
  ProduceMachine(const ProduceSettings& settings, BatchAccumulator& accumulator, uint32_t seed);

  /// Takes over what was closed, follows leaders, gives up what is late. Before the requests of each turn.
  /// @param wants_room  somebody waits for room: nothing lingers until there is some
  void update(ClusterView& cluster, int64_t now_ns, bool wants_room = false);

  /// A producer id is needed, and must be asked for; with transactions, set_producer() brings it.
  bool wants_producer_id(int64_t now_ns) const;
  InitProducerIdRequest producer_id_request();
  void on_producer_id(const InitProducerIdResponse& response, int64_t now_ns);
  void on_producer_id_failure(int64_t now_ns);
  /// From now on this is who writes. Sequence numbers begin anew where nothing is on its way.
  void set_producer(ProducerIdentity identity);
  const ProducerIdentity& producer() const { return identity_; }

  /// What is sent from now on belongs to a transaction. @param implicit  writing registers a partition (KIP-890)
  void begin_transaction(bool implicit);
  /// Partitions that wait for being registered; given once.
  std::vector<TopicPartition> take_unregistered();
  void set_registered(const std::vector<TopicPartition>& partitions);
  /// A partition was registered in this transaction, or may have been by writing.
  bool has_written() const { return has_written_; }
  /// Nothing more is sent until begin_transaction().
  void end_transaction() { open_ = false; }
  /// The same, and what was not sent is dropped.
  void drop_transaction();

  /// The brokers that something waits for.
  std::vector<int32_t> brokers() const;
  /// The next request to a broker; none: nothing can be sent yet. `id` stands for it from now on.
  std::optional<ProduceRequest> next_request(int32_t broker, int64_t now_ns, uint64_t& id);
  /// Nothing more can be sent before something is answered, whatever comes.
  bool is_saturated() const;
  /// With how many answers of a broker it is worth to go on: where requests wait for them, with half of those on their
  /// way, which leaves it enough to do meanwhile.
  size_t answers_wanted(int32_t broker) const;
  /// The newest version that a request of next_request() can be sent in.
  int16_t newest_version(const ProduceRequest& request) const;
  void on_answer(uint64_t id, const ProduceResponse& response, ClusterView& cluster, int64_t now_ns);
  /// With acks = 0: the request is gone, and no answer will come.
  void on_sent(uint64_t id, int64_t now_ns);
  void on_failure(uint64_t id, const std::string& reason, ClusterView& cluster, int64_t now_ns);
  bool has_in_flight() const { return !requests_.empty(); }

  /// When waiting alone changes something; kNever: it does not.
  int64_t due_at_ns(int64_t now_ns) const;
  std::vector<Delivery> take_deliveries() { return std::exchange(deliveries_, {}); }
  /// What the machine knows of it.
  ProduceStats take_stats();
  /// Why there is no connection to a broker; empty: there is. Messages say so.
  void set_unreachable(int32_t broker, std::string why) { brokers_[broker].unreachable = std::move(why); }
  /// Once when records begin to wait for long, and once when none do any more.
  std::optional<Stall> take_stall() { return std::exchange(stall_, std::nullopt); }

 private:
  enum class Registration { kNone, kAsked, kDone };
  struct Partition {
    Partition(const TopicPartition& who, const ProduceSettings& settings, uint32_t seed)
        : name(who), backoff(settings.backoff_ns, settings.backoff_max_ns, seed) {}

    const TopicPartition& name;
    std::deque<std::unique_ptr<ProducedBatch>> batches;  ///< without an end yet, in order
    int64_t open_since_ns = kNever;                      ///< of the batch that is being filled
    PartitionView leader;
    Uuid topic_id;
    int64_t num_partitions = -1;  ///< of its topic, where it is none of them any more
    size_t num_in_flight = 0;
    bool listed = false;  ///< in its leader's list
    Backoff backoff;
    int64_t not_before_ns = 0;  ///< unless there is another leader than the one that failed
    PartitionView failed_leader;
    std::string last_failure;
    int64_t completed_at_ns = 0;  ///< when a batch was last acknowledged
    Registration registration = Registration::kNone;

    ProducerIdentity identity;  ///< that the sequence numbers belong to
    int32_t next_sequence = 0;
    uint64_t next_ordinal = 0;
    int32_t next_to_acknowledge = 0;
    int64_t last_acked_offset = -1;
    std::optional<int32_t> unresolved;  ///< behind a batch that was given up and may have been written
    bool restart = false;               ///< sequence numbers are to begin anew once nothing is on its way
  };
  struct Broker {
    std::vector<size_t> slots;
    size_t next = 0;  ///< whose turn it is
    size_t num_in_flight = 0;
    std::string unreachable;  ///< why there is no connection; empty: there is, or has been none to need
  };
  struct Sent {
    int32_t broker;
    int64_t sent_ns;
    std::vector<ProducedBatch*> batches;
  };

  Partition& partition_of(const ProducedBatch& batch) { return *partitions_[batch.slot]; }
  bool is_saturated(const Broker& broker) const { return broker.num_in_flight >= settings_.in_flight_max; }
  void collect(const ClusterView& cluster);
  void note_leaders(const ClusterView& cluster);
  void follow(Partition& partition, size_t slot, const ClusterView& cluster);
  void list(Partition& partition, size_t slot);
  void expire(int64_t now_ns);
  std::string obstacle_of(const Partition& partition) const;
  void note_stall(const Partition* slowest, int64_t since_ns, int64_t now_ns);
  void settle_sequences();
  void restart_sequences(Partition& partition);

  ProducedBatch* next_batch(Partition& partition, size_t slot, int64_t now_ns);
  bool may_begin(const Partition& partition) const;
  void pack(ProducedBatch& batch);
  void seal(Partition& partition, ProducedBatch& batch);
  void add(ProduceRequest& request, const Partition& partition, const ProducedBatch& batch) const;

  void on_batch(Partition& partition, ProducedBatch& batch, const ProduceResponse::PartitionProduceResponse& result,
                ClusterView& cluster, int64_t now_ns);
  void on_batch_failure(Partition& partition, ProducedBatch& batch, const std::string& reason, int64_t now_ns);
  bool may_retry(Partition& partition, const ProducedBatch& batch, KafkaError error, int64_t log_start_offset);
  bool may_retry_out_of_order(Partition& partition, const ProducedBatch& batch);
  void request_restart(Partition& partition);
  void split(Partition& partition, ProducedBatch& batch);
  void land(Partition& partition, ProducedBatch& batch);
  void wait(Partition& partition, std::string failure, int64_t now_ns);
  void complete(Partition& partition, ProducedBatch& batch, int64_t base_offset, int64_t now_ns);
  void repeat(Partition& partition, const ProducedBatch& batch, std::string failure, int64_t now_ns);
  void count_sent(const ProducedBatch& batch, int64_t now_ns);
  void fail(Partition& partition, ProducedBatch& batch, KafkaError code, const std::string& reason, bool certain);
  void report(const Partition& partition, const ProducedBatch& batch, KafkaError code, const std::string& reason);
  void remove(Partition& partition, const ProducedBatch& batch);
  static std::string reason_of(const ProduceResponse::PartitionProduceResponse& result, const ProducedBatch& batch);

  const ProduceSettings settings_;
  const bool transactional_;
  BatchAccumulator& accumulator_;
  Compressor compressor_;
  std::vector<char> scratch_;
  std::minstd_rand random_;
  uint64_t cluster_generation_ = UINT64_MAX;

  std::vector<BatchAccumulator::News> news_;
  std::vector<std::unique_ptr<Partition>> partitions_;  ///< by slot
  std::map<int32_t, Broker> brokers_;
  std::vector<int32_t> leaders_;  ///< of all partitions of the topics
  std::map<uint64_t, Sent> requests_;
  uint64_t next_request_id_ = 0;
  int64_t expiry_check_ns_ = 0;
  bool buffer_is_full_ = false;
  std::vector<Delivery> deliveries_;
  ProduceStats stats_;
  bool stalled_ = false;
  std::optional<Stall> stall_;

  ProducerIdentity identity_;
  bool asks_for_identity_ = false;
  Backoff identity_backoff_;
  int64_t identity_not_before_ns_ = 0;
  bool unsettled_ = false;    ///< a partition's sequence numbers need a look
  bool needs_epoch_ = false;  ///< a partition restarts its sequence numbers: under a new epoch
  bool open_ = false;         ///< a transaction is
  bool implicit_ = false;
  bool broken_ = false;  ///< records of the transaction were lost
  bool has_written_ = false;
};

}  // namespace yeoul
