#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/native/aborted_transactions.h"
#include "yeoul/kafka/native/cluster_view.h"
#include "yeoul/kafka/native/fetch_session.h"
#include "yeoul/kafka/native/kafka_partition.h"
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

/// A run ends with the batch that brings it to this size, unpacked.
constexpr size_t kRunBytes = size_t{256} << 10;

/// Records of one partition, in order, with the memory they lie in. Given back to decode_next(), its memory is used
/// again.
struct FetchedRun {
  KafkaPartition partition;
  RecordRun run;
  std::vector<SharedBuffer> blocks;
  size_t num_bytes = 0;  ///< of batches, unpacked
  /// Where reading goes on: moves over control records, aborted records and gaps too.
  int64_t position_after = 0;
  int64_t end_offset = -1;          ///< behind the last record that is replicated; -1: not heard of yet
  int64_t last_stable_offset = -1;  ///< behind the last record that read_committed may see
  bool at_end = false;              ///< position_after is the end of what can be read
  bool out_of_range = false;        ///< the position does not exist (any more); seek to go on
  std::string error;                ///< why the partition is not read any further; no records then; seek to go on
};

/// Fetches partitions that were assigned by hand: which request each broker gets next, what became of it, and the
/// records in it. A state machine without I/O. Threads: one at a time.
class FetchMachine {
 public:
  FetchMachine(const FetchSettings& settings, BufferPool& pool);

  void assign(const KafkaPartition& partition, int64_t position);
  void unassign(const KafkaPartition& partition);
  /// Goes on from a position; drops what was fetched and not decoded yet. Ends an error of the partition.
  void seek(const KafkaPartition& partition, int64_t position);
  void pause(const KafkaPartition& partition);
  void resume(const KafkaPartition& partition);
  std::set<std::string> topics() const;

  /// The brokers that something can be fetched from, now or soon.
  std::set<int32_t> brokers(const ClusterView& cluster) const;
  /// Some partition has no leader that is known.
  bool lacks_leaders(const ClusterView& cluster) const;
  /// The next request to a broker, unless one is on its way, nothing is wanted of it, or too much is buffered.
  std::optional<FetchRequest> next_request(int32_t broker, const ClusterView& cluster, int64_t now_ns);
  /// The newest version that the last request of next_request() can be sent in: later ones need topic ids.
  int16_t newest_version(const FetchRequest& request) const;
  /// When a broker or partition that waits may be asked again; kNever: none waits.
  int64_t due_at_ns(int64_t now_ns) const;

  /// Takes an answer apart as far as the next request needs; its records wait for decode_next().
  void on_answer(int32_t broker, FetchResponse response, SharedBuffer buffer, ClusterView& cluster, int64_t now_ns);
  void on_failure(int32_t broker, int64_t now_ns);

  bool has_decodable() const { return !fetched_.empty(); }
  /// Decodes what one partition got in one answer, or so much of it that the unpacked bytes still are in the caches
  /// when they are used. False: there was nothing.
  bool decode_next(FetchedRun& out);

 private:
  struct Partition {
    int64_t position = 0;
    int64_t high_watermark = -1;
    int64_t last_stable_offset = -1;
    int64_t reported_end = -1;
    int64_t not_before_ns = 0;
    uint64_t generation = 0;  ///< changes where what was asked before does not count any more
    Uuid topic_id;            ///< of the topic that the position belongs to; zero: not known
    int32_t preferred_replica = -1;
    int64_t preferred_until_ns = 0;
    bool paused = false;
    bool stopped = false;  ///< by an error
  };
  struct BrokerState {
    FetchSession session;
    bool on_its_way = false;
    int64_t not_before_ns = 0;
    std::map<KafkaPartition, uint64_t> asked;  ///< generations
    std::map<std::pair<Uuid, int32_t>, KafkaPartition> by_id;
  };
  /// What one partition got in one answer.
  struct Fetched {
    KafkaPartition partition;
    uint64_t generation = 0;
    int64_t from_offset = 0;
    int64_t position_after = 0;
    int64_t high_watermark = -1;
    int64_t last_stable_offset = -1;
    std::string_view records;
    SharedBuffer buffer;
    AbortedTransactions aborted;
    bool out_of_range = false;
    bool continued = false;  ///< a part of it was decoded before
    std::string error;
  };

  int32_t broker_of(const KafkaPartition& name, const Partition& partition, const ClusterView& cluster) const;
  int64_t readable_end(int64_t high_watermark, int64_t last_stable_offset) const;
  void on_partition(int32_t broker, const KafkaPartition& name, Partition& partition,
                    FetchResponse::PartitionData& data, const SharedBuffer& buffer, ClusterView& cluster,
                    int64_t now_ns);
  void on_partition_error(int32_t broker, const KafkaPartition& name, Partition& partition,
                          const FetchResponse::PartitionData& data, ClusterView& cluster, int64_t now_ns);
  void scan(const KafkaPartition& name, Partition& partition, Fetched& fetched);
  void stop(Partition& partition, Fetched fetched);
  void stop_with(const KafkaPartition& name, Partition& partition, std::string_view why, bool out_of_range);
  void on_damage(Fetched fetched, int64_t position);
  bool decode_records(Fetched& fetched, FetchedRun& out);

  FetchSettings settings_;
  BufferPool& pool_;
  ByteArena arena_;
  BatchDecoder decoder_;
  std::map<KafkaPartition, Partition> partitions_;
  std::map<int32_t, BrokerState> brokers_;
  std::deque<Fetched> fetched_;
  uint64_t next_generation_ = 1;
};

}  // namespace yeoul
