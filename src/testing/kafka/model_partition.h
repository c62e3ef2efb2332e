#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/fetch_messages.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/record_batch.h"

namespace yeoul {

/// A batch in a log.
struct ModelBatch {
  int64_t base_offset;
  int64_t last_offset;
  int64_t producer_id;
  int16_t producer_epoch;
  int32_t base_sequence;
  int32_t leader_epoch;
  bool transactional;
  bool control;
  std::string bytes;
};

/// How leaders came and went.
struct ModelLeader {
  int64_t since_ms;
  int32_t node;  ///< -1: none
  int32_t epoch;
};

/// Where the records of a leader's epoch end; -1: the log knows of none.
struct ModelEpochEnd {
  int32_t epoch = -1;
  int64_t end = -1;
};

/// What an append led to.
struct ModelAppend {
  KafkaError error = KafkaError::kNone;
  int64_t base_offset = -1;
};

/// Planted faults of a broker: what they do to records must be noticed.
struct ModelSabotage {
  bool no_deduplication = false;
  bool loses_acknowledged = false;
  bool ignores_aborts = false;
  bool skips_batch = false;
  bool hides_truncation = false;  ///< says of every epoch that it reaches to the end
  bool tells_undecided = false;   ///< a follower gives all that it has to who reads what is committed
  bool keeps_topic_id = false;    ///< a topic that is made anew has the id of the one before
};

/// One partition: its log, who wrote it, which transactions are open in it. What was appended stays, but for unclean
/// elections: the model has as many replicas as it needs.
class ModelPartition {
 public:
  explicit ModelPartition(ModelLeader first) : leaders_{first}, epochs_{{first.epoch, 0}} {}

  const ModelLeader& leader() const { return leaders_.back(); }
  /// What a node believes that hears of changes late.
  const ModelLeader& leader_seen(int64_t at_ms) const;
  void elect(int32_t node, int64_t now_ms);
  /// One is elected that lacks the last batches: they are lost, acknowledged or not. Not for logs with transactions,
  /// which such a loss leaves open for ever.
  void elect_unclean(int32_t node, size_t num_lost_max, int64_t now_ms);
  /// What unclean elections have cost.
  const std::vector<ModelBatch>& lost_batches() const { return lost_; }

  /// Appends a producer's batch; sequence numbers are checked as brokers do. Brokers that know nothing (any more) of a
  /// producer take its batches from any number on, so that one which is refused is overtaken by those behind it,
  /// against which no client can do anything. So here its numbers must begin at 0, as in transactions (KIP-890).
  ModelAppend append(std::string_view bytes, const ModelSabotage& sabotage);
  /// Ends a producer's transaction in this partition.
  void append_marker(int64_t producer_id, int16_t producer_epoch, bool commit);

  int64_t end() const { return end_; }
  /// Of the newest epoch up to that one.
  ModelEpochEnd end_of_epoch(int32_t epoch) const;
  /// The epoch of the leader that wrote what is before the offset; -1: nothing is.
  int32_t epoch_before(int64_t offset) const;
  /// The end of what is decided.
  int64_t last_stable_offset() const;
  /// The same for a replica that ends at an offset.
  int64_t last_stable_offset(int64_t end) const;
  /// Whole batches from the offset on, the first even where it is larger than allowed.
  std::string read(int64_t offset, int64_t up_to, size_t bytes_max) const;
  /// Of transactions whose batches lie in the range.
  std::vector<FetchResponse::AbortedTransaction> aborted_in(int64_t from, int64_t up_to) const;
  const std::vector<ModelBatch>& batches() const { return batches_; }
  /// Whether the batch belongs to a transaction that was aborted or is open.
  bool is_committed(const ModelBatch& batch) const;

 private:
  struct Aborted {
    int64_t producer_id;
    int64_t first_offset;
    int64_t last_offset;
  };
  struct Written {
    int32_t first_sequence;
    int32_t last_sequence;
    int64_t base_offset;
  };
  struct Producer {
    int16_t epoch = -1;
    std::deque<Written> last;  ///< five batches at most, as brokers remember
  };

  struct Epoch {
    int32_t epoch;
    int64_t begin;
  };

  void remember(Producer& producer, int32_t base_sequence, int32_t num_records, int64_t base_offset);
  void store(std::string_view bytes, const RecordBatchInfo& info);

  std::vector<ModelLeader> leaders_;
  std::vector<Epoch> epochs_;  ///< that records may be of
  std::vector<ModelBatch> batches_;
  std::vector<ModelBatch> lost_;
  int64_t end_ = 0;
  std::map<int64_t, Producer> producers_;
  std::map<int64_t, int64_t> open_;  ///< producer id to the first offset of its transaction
  std::vector<Aborted> aborted_;
};

}  // namespace yeoul
