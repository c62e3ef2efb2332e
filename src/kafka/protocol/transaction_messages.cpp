#include "yeoul/kafka/protocol/transaction_messages.h"

namespace yeoul {

const StructTable& AddPartitionsToTxnRequest::AddPartitionsToTxnTopic::table() {
  using T = AddPartitionsToTxnRequest::AddPartitionsToTxnTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("AddPartitionsToTxnTopic", kFields);
  return kTable;
}

const StructTable& AddPartitionsToTxnRequest::table() {
  using T = AddPartitionsToTxnRequest;
  static constexpr Field kFields[] = {
      field<&T::transactional_id>("V3AndBelowTransactionalId", always()),
      field<&T::producer_id>("V3AndBelowProducerId", always()),
      field<&T::producer_epoch>("V3AndBelowProducerEpoch", always()),
      field<&T::topics>("V3AndBelowTopics", always()),
  };
  static const StructTable kTable = struct_table<T>("AddPartitionsToTxnRequest", kFields);
  return kTable;
}

const StructTable& AddPartitionsToTxnResponse::AddPartitionsToTxnPartitionResult::table() {
  using T = AddPartitionsToTxnResponse::AddPartitionsToTxnPartitionResult;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::partition_error_code>("PartitionErrorCode", always()),
  };
  static const StructTable kTable = struct_table<T>("AddPartitionsToTxnPartitionResult", kFields);
  return kTable;
}

const StructTable& AddPartitionsToTxnResponse::AddPartitionsToTxnTopicResult::table() {
  using T = AddPartitionsToTxnResponse::AddPartitionsToTxnTopicResult;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::results_by_partition>("ResultsByPartition", always()),
  };
  static const StructTable kTable = struct_table<T>("AddPartitionsToTxnTopicResult", kFields);
  return kTable;
}

const StructTable& AddPartitionsToTxnResponse::table() {
  using T = AddPartitionsToTxnResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::results_by_topic>("ResultsByTopicV3AndBelow", always()),
  };
  static const StructTable kTable = struct_table<T>("AddPartitionsToTxnResponse", kFields);
  return kTable;
}

const StructTable& EndTxnRequest::table() {
  using T = EndTxnRequest;
  static constexpr Field kFields[] = {
      field<&T::transactional_id>("TransactionalId", always()),
      field<&T::producer_id>("ProducerId", always()),
      field<&T::producer_epoch>("ProducerEpoch", always()),
      field<&T::committed>("Committed", always()),
  };
  static const StructTable kTable = struct_table<T>("EndTxnRequest", kFields);
  return kTable;
}

const StructTable& EndTxnResponse::table() {
  using T = EndTxnResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::producer_id>("ProducerId", since(5)).ignorable(),
      field<&T::producer_epoch>("ProducerEpoch", since(5)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("EndTxnResponse", kFields);
  return kTable;
}

const StructTable& DescribeTransactionsRequest::table() {
  using T = DescribeTransactionsRequest;
  static constexpr Field kFields[] = {
      field<&T::transactional_ids>("TransactionalIds", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeTransactionsRequest", kFields);
  return kTable;
}

const StructTable& DescribeTransactionsResponse::TopicData::table() {
  using T = DescribeTransactionsResponse::TopicData;
  static constexpr Field kFields[] = {
      field<&T::topic>("Topic", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("TopicData", kFields);
  return kTable;
}

const StructTable& DescribeTransactionsResponse::TransactionState::table() {
  using T = DescribeTransactionsResponse::TransactionState;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::transactional_id>("TransactionalId", always()),
      field<&T::transaction_state>("TransactionState", always()),
      field<&T::transaction_timeout_ms>("TransactionTimeoutMs", always()),
      field<&T::transaction_start_time_ms>("TransactionStartTimeMs", always()),
      field<&T::producer_id>("ProducerId", always()),
      field<&T::producer_epoch>("ProducerEpoch", always()),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("TransactionState", kFields);
  return kTable;
}

const StructTable& DescribeTransactionsResponse::table() {
  using T = DescribeTransactionsResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::transaction_states>("TransactionStates", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeTransactionsResponse", kFields);
  return kTable;
}

const StructTable& ListTransactionsRequest::table() {
  using T = ListTransactionsRequest;
  static constexpr Field kFields[] = {
      field<&T::state_filters>("StateFilters", always()),
      field<&T::producer_id_filters>("ProducerIdFilters", always()),
      field<&T::duration_filter>("DurationFilter", since(1)),
      field<&T::transactional_id_pattern>("TransactionalIdPattern", since(2)),
  };
  static const StructTable kTable = struct_table<T>("ListTransactionsRequest", kFields);
  return kTable;
}

const StructTable& ListTransactionsResponse::TransactionState::table() {
  using T = ListTransactionsResponse::TransactionState;
  static constexpr Field kFields[] = {
      field<&T::transactional_id>("TransactionalId", always()),
      field<&T::producer_id>("ProducerId", always()),
      field<&T::transaction_state>("TransactionState", always()),
  };
  static const StructTable kTable = struct_table<T>("TransactionState", kFields);
  return kTable;
}

const StructTable& ListTransactionsResponse::table() {
  using T = ListTransactionsResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::unknown_state_filters>("UnknownStateFilters", always()),
      field<&T::transaction_states>("TransactionStates", always()),
  };
  static const StructTable kTable = struct_table<T>("ListTransactionsResponse", kFields);
  return kTable;
}

}  // namespace yeoul
