#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/kafka/protocol/api_key.h"
#include "yeoul/kafka/protocol/struct_table.h"

// Transactions: partitions, ends, what is known of them. Structures and fields bear the names of the protocol's own
// definitions.

namespace yeoul {

struct AddPartitionsToTxnResponse;
struct EndTxnResponse;
struct DescribeTransactionsResponse;
struct ListTransactionsResponse;

struct AddPartitionsToTxnRequest {
  struct AddPartitionsToTxnTopic {
    std::string name;
    std::vector<int32_t> partitions;
    static const StructTable& table();
  };
  using Response = AddPartitionsToTxnResponse;
  static constexpr ApiKey kApi = ApiKey::kAddPartitionsToTxn;
  std::string transactional_id;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  std::vector<AddPartitionsToTxnTopic> topics;
  static const StructTable& table();
};

struct AddPartitionsToTxnResponse {
  struct AddPartitionsToTxnPartitionResult {
    int32_t partition_index = 0;
    int16_t partition_error_code = 0;
    static const StructTable& table();
  };
  struct AddPartitionsToTxnTopicResult {
    std::string name;
    std::vector<AddPartitionsToTxnPartitionResult> results_by_partition;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<AddPartitionsToTxnTopicResult> results_by_topic;
  static const StructTable& table();
};

struct EndTxnRequest {
  using Response = EndTxnResponse;
  static constexpr ApiKey kApi = ApiKey::kEndTxn;
  std::string transactional_id;
  int64_t producer_id = 0;
  int16_t producer_epoch = 0;
  bool committed = false;
  static const StructTable& table();
};

struct EndTxnResponse {
  int32_t throttle_time_ms = 0;
  int16_t error_code = 0;
  int64_t producer_id = -1;
  int16_t producer_epoch = -1;
  static const StructTable& table();
};

struct DescribeTransactionsRequest {
  using Response = DescribeTransactionsResponse;
  static constexpr ApiKey kApi = ApiKey::kDescribeTransactions;
  std::vector<std::string> transactional_ids;
  static const StructTable& table();
};

struct DescribeTransactionsResponse {
  struct TopicData {
    std::string topic;
    std::vector<int32_t> partitions;
    static const StructTable& table();
  };
  struct TransactionState {
    int16_t error_code = 0;
    std::string transactional_id;
    std::string transaction_state;
    int32_t transaction_timeout_ms = 0;
    int64_t transaction_start_time_ms = 0;
    int64_t producer_id = 0;
    int16_t producer_epoch = 0;
    std::vector<TopicData> topics;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  std::vector<TransactionState> transaction_states;
  static const StructTable& table();
};

struct ListTransactionsRequest {
  using Response = ListTransactionsResponse;
  static constexpr ApiKey kApi = ApiKey::kListTransactions;
  std::vector<std::string> state_filters;
  std::vector<int64_t> producer_id_filters;
  int64_t duration_filter = -1;
  std::optional<std::string> transactional_id_pattern;
  static const StructTable& table();
};

struct ListTransactionsResponse {
  struct TransactionState {
    std::string transactional_id;
    int64_t producer_id = 0;
    std::string transaction_state;
    static const StructTable& table();
  };
  int32_t throttle_time_ms = 0;
  int16_t error_code = 0;
  std::vector<std::string> unknown_state_filters;
  std::vector<TransactionState> transaction_states;
  static const StructTable& table();
};

}  // namespace yeoul
