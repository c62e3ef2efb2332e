#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "yeoul/kafka/native/produce_settings.h"
#include "yeoul/kafka/native/produced_batch.h"
#include "yeoul/kafka/native/produced_record.h"
#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/buffer_pool.h"

namespace yeoul {

/// Where records become batches: written by the thread that has records, emptied by the one that sends them.
/// Threads: any; a lock is taken for a run of records, not for each.
class BatchAccumulator {
 public:
  /// What has become of a partition since the last look.
  struct News {
    size_t slot;
    const TopicPartition* partition;
    std::vector<std::unique_ptr<ProducedBatch>> closed;
    int64_t open_since_ns;  ///< kNever: no batch is being filled
  };

  BatchAccumulator(const ProduceSettings& settings, std::vector<std::string> topics);

  /// One more topic. @return its number, behind those there are
  size_t add_topic(std::string topic);
  std::vector<std::string> topics();
  BufferPool& pool() { return pool_; }

  /// Copies records into the partition's batches.
  /// @return when whoever sends must look at them at the latest; kNever if nothing is new to it
  /// @throws external error 4006 for a record above `max.request.size` or `buffer.memory`; those before it are taken
  int64_t append(size_t topic, int32_t partition, std::span<const ProducedRecord> records, int64_t now_ns,
                 int64_t wall_ms);
  /// Bytes of records without an answer.
  size_t waiting_bytes() const { return waiting_bytes_.load(std::memory_order_relaxed); }
  bool has_news() const { return has_news_.load(); }

  /// Closes all batches, and from now on watches for the end of all there are. One flush at a time.
  void begin_flush();
  /// True once after begin_flush(), when no batch from before it is left.
  bool take_flush_end();

  /// All partitions with news.
  void collect(std::vector<News>& news);
  /// The batch that is being filled; null: none.
  std::unique_ptr<ProducedBatch> take_open(size_t slot);
  /// A batch came to its end, well or badly.
  void finished(const ProducedBatch& batch);
  /// A batch with nothing in it yet, that takes its share of another's bytes with it when that one is split.
  std::unique_ptr<ProducedBatch> new_part(const ProducedBatch& whole, size_t bytes_expected);
  /// Batches of the partition that are larger were refused: those to come stay below, but may have kSmallestLimit.
  void limit_batches(size_t slot, size_t bytes);
  static constexpr size_t kSmallestLimit = 16'384;

 private:
  struct Slot {
    TopicPartition partition;
    std::unique_ptr<ProducedBatch> open;
    std::vector<std::unique_ptr<ProducedBatch>> closed;
    uint64_t next_index = 0;
    size_t batch_bytes;  ///< the most a batch may have
    size_t last_size = 0;
    bool has_news = false;
  };

  Slot& slot_of(size_t topic, int32_t partition, size_t& number);
  void open_batch(Slot& slot, size_t number, int64_t now_ns, size_t bytes);
  void close(Slot& slot, size_t number);
  void announce(Slot& slot, size_t number);
  void check_size(const Slot& slot, const ProducedRecord& record) const;

  const size_t batch_bytes_;
  const size_t record_bytes_max_;
  const int64_t linger_ns_;
  const size_t buffer_bytes_;
  BufferPool pool_;
  std::atomic<size_t> waiting_bytes_{0};
  std::atomic<bool> has_news_{false};

  std::mutex mutex_;
  std::vector<std::string> topics_;
  std::vector<std::vector<size_t>> slot_numbers_;  ///< of each topic's partitions
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<size_t> slots_with_news_;
  std::array<size_t, 2> num_batches_{};  ///< of the flush that is on, and since it began
  int flush_group_ = 0;
  bool flushing_ = false;
};

}  // namespace yeoul
