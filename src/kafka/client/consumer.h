#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/native/fetch_stats.h"
#include "yeoul/kafka/native/fetched_run.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// The client's own types under the names of this contract.
using TimestampType = RecordTimestampType;
using FetchedBuffer = FetchedRun;

/// What a consumer has done so far.
struct ConsumerStats : FetchStats {
  int64_t num_commits = 0;  ///< answered
  int64_t commit_ns = 0;    ///< from requests to answers
};

/// Fetches records of partitions assigned by hand: whole buffers out, never one record at a time. Threads: one, but for
/// wake_up() and commit().
class Consumer {
 public:
  /// Result of commits: what was to be committed, and an empty text or why it failed.
  using CommitListener = std::function<void(const PartitionOffsets& offsets, const std::string& error)>;
  /// @param on_commit  called on the thread of a later poll(), or of the destructor
  Consumer(ClientProperties properties, CommitListener on_commit);
  /// Waits up to kLastCommitMs for a commit that is on its way.
  ~Consumer();

  /// Starts fetching a partition.
  void assign(const TopicPartition& partition, const FetchPosition& position);
  void unassign(std::span<const TopicPartition> partitions);
  void seek(const TopicPartition& partition, int64_t offset);
  void pause(std::span<const TopicPartition> partitions);
  void resume(std::span<const TopicPartition> partitions);

  /// What has arrived, each buffer of one partition with news; waits for it up to `timeout_ms` (< 0: without limit), or
  /// until wake_up() or `stop`, or a commit was answered.
  /// @throws external error 4010 or 4011 for brokers that are too old or send what nobody understands
  std::vector<FetchedBuffer> poll(std::stop_token stop, int64_t timeout_ms);
  ConsumerStats take_stats();
  /// Ends the wait of a poll, or of the next one. Any thread.
  void wake_up();
  /// Commits offsets for the group, alone and asynchronously, one request at a time: of what is given while one is on
  /// its way the last counts. Any thread.
  void commit(const PartitionOffsets& offsets);

  static constexpr int64_t kLastCommitMs = 2'000;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
