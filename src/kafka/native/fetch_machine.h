#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/kafka/native/aborted_transactions.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/kafka/native/fetch_session.h"
#include "yeoul/kafka/native/fetched_run.h"
#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/buffer_pool.h"
#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {

/// Java's names stand beside their defaults; the budget is ours.
struct FetchSettings {
  int32_t max_wait_ms = 500;               // fetch.max.wait.ms
  int32_t min_bytes = 1;                   // fetch.min.bytes
  int32_t max_bytes = 50 << 20;            // fetch.max.bytes
  int32_t partition_max_bytes = 1 << 20;   // max.partition.fetch.bytes
  bool read_committed = true;              // isolation.level
  bool check_crcs = true;                  // check.crcs
  std::string rack;                        // client.rack
  int64_t retry_backoff_ns = 100'000'000;  // retry.backoff.ms
  size_t buffered_bytes_max =
      size_t{64} << 20;  ///< fetched and unpacked bytes of all partitions that are not let go yet
};

/// A partition is gone once brokers have denied it for so long: after an election or a restart they do so for a moment.
constexpr int64_t kGoneAfterNs = 10'000'000'000;

/// Partitions without a leader are told of after so long.
constexpr int64_t kLeaderlessToldNs = 5'000'000'000;

/// That partitions have had no leader for long, or that all have one again.
struct LeaderNews {
  bool ended = false;
  TopicPartition partition;  ///< the one that has had none for the longest
  int32_t num_others = 0;
  int64_t waited_ns = 0;
  std::string reason;
};

/// A run ends with the batch that brings it to this size, unpacked.
constexpr size_t kRunBytes = size_t{256} << 10;

/// Fetches partitions that were assigned by hand: which request each broker gets next, what became of it, and the
/// records in it. A state machine without I/O. Threads: one at a time.
class FetchMachine {
 public:
  FetchMachine(const FetchSettings& settings, BufferPool& pool);

  void assign(const TopicPartition& partition, const FetchPosition& position);
  void unassign(const TopicPartition& partition);
  /// Goes on from an offset, of whatever topic bears the name now; drops what was fetched and not decoded yet. Ends a
  /// trouble of the partition.
  void seek(const TopicPartition& partition, int64_t offset);
  void pause(const TopicPartition& partition);
  void resume(const TopicPartition& partition);
  std::set<std::string> topics() const;

  /// The brokers that something can be fetched from, now or soon.
  std::set<int32_t> brokers(const ClusterView& cluster) const;
  /// Some partition has no leader that is known, or is gone and to be looked for again.
  bool lacks_leaders(const ClusterView& cluster, int64_t now_ns);
  /// Looks for partitions that are gone, of those without a leader, and for those that are back.
  void check_existence(const ClusterView& cluster, int64_t now_ns);
  /// Whether partitions have had no leader for long, or have leaders again after that; each is told once.
  std::optional<LeaderNews> note_leaders(const ClusterView& cluster, int64_t now_ns);
  /// The next request to a broker, unless one is on its way, nothing is wanted of it, or too much is buffered. It asks
  /// first for what has waited longest, since brokers fill an answer in this order.
  /// @param num_brokers  that are asked; they share the budget
  std::optional<FetchRequest> next_request(int32_t broker, const ClusterView& cluster, int64_t now_ns,
                                           size_t num_brokers = 1);
  /// A request had to wait for room, and there is some now. Says so once.
  bool has_room_again() { return no_room_since_ns_ >= 0 && has_room() && std::exchange(no_room_since_ns_, -1) >= 0; }
  /// The newest version that the last request of next_request() can be sent in: later ones need topic ids.
  int16_t newest_version(const FetchRequest& request) const;
  /// When a broker or partition that waits may be asked again; kNever: none waits.
  int64_t due_at_ns(int64_t now_ns) const;

  /// Takes an answer apart as far as the next request needs; its records wait for decode_next().
  void on_answer(int32_t broker, FetchResponse response, SharedBuffer buffer, ClusterView& cluster, int64_t now_ns);
  void on_failure(int32_t broker, int64_t now_ns);
  /// There is no connection to a broker. What was read from it as the nearest replica is read from leaders for a while.
  void on_unreachable(int32_t broker, int64_t now_ns);

  // Whether what was read is still what the leader has is told by answers to fetches. Brokers before Apache Kafka 2.7
  // do not; of them a question of its own asks for it (KIP-320) before anything is fetched under a leader's new epoch.

  void set_compares_epochs(int32_t broker, bool compares) { brokers_[broker].compares_epochs = compares; }
  /// The next such question to a broker, unless one is on its way, or nothing is open.
  std::optional<OffsetForLeaderEpochRequest> next_check(int32_t broker, const ClusterView& cluster, int64_t now_ns);
  void on_check(int32_t broker, const OffsetForLeaderEpochResponse& response, ClusterView& cluster, int64_t now_ns);
  void on_check_failure(int32_t broker, int64_t now_ns);

  bool has_decodable() const { return !fetched_.empty(); }
  /// Decodes what one partition got in one answer, or so much of it that the unpacked bytes still are in the caches
  /// when they are used. False: there was nothing.
  bool decode_next(FetchedRun& out);

 private:
  struct Partition {
    int64_t position = 0;
    int32_t last_epoch = -1;     ///< of the batch before `position`
    int32_t checked_epoch = -1;  ///< the leader of this epoch has what was read
    int64_t high_watermark = -1;
    int64_t last_stable_offset = -1;
    int64_t reported_end = -1;
    int64_t not_before_ns = 0;
    uint64_t served = 0;           ///< when records of it came last, in answers
    uint64_t generation = 0;       ///< changes where what was asked before does not count any more
    Uuid topic_id;                 ///< of the topic that the position belongs to; zero: not known
    int64_t denied_since_ns = -1;  ///< a broker said that it does not exist
    bool denied_in_answer = false;
    int64_t leaderless_since_ns = -1;
    int32_t preferred_replica = -1;
    int64_t preferred_until_ns = 0;
    bool paused = false;
    bool stopped = false;  ///< by an error
    bool gone = false;     ///< stopped, and told so; it may come back
  };
  /// What was asked for a partition.
  struct Asked {
    uint64_t generation;
    int32_t leader_epoch;
    int32_t last_epoch;
  };
  struct BrokerState {
    FetchSession session;
    bool on_its_way = false;
    int64_t not_before_ns = 0;
    std::map<TopicPartition, Asked> asked;
    std::map<std::pair<Uuid, int32_t>, TopicPartition> by_id;
    bool compares_epochs = true;
    bool check_on_its_way = false;
    std::map<TopicPartition, Asked> checking;
  };
  /// What one partition got in one answer.
  struct Fetched {
    TopicPartition partition;
    uint64_t generation = 0;
    int64_t from_offset = 0;
    int64_t position_after = 0;
    int32_t epoch_after = -1;
    Uuid topic_id;
    int64_t high_watermark = -1;
    int64_t last_stable_offset = -1;
    std::string_view records;
    SharedBuffer buffer;
    AbortedTransactions aborted;
    bool continued = false;  ///< a part of it was decoded before
    FetchTrouble trouble = FetchTrouble::kNone;
    std::string error;
    int64_t truncated_to = -1;
  };

  int32_t broker_of(const TopicPartition& name, const Partition& partition, const ClusterView& cluster) const;
  int64_t readable_end(int64_t high_watermark, int64_t last_stable_offset) const;
  bool needs_check(const Partition& partition, const PartitionView& leader) const;
  void on_partition(int32_t broker, const TopicPartition& name, Partition& partition,
                    FetchResponse::PartitionData& data, const SharedBuffer& buffer, ClusterView& cluster,
                    int64_t now_ns);
  void on_checked(const TopicPartition& name, Partition& partition, const Asked& asked,
                  const OffsetForLeaderEpochResponse::EpochEndOffset& result, ClusterView& cluster, int64_t now_ns);
  void on_partition_error(int32_t broker, const TopicPartition& name, Partition& partition,
                          const FetchResponse::PartitionData& data, ClusterView& cluster, int64_t now_ns);
  void scan(const TopicPartition& name, Partition& partition, Fetched& fetched);
  void stop(Partition& partition, Fetched fetched);
  Fetched& stop_with(const TopicPartition& name, Partition& partition, FetchTrouble trouble, std::string_view why);
  bool may_fetch(const TopicPartition& name, Partition& partition, const ClusterView& cluster, int64_t now_ns);
  void deny(const TopicPartition& name, Partition& partition, int64_t now_ns);
  void look_for_return(const TopicPartition& name, Partition& partition, const ClusterView& cluster);
  void lose_records(const TopicPartition& name, Partition& partition, int64_t from_offset);
  bool has_room() const { return pool_.bytes_in_use() <= settings_.buffered_bytes_max / 2; }
  size_t room_for_answer(int64_t now_ns, size_t num_brokers);
  void on_damage(Fetched fetched, int64_t position);
  bool decode_records(Fetched& fetched, FetchedRun& out);

  FetchSettings settings_;
  BufferPool& pool_;
  ByteArena arena_;
  BatchDecoder decoder_;
  std::map<TopicPartition, Partition> partitions_;
  std::map<int32_t, BrokerState> brokers_;
  std::deque<Fetched> fetched_;
  std::shared_ptr<RunShelf> shelf_ = std::make_shared<RunShelf>();
  int64_t no_room_since_ns_ = -1;
  int64_t look_for_gone_at_ns_ = 0;
  int64_t leaders_only_until_ns_ = 0;  ///< after a replica was lost
  int64_t leaderless_since_ns_ = -1;   ///< that of the partition that has had no leader for the longest; -1: all have
  bool told_of_leaderless_ = false;
  uint64_t next_generation_ = 1;
  uint64_t num_answers_ = 0;
};

}  // namespace yeoul
