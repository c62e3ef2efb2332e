#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "yeoul/kafka/native/topic_partition.h"
#include "yeoul/kafka/protocol/fetch_messages.h"

namespace yeoul {

/// A partition to fetch from, and from where.
struct FetchTarget {
  TopicPartition partition;
  Uuid topic_id;
  int64_t offset = 0;
  int32_t leader_epoch = -1;
  int32_t last_fetched_epoch = -1;
  int32_t max_bytes = 0;
  auto operator<=>(const FetchTarget&) const = default;
};

/// An incremental fetch session with one broker (KIP-227): requests name only what has changed since the last one.
/// One request at a time.
class FetchSession {
 public:
  /// Puts the session and the partitions into a request.
  void fill(std::span<const FetchTarget> targets, FetchRequest& request);
  /// @return false if the broker forgot or refused the session: nothing in the answer counts, ask again
  bool on_answer(const FetchResponse& response);
  /// There was no answer: what the broker knows is not known.
  void on_failure() { epoch_ = 0; }

 private:
  int32_t id_ = 0;
  int32_t epoch_ = 0;  ///< 0: the next request names everything and opens a session anew
  std::map<TopicPartition, FetchTarget> known_;
};

}  // namespace yeoul
