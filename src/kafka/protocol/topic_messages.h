#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// Topics: creating, deleting, and the configuration of topics and brokers. Structures and fields bear the names of the
// protocol's own definitions.

namespace yeoul {

struct CreateTopicsResponse;
struct DeleteTopicsResponse;
struct DescribeConfigsResponse;

struct CreateTopicsRequest {
  struct CreatableReplicaAssignment {
    int32_t partition_index = 0;
    std::vector<int32_t> broker_ids;
    static const StructTable& table();
  };
  struct CreatableTopicConfig {
    std::string name;
    std::optional<std::string> value;
    static const StructTable& table();
  };
  struct CreatableTopic {
    std::string name;
    int32_t num_partitions = 0;
    int16_t replication_factor = 0;
    std::vector<CreatableReplicaAssignment> assignments;
    std::vector<CreatableTopicConfig> configs;
    static const StructTable& table();
  };
  using Response = CreateTopicsResponse;
  static constexpr ApiKey kApi = ApiKey::kCreateTopics;
  std::vector<CreatableTopic> topics;
  int32_t timeout_ms = 60000;
  bool validate_only = false;
  static const StructTable& table();
};

struct CreateTopicsResponse {
  struct CreatableTopicConfigs {
    std::string name;
    std::optional<std::string> value;
    bool read_only = false;
    int8_t config_source = -1;
    bool is_sensitive = false;
    static const StructTable& table();
  };
  struct CreatableTopicResult {
    std::string name;
    Uuid topic_id;
    int16_t error_code = 0;
    std::optional<std::string> error_message;
    int16_t topic_config_error_code = 0;
    int32_t num_partitions = -1;
    int16_t replication_factor = -1;
    std::vector<CreatableTopicConfigs> configs;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<CreatableTopicResult> topics;
  static const StructTable& table();
};

struct DeleteTopicsRequest {
  struct DeleteTopicState {
    std::optional<std::string> name;
    Uuid topic_id;
    static const StructTable& table();
  };
  using Response = DeleteTopicsResponse;
  static constexpr ApiKey kApi = ApiKey::kDeleteTopics;
  std::vector<DeleteTopicState> topics;
  std::vector<std::string> topic_names;
  int32_t timeout_ms = 0;
  static const StructTable& table();
};

struct DeleteTopicsResponse {
  struct DeletableTopicResult {
    std::optional<std::string> name;
    Uuid topic_id;
    int16_t error_code = 0;
    std::optional<std::string> error_message;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<DeletableTopicResult> responses;
  static const StructTable& table();
};

struct DescribeConfigsRequest {
  struct DescribeConfigsResource {
    int8_t resource_type = 0;
    std::string resource_name;
    std::optional<std::vector<std::string>> configuration_keys;
    static const StructTable& table();
  };
  using Response = DescribeConfigsResponse;
  static constexpr ApiKey kApi = ApiKey::kDescribeConfigs;
  std::vector<DescribeConfigsResource> resources;
  bool include_synonyms = false;
  bool include_documentation = false;
  static const StructTable& table();
};

struct DescribeConfigsResponse {
  struct DescribeConfigsSynonym {
    std::string name;
    std::optional<std::string> value;
    int8_t source = 0;
    static const StructTable& table();
  };
  struct DescribeConfigsResourceResult {
    std::string name;
    std::optional<std::string> value;
    bool read_only = false;
    int8_t config_source = -1;
    bool is_sensitive = false;
    std::vector<DescribeConfigsSynonym> synonyms;
    int8_t config_type = 0;
    std::optional<std::string> documentation;
    static const StructTable& table();
  };
  struct DescribeConfigsResult {
    int16_t error_code = 0;
    std::optional<std::string> error_message;
    int8_t resource_type = 0;
    std::string resource_name;
    std::vector<DescribeConfigsResourceResult> configs;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<DescribeConfigsResult> results;
  static const StructTable& table();
};

}  // namespace yeoul
