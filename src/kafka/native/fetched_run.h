#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/buffer_pool.h"
#include "yeoul/kafka/protocol/record_run.h"
#include "yeoul/kafka/protocol/struct_table.h"

namespace yeoul {

/// Keeps the memory of runs that were let go, wherever that was. Threads: any.
class RunShelf {
 public:
  RecordRun take() {
    const std::scoped_lock lock(mutex_);
    if (kept_.empty()) return {};
    RecordRun run = std::move(kept_.back());
    kept_.pop_back();
    return run;
  }
  void give_back(RecordRun run) {
    run.clear();
    const std::scoped_lock lock(mutex_);
    if (kept_.size() < kKeptMax) kept_.push_back(std::move(run));
  }

 private:
  static constexpr size_t kKeptMax = 16;
  std::mutex mutex_;
  std::vector<RecordRun> kept_;
};

/// From where a partition is read, and what is known of what was read before.
struct FetchPosition {
  int64_t offset = 0;
  int32_t epoch = -1;  ///< of the leader that wrote the record before it; -1: not known
  Uuid topic_id;       ///< of the topic that the offset belongs to; zero: of whatever bears the name now
};

/// Why a partition is not read any further, until a seek.
enum class FetchTrouble {
  kNone,
  kOutOfRange,  ///< the position does not exist (any more)
  kTruncated,   ///< what was read before the position is not what the partition holds there now
  kRecreated,   ///< the topic is another of the same name
  kGone,        ///< the brokers have denied for a while that the partition exists
  kFailed,      ///< damaged records, or the broker's reason
};

/// Records of one partition, in order, with the memory they lie in. Its memory is used again when it is let go.
struct FetchedRun {
  FetchedRun() = default;
  FetchedRun(FetchedRun&&) noexcept = default;
  FetchedRun& operator=(FetchedRun&&) noexcept = default;
  ~FetchedRun() {
    if (shelf != nullptr) shelf->give_back(std::move(run));
  }

  std::span<const FetchedRecord> records() const { return run.records(); }
  std::span<const FetchedHeader> headers() const { return run.headers(); }

  TopicPartition partition;
  RecordRun run;
  std::vector<SharedBuffer> blocks;
  std::shared_ptr<RunShelf> shelf;
  size_t num_bytes = 0;  ///< of batches, unpacked
  /// Where reading goes on: moves over control records, aborted records and gaps too.
  int64_t position_after = 0;
  int32_t epoch_after = -1;         ///< of the leader that wrote what is before position_after; -1: not known
  Uuid topic_id;                    ///< zero: brokers know none
  int64_t end_offset = -1;          ///< behind the last record that is replicated; -1: not heard of yet
  int64_t last_stable_offset = -1;  ///< behind the last record that read_committed may see
  /// How far behind the readable end position_after is; 0 while the end is not known.
  int64_t lag() const {
    const int64_t end = readable_end >= 0 ? readable_end : position_after;
    return std::max<int64_t>(end - position_after, 0);
  }
  int64_t readable_end = -1;                   ///< of the two, that of the isolation level
  bool at_end = false;                         ///< position_after is the end of what can be read
  FetchTrouble trouble = FetchTrouble::kNone;  ///< then there are no records
  std::string error;                           ///< of every trouble
  int64_t truncated_to = -1;                   ///< of kTruncated: the first offset that is not what it was
};

}  // namespace yeoul
