#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// Reading: records, offsets by time, ends of leader epochs. Structures and fields bear the names of the protocol's own
// definitions.

namespace yeoul {

struct FetchResponse;
struct ListOffsetsResponse;
struct OffsetForLeaderEpochResponse;

struct FetchRequest {
  struct FetchPartition {
    int32_t partition = 0;
    int32_t current_leader_epoch = -1;
    int64_t fetch_offset = 0;
    int32_t last_fetched_epoch = -1;
    int64_t log_start_offset = -1;
    int32_t partition_max_bytes = 0;
    static const StructTable& table();
  };
  struct FetchTopic {
    std::string topic;
    Uuid topic_id;
    std::vector<FetchPartition> partitions;
    static const StructTable& table();
  };
  struct ForgottenTopic {
    std::string topic;
    Uuid topic_id;
    std::vector<int32_t> partitions;
    static const StructTable& table();
  };
  using Response = FetchResponse;
  static constexpr ApiKey kApi = ApiKey::kFetch;
  int32_t replica_id = -1;
  int32_t max_wait_ms = 0;
  int32_t min_bytes = 0;
  int32_t max_bytes = INT32_MAX;
  int8_t isolation_level = 0;
  int32_t session_id = 0;
  int32_t session_epoch = -1;
  std::vector<FetchTopic> topics;
  std::vector<ForgottenTopic> forgotten_topics_data;
  std::string rack_id;
  static const StructTable& table();
};

struct FetchResponse {
  struct EpochEndOffset {
    int32_t epoch = -1;
    int64_t end_offset = -1;
    static const StructTable& table();
  };
  struct LeaderIdAndEpoch {
    int32_t leader_id = -1;
    int32_t leader_epoch = -1;
    static const StructTable& table();
  };
  struct AbortedTransaction {
    int64_t producer_id = 0;
    int64_t first_offset = 0;
    static const StructTable& table();
  };
  struct PartitionData {
    int32_t partition_index = 0;
    int16_t error_code = 0;
    int64_t high_watermark = 0;
    int64_t last_stable_offset = -1;
    int64_t log_start_offset = -1;
    EpochEndOffset diverging_epoch;
    LeaderIdAndEpoch current_leader;
    std::vector<AbortedTransaction> aborted_transactions;
    int32_t preferred_read_replica = -1;
    std::string_view records;
    static const StructTable& table();
  };
  struct FetchableTopicResponse {
    std::string topic;
    Uuid topic_id;
    std::vector<PartitionData> partitions;
    static const StructTable& table();
  };
  struct NodeEndpoint {
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  int16_t error_code = 0;
  int32_t session_id = 0;
  std::vector<FetchableTopicResponse> responses;
  std::vector<NodeEndpoint> node_endpoints;
  static const StructTable& table();
};

struct ListOffsetsRequest {
  struct ListOffsetsPartition {
    int32_t partition_index = 0;
    int32_t current_leader_epoch = -1;
    int64_t timestamp = 0;
    static const StructTable& table();
  };
  struct ListOffsetsTopic {
    std::string name;
    std::vector<ListOffsetsPartition> partitions;
    static const StructTable& table();
  };
  using Response = ListOffsetsResponse;
  static constexpr ApiKey kApi = ApiKey::kListOffsets;
  int32_t replica_id = -1;
  int8_t isolation_level = 0;
  std::vector<ListOffsetsTopic> topics;
  int32_t timeout_ms = 0;
  static const StructTable& table();
};

struct ListOffsetsResponse {
  struct ListOffsetsPartitionResponse {
    int32_t partition_index = 0;
    int16_t error_code = 0;
    int64_t timestamp = -1;
    int64_t offset = -1;
    int32_t leader_epoch = -1;
    static const StructTable& table();
  };
  struct ListOffsetsTopicResponse {
    std::string name;
    std::vector<ListOffsetsPartitionResponse> partitions;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<ListOffsetsTopicResponse> topics;
  static const StructTable& table();
};

struct OffsetForLeaderEpochRequest {
  struct OffsetForLeaderPartition {
    int32_t partition = 0;
    int32_t current_leader_epoch = -1;
    int32_t leader_epoch = 0;
    static const StructTable& table();
  };
  struct OffsetForLeaderTopic {
    std::string topic;
    std::vector<OffsetForLeaderPartition> partitions;
    static const StructTable& table();
  };
  using Response = OffsetForLeaderEpochResponse;
  static constexpr ApiKey kApi = ApiKey::kOffsetForLeaderEpoch;
  int32_t replica_id = -1;
  std::vector<OffsetForLeaderTopic> topics;
  static const StructTable& table();
};

struct OffsetForLeaderEpochResponse {
  struct EpochEndOffset {
    int16_t error_code = 0;
    int32_t partition = 0;
    int32_t leader_epoch = -1;
    int64_t end_offset = -1;
    static const StructTable& table();
  };
  struct OffsetForLeaderTopicResult {
    std::string topic;
    std::vector<EpochEndOffset> partitions;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<OffsetForLeaderTopicResult> topics;
  static const StructTable& table();
};

}  // namespace yeoul
