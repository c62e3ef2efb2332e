#pragma once

#include <functional>
#include <mutex>
#include <string>

#include "yeoul/kafka/client/native_client.h"
#include "yeoul/kafka/client/topic_partition.h"

namespace yeoul {

/// Commits offsets of a group, one request at a time: what is given while one is on its way waits and is sent with the
/// next. By the client's admin requests, since the end of the client waits for answers to its ordinary commits, up to
/// `request.timeout.ms`, and an admin request does not hold it up. Threads: any.
class OffsetCommitter {
 public:
  /// @param answered  any thread: there is an answer to serve()
  /// @param done      result of each request: what was sent, and empty or why it failed; on the thread that calls
  ///                  serve() or commit()
  OffsetCommitter(rd_kafka_s* client, std::string group, std::function<void()> answered,
                  std::function<void(const PartitionOffsets&, const std::string&)> done);
  /// Before the client ends. What is on its way may still be committed.
  ~OffsetCommitter();

  void commit(const PartitionOffsets& offsets);
  /// Takes an answer that has come, and sends what waited for it.
  void serve();

 private:
  /// With the mutex held.
  void send();
  void take_answer();

  rd_kafka_s* client_;
  const std::string group_;
  const std::function<void()> answered_;
  const std::function<void(const PartitionOffsets&, const std::string&)> done_;
  NativeQueue queue_;
  std::mutex mutex_;
  PartitionOffsets waiting_;
  PartitionOffsets sent_;  ///< while a request is under way
  bool under_way_ = false;
};

}  // namespace yeoul
