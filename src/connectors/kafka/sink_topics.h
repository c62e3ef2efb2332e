#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace yeoul {

/// The topics that a sink's writer writes to, by number: those it begins with, and those that records name later.
/// Threads: the writer's.
class SinkTopics {
 public:
  /// What stands behind it: a producer.
  struct Cluster {
    std::function<size_t(std::string)> add_topic;
    std::function<int32_t(size_t)> num_partitions;  ///< 0: not known yet
  };

  /// @param owner  for messages  @param topics  that the producer knows already, by number
  SinkTopics(std::string owner, const std::vector<std::string>& topics, Cluster cluster);

  /// A topic's number; one not named before is looked up from now on. @throws user error 3202 for what is no topic's
  /// name
  uint32_t index_of(std::string_view name) {
    if (name != last_name_) find(name);
    return last_index_;
  }
  size_t size() const { return names_.size(); }
  const std::string& name(uint32_t topic) const { return names_[topic]; }
  int32_t num_partitions(uint32_t topic) const { return cluster_.num_partitions(topic); }
  /// The numbers of a topic's partitions, 0 and up; empty: they are not known yet.
  std::span<const int32_t> partitions(uint32_t topic);
  /// The partitions of all topics are known.
  bool all_known();

 private:
  void find(std::string_view name);

  const std::string owner_;
  const Cluster cluster_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::string last_name_;
  uint32_t last_index_ = 0;
  size_t num_known_ = 0;  ///< so many of the first topics have partitions
  std::vector<int32_t> counting_;
};

}  // namespace yeoul
