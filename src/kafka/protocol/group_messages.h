#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// Offsets that a group has committed. Structures and fields bear the names of the protocol's own definitions.

namespace yeoul {

struct OffsetCommitResponse;
struct OffsetFetchResponse;

struct OffsetCommitRequest {
  struct OffsetCommitRequestPartition {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> committed_metadata;
    static const StructTable& table();
  };
  struct OffsetCommitRequestTopic {
    std::string name;
    Uuid topic_id;
    std::vector<OffsetCommitRequestPartition> partitions;
    static const StructTable& table();
  };
  using Response = OffsetCommitResponse;
  static constexpr ApiKey kApi = ApiKey::kOffsetCommit;
  std::string group_id;
  int32_t generation_id_or_member_epoch = -1;
  std::string member_id;
  std::optional<std::string> group_instance_id;
  std::vector<OffsetCommitRequestTopic> topics;
  static const StructTable& table();
};

struct OffsetCommitResponse {
  struct OffsetCommitResponsePartition {
    int32_t partition_index = 0;
    int16_t error_code = 0;
    static const StructTable& table();
  };
  struct OffsetCommitResponseTopic {
    std::string name;
    Uuid topic_id;
    std::vector<OffsetCommitResponsePartition> partitions;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<OffsetCommitResponseTopic> topics;
  static const StructTable& table();
};

struct OffsetFetchRequest {
  struct OffsetFetchRequestTopic {
    std::string name;
    std::vector<int32_t> partition_indexes;
    static const StructTable& table();
  };
  struct OffsetFetchRequestTopics {
    std::string name;
    Uuid topic_id;
    std::vector<int32_t> partition_indexes;
    static const StructTable& table();
  };
  struct OffsetFetchRequestGroup {
    std::string group_id;
    std::optional<std::string> member_id;
    int32_t member_epoch = -1;
    std::optional<std::vector<OffsetFetchRequestTopics>> topics;
    static const StructTable& table();
  };
  using Response = OffsetFetchResponse;
  static constexpr ApiKey kApi = ApiKey::kOffsetFetch;
  std::string group_id;
  std::optional<std::vector<OffsetFetchRequestTopic>> topics;
  std::vector<OffsetFetchRequestGroup> groups;
  bool require_stable = false;
  static const StructTable& table();
};

struct OffsetFetchResponse {
  struct OffsetFetchResponsePartition {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> metadata;
    int16_t error_code = 0;
    static const StructTable& table();
  };
  struct OffsetFetchResponseTopic {
    std::string name;
    std::vector<OffsetFetchResponsePartition> partitions;
    static const StructTable& table();
  };
  struct OffsetFetchResponsePartitions {
    int32_t partition_index = 0;
    int64_t committed_offset = 0;
    int32_t committed_leader_epoch = -1;
    std::optional<std::string> metadata;
    int16_t error_code = 0;
    static const StructTable& table();
  };
  struct OffsetFetchResponseTopics {
    std::string name;
    Uuid topic_id;
    std::vector<OffsetFetchResponsePartitions> partitions;
    static const StructTable& table();
  };
  struct OffsetFetchResponseGroup {
    std::string group_id;
    std::vector<OffsetFetchResponseTopics> topics;
    int16_t error_code = 0;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<OffsetFetchResponseTopic> topics;
  int16_t error_code = 0;
  std::vector<OffsetFetchResponseGroup> groups;
  static const StructTable& table();
};

}  // namespace yeoul
