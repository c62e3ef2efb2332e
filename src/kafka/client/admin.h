#pragma once

#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "yeoul/kafka/client/client_properties.h"
#include "yeoul/kafka/native/topic_partition.h"

namespace yeoul {

/// A topic to be created; -1: as many as the broker's defaults say (brokers from 2.4 on).
struct NewTopic {
  std::string name;
  int32_t num_partitions = -1;
  int16_t replication_factor = -1;
  std::map<std::string, std::string> configs;
};

struct ClusterDescription {
  std::string id;
  int32_t controller = -1;  ///< -1: none at the moment
  struct Broker {
    std::string host;
    int32_t port = 0;
    std::string rack;  ///< empty: none
  };
  std::map<int32_t, Broker> brokers;
};

/// Questions to the cluster: topics, partitions, offsets. Every call blocks up to `default.api.timeout.ms` (60 s) and
/// then throws external error 4001 with the brokers and what became of the last try; 4011 when a broker is too old
/// for a question, 4013 as soon as one refuses TLS or the login, 4014 where no host is known. Threads: any, one at a
/// time.
class Admin {
 public:
  /// @param stop  a call in progress gives up at once when it is stopped, with external error 4009
  explicit Admin(ClientProperties properties, std::stop_token stop = {});
  ~Admin();

  /// All topics but internal ones.
  std::vector<std::string> list_topics();
  /// The partitions of each topic. @throws user error 4002 naming every topic that does not exist.
  std::vector<TopicPartition> partitions_of(std::span<const std::string> topics);

  /// The first offset that exists.
  PartitionOffsets earliest_offsets(std::span<const TopicPartition> partitions);
  /// The offset behind the last record; with read_committed the last stable offset.
  PartitionOffsets end_offsets(std::span<const TopicPartition> partitions);
  /// The first offset whose timestamp is at or after the given one; the end offset, taken before, where there is none.
  PartitionOffsets offsets_for_time(std::span<const TopicPartition> partitions, int64_t timestamp_ms);
  /// What the group has committed; partitions without a commit are absent, and all where the properties name no group.
  PartitionOffsets committed_offsets(std::span<const TopicPartition> partitions);

  /// Creates topics. One that exists already is an error, as is any other that cannot be made.
  void create_topics(std::span<const NewTopic> topics);
  void delete_topics(std::span<const std::string> topics);
  /// A topic's configuration, defaults too; values that are secret are absent.
  std::map<std::string, std::string> topic_configs(const std::string& topic);
  /// Brokers from 2.8 on.
  ClusterDescription describe_cluster();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace yeoul
