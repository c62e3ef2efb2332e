#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// Writing records, and the producer id behind idempotence. Structures and fields bear the names of the protocol's own
// definitions.

namespace yeoul {

struct ProduceResponse;
struct InitProducerIdResponse;

struct ProduceRequest {
  struct PartitionProduceData {
    int32_t index = 0;
    std::string_view records;
    static const StructTable& table();
  };
  struct TopicProduceData {
    std::string name;
    Uuid topic_id;
    std::vector<PartitionProduceData> partition_data;
    static const StructTable& table();
  };
  using Response = ProduceResponse;
  static constexpr ApiKey kApi = ApiKey::kProduce;
  std::optional<std::string> transactional_id;
  int16_t acks = 0;
  int32_t timeout_ms = 0;
  std::vector<TopicProduceData> topic_data;
  static const StructTable& table();
};

struct ProduceResponse {
  struct BatchIndexAndErrorMessage {
    int32_t batch_index = 0;
    std::optional<std::string> batch_index_error_message;
    static const StructTable& table();
  };
  struct LeaderIdAndEpoch {
    int32_t leader_id = -1;
    int32_t leader_epoch = -1;
    static const StructTable& table();
  };
  struct PartitionProduceResponse {
    int32_t index = 0;
    int16_t error_code = 0;
    int64_t base_offset = 0;
    int64_t log_append_time_ms = -1;
    int64_t log_start_offset = -1;
    std::vector<BatchIndexAndErrorMessage> record_errors;
    std::optional<std::string> error_message;
    LeaderIdAndEpoch current_leader;
    static const StructTable& table();
  };
  struct TopicProduceResponse {
    std::string name;
    Uuid topic_id;
    std::vector<PartitionProduceResponse> partition_responses;
    static const StructTable& table();
  };
  struct NodeEndpoint {
    int32_t node_id = 0;
    std::string host;
    int32_t port = 0;
    std::optional<std::string> rack;
    static const StructTable& table();
  };
  std::vector<TopicProduceResponse> responses;
  int32_t throttle_time_ms = 0;
  std::vector<NodeEndpoint> node_endpoints;
  static const StructTable& table();
};

struct InitProducerIdRequest {
  using Response = InitProducerIdResponse;
  static constexpr ApiKey kApi = ApiKey::kInitProducerId;
  std::optional<std::string> transactional_id;
  int32_t transaction_timeout_ms = 0;
  int64_t producer_id = -1;
  int16_t producer_epoch = -1;
  static const StructTable& table();
};

struct InitProducerIdResponse {
  int32_t throttle_time_ms = 0;
  int16_t error_code = 0;
  int64_t producer_id = -1;
  int16_t producer_epoch = 0;
  static const StructTable& table();
};

}  // namespace yeoul
