#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "yeoul/common/clock.h"
#include "yeoul/kafka/native/fetch_consumer.h"
#include "yeoul/kafka/native/group_question.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// Commits offsets of a group, one request at a time: what is given while one is on its way waits and is sent with the
/// next. Threads: the consumer's, but for commit().
class OffsetCommitter {
 public:
  /// @param done  result of each request: what was sent, and empty or why it failed
  OffsetCommitter(FetchConsumer& consumer, std::string group, const QuestionSettings& settings, Clock& clock,
                  std::function<void(const PartitionOffsets&, const std::string&)> done);
  ~OffsetCommitter();

  /// Any thread. Sent when the consumer's thread comes to serve().
  void commit(const PartitionOffsets& offsets);
  /// Tells what became of the request on its way, and sends what waited for it.
  void serve();
  /// Nothing waits or is on its way.
  bool is_idle();
  /// Of requests that were answered, and how long they took.
  int64_t num_commits() const { return num_commits_; }
  int64_t commit_ns() const { return commit_ns_; }

 private:
  FetchConsumer& consumer_;
  const std::string group_;
  const QuestionSettings settings_;
  Clock& clock_;
  const std::function<void(const PartitionOffsets&, const std::string&)> done_;
  PartitionOffsets sent_;
  std::unique_ptr<OffsetCommitQuestion> question_;  ///< null: none is on its way
  int64_t asked_at_ns_ = 0;
  int64_t num_commits_ = 0;
  int64_t commit_ns_ = 0;
  std::mutex mutex_;
  PartitionOffsets waiting_;
};

}  // namespace yeoul
