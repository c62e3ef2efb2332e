#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/client/topic_partition.h"

namespace yeoul {

/// What the brokers say of a topic.
enum class TopicAnswer { kUnknown, kNone, kExists };

/// Tells a partition that was deleted from one that brokers do not know for a moment, as after an election or a
/// restart: it is gone once they have denied it for kGoneAfterMs, and no suspect once they have had it for as long (a
/// broker's metadata may still show a topic whose deletion others know of). Threads: one.
class MissingTopics {
 public:
  static constexpr int64_t kGoneAfterMs = 10'000;
  /// Between two questions.
  static constexpr int64_t kAskAgainMs = 1'000;

  /// Asks the brokers for a topic's partitions; kUnknown: they do not have it, kNone: no answer.
  using Ask = std::function<TopicAnswer(const std::string& topic, std::set<int32_t>& partitions)>;

  /// A fetch was told that the partition does not exist.
  void suspect(const std::string& topic, int64_t now_ms);
  bool empty() const { return suspects_.empty(); }
  /// Asks after suspects whose turn it is. Returns those of `assigned` that are gone, each once.
  std::vector<TopicPartition> check(const std::set<TopicPartition>& assigned, int64_t now_ms, const Ask& ask,
                                    const std::stop_token& stop);

 private:
  struct Suspect {
    bool denied;
    int64_t since_ms;  ///< they have said so
    int64_t ask_at_ms;
  };

  std::map<std::string, Suspect> suspects_;
};

}  // namespace yeoul
