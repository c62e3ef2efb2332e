#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// Who is who: brokers, topics, leaders, coordinators. Structures and fields bear the names of the protocol's own
// definitions.

namespace yeoul {

struct MetadataResponse;
struct FindCoordinatorResponse;
struct DescribeClusterResponse;

struct MetadataRequest {
  struct MetadataRequestTopic {
    Uuid topic_id;
    std::optional<std::string> name;
    static const StructTable& table();
  };
  using Response = MetadataResponse;
  static constexpr ApiKey kApi = ApiKey::kMetadata;
  std::optional<std::vector<MetadataRequestTopic>> topics;
  bool allow_auto_topic_creation = true;
  bool include_cluster_authorized_operations = false;
  bool include_topic_authorized_operations = false;
  static const StructTable& table();
};

struct MetadataResponse {
  struct MetadataResponseBroker {
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;
    static const StructTable& table();
  };
  struct MetadataResponsePartition {
    int16_t error_code = 0;
    int32_t partition_index = 0;
    int32_t leader_id = 0;
    int32_t leader_epoch = -1;
    std::vector<int32_t> replica_nodes;
    std::vector<int32_t> isr_nodes;
    std::vector<int32_t> offline_replicas;
    static const StructTable& table();
  };
  struct MetadataResponseTopic {
    int16_t error_code = 0;
    std::optional<std::string> name;
    Uuid topic_id;
    bool is_internal = false;
    std::vector<MetadataResponsePartition> partitions;
    int32_t topic_authorized_operations = INT32_MIN;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<MetadataResponseBroker> brokers;
  std::optional<std::string> cluster_id;
  int32_t controller_id = -1;
  std::vector<MetadataResponseTopic> topics;
  int32_t cluster_authorized_operations = INT32_MIN;
  int16_t error_code = 0;
  static const StructTable& table();
};

struct FindCoordinatorRequest {
  using Response = FindCoordinatorResponse;
  static constexpr ApiKey kApi = ApiKey::kFindCoordinator;
  std::string key;
  int8_t key_type = 0;
  std::vector<std::string> coordinator_keys;
  static const StructTable& table();
};

struct FindCoordinatorResponse {
  struct Coordinator {
    std::string key;
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    int16_t error_code = 0;
    std::optional<std::string> error_message;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  int16_t error_code = 0;
  std::optional<std::string> error_message;
  int32_t node_id = 0;
  std::string host;
  int32_t port = 0;
  std::vector<Coordinator> coordinators;
  static const StructTable& table();
};

struct DescribeClusterRequest {
  using Response = DescribeClusterResponse;
  static constexpr ApiKey kApi = ApiKey::kDescribeCluster;
  bool include_cluster_authorized_operations = false;
  int8_t endpoint_type = 1;
  bool include_fenced_brokers = false;
  static const StructTable& table();
};

struct DescribeClusterResponse {
  struct DescribeClusterBroker {
    int32_t broker_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;
    bool is_fenced = false;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  int16_t error_code = 0;
  std::optional<std::string> error_message;
  int8_t endpoint_type = 1;
  std::string cluster_id;
  int32_t controller_id = -1;
  std::vector<DescribeClusterBroker> brokers;
  int32_t cluster_authorized_operations = INT32_MIN;
  static const StructTable& table();
};

}  // namespace yeoul
