#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/client/topic_partition.h"

namespace yeoul {

/// What a record's timestamp says; Kafka's numbers.
enum class TimestampType : int8_t { kNone = -1, kCreateTime = 0, kLogAppendTime = 1 };

/// One record inside a FetchedBuffer. Pointers lead into the buffer's bytes and are null where the part is null;
/// behind each part kReadableBehind bytes may be read.
struct FetchedRecord {
  int64_t offset;
  int64_t timestamp_ms;  ///< -1: none
  const char* value;
  const char* key;  ///< null too where the consumer was told not to keep keys
  uint32_t value_size;
  uint32_t key_size;
  uint32_t first_header;
  uint32_t num_headers;
  int32_t leader_epoch;  ///< -1: not known
  TimestampType timestamp_type;
};

struct FetchedHeader {
  std::string_view name;
  const char* value;  ///< null: no value
  uint32_t value_size;
};

/// Records of one partition as fetched, in order, with the one block of memory that holds their bytes.
struct FetchedBuffer {
  static constexpr size_t kReadableBehind = 64;

  TopicPartition partition;
  std::vector<FetchedRecord> records;
  std::vector<FetchedHeader> headers;
  std::unique_ptr<char[]> bytes;
  size_t num_bytes = 0;
  /// Where reading goes on after this buffer: moves over control records, aborted records and gaps too.
  int64_t position_after = 0;
  /// The end of the partition as last heard of, -1 if not yet; with read_committed possibly beyond what can be read.
  int64_t end_offset = -1;
  /// position_after was the end of what can be read.
  bool at_end = false;
  /// Set where reading failed: the position does not exist (any more), or the broker's reason. No records then.
  bool out_of_range = false;
  /// Set where the brokers have denied for a while that the partition exists: it was deleted. Told once; no records.
  bool gone = false;
  std::string error;
};

struct ConsumerOptions {
  bool keep_keys = true;
  bool keep_headers = true;
};

/// Fetches records of partitions assigned by hand: whole buffers out, never one record at a time. The contract stays
/// when the client behind it changes. Threads: one, but for wake_up() and commit().
class Consumer {
 public:
  /// Result of commits: what was to be committed, and an empty text or why it failed.
  using CommitListener = std::function<void(const PartitionOffsets& offsets, const std::string& error)>;
  /// @param on_commit  called on the thread of a later poll() or commit()
  Consumer(ClientProperties properties, ConsumerOptions options, CommitListener on_commit);
  ~Consumer();

  /// Starts fetching partitions at the given positions. @throws external error 4003.
  void assign(const PartitionOffsets& positions, const std::stop_token& stop);
  void unassign(std::span<const TopicPartition> partitions);
  void seek(const TopicPartition& partition, int64_t position);
  void pause(std::span<const TopicPartition> partitions);
  void resume(std::span<const TopicPartition> partitions);

  /// What has arrived, one buffer per partition with news; waits for it up to `timeout_ms` (< 0: without limit), or
  /// until wake_up() or `stop`.
  /// @throws external error 4003 for failures that no partition explains
  std::vector<FetchedBuffer> poll(std::stop_token stop, int64_t timeout_ms);
  /// Ends the wait of a poll, or of the next one. Any thread.
  void wake_up();
  /// Commits offsets for the group, alone and asynchronously, one request at a time: of what is given while one is on
  /// its way the last counts. Any thread.
  void commit(const PartitionOffsets& offsets);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
