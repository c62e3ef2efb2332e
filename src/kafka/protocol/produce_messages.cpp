#include "yeoul/kafka/protocol/produce_messages.h"

namespace yeoul {

const StructTable& ProduceRequest::PartitionProduceData::table() {
  using T = ProduceRequest::PartitionProduceData;
  static constexpr Field kFields[] = {
      field<&T::index>("Index", always()),
      field<&T::records>("Records", always()),
  };
  static const StructTable kTable = struct_table<T>("PartitionProduceData", kFields);
  return kTable;
}

const StructTable& ProduceRequest::TopicProduceData::table() {
  using T = ProduceRequest::TopicProduceData;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", until(12)).ignorable(),
      field<&T::topic_id>("TopicId", since(13)).ignorable(),
      field<&T::partition_data>("PartitionData", always()),
  };
  static const StructTable kTable = struct_table<T>("TopicProduceData", kFields);
  return kTable;
}

const StructTable& ProduceRequest::table() {
  using T = ProduceRequest;
  static constexpr Field kFields[] = {
      field<&T::transactional_id>("TransactionalId", always()),
      field<&T::acks>("Acks", always()),
      field<&T::timeout_ms>("TimeoutMs", always()),
      field<&T::topic_data>("TopicData", always()),
  };
  static const StructTable kTable = struct_table<T>("ProduceRequest", kFields);
  return kTable;
}

const StructTable& ProduceResponse::BatchIndexAndErrorMessage::table() {
  using T = ProduceResponse::BatchIndexAndErrorMessage;
  static constexpr Field kFields[] = {
      field<&T::batch_index>("BatchIndex", always()),
      field<&T::batch_index_error_message>("BatchIndexErrorMessage", always()),
  };
  static const StructTable kTable = struct_table<T>("BatchIndexAndErrorMessage", kFields);
  return kTable;
}

const StructTable& ProduceResponse::LeaderIdAndEpoch::table() {
  using T = ProduceResponse::LeaderIdAndEpoch;
  static constexpr Field kFields[] = {
      field<&T::leader_id>("LeaderId", always()),
      field<&T::leader_epoch>("LeaderEpoch", always()),
  };
  static const StructTable kTable = struct_table<T>("LeaderIdAndEpoch", kFields);
  return kTable;
}

const StructTable& ProduceResponse::PartitionProduceResponse::table() {
  using T = ProduceResponse::PartitionProduceResponse;
  static constexpr Field kFields[] = {
      field<&T::index>("Index", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::base_offset>("BaseOffset", always()),
      field<&T::log_append_time_ms>("LogAppendTimeMs", always()),
      field<&T::log_start_offset>("LogStartOffset", always()),
      field<&T::record_errors>("RecordErrors", since(8)).ignorable(),
      field<&T::error_message>("ErrorMessage", since(8)).ignorable(),
      field<&T::current_leader>("CurrentLeader", since(10)).tagged(0),
  };
  static const StructTable kTable = struct_table<T>("PartitionProduceResponse", kFields);
  return kTable;
}

const StructTable& ProduceResponse::TopicProduceResponse::table() {
  using T = ProduceResponse::TopicProduceResponse;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", until(12)).ignorable(),
      field<&T::topic_id>("TopicId", since(13)).ignorable(),
      field<&T::partition_responses>("PartitionResponses", always()),
  };
  static const StructTable kTable = struct_table<T>("TopicProduceResponse", kFields);
  return kTable;
}

const StructTable& ProduceResponse::NodeEndpoint::table() {
  using T = ProduceResponse::NodeEndpoint;
  static constexpr Field kFields[] = {
      field<&T::node_id>("NodeId", always()),
      field<&T::host>("Host", always()),
      field<&T::port>("Port", always()),
      field<&T::rack>("Rack", always()),
  };
  static const StructTable kTable = struct_table<T>("NodeEndpoint", kFields);
  return kTable;
}

const StructTable& ProduceResponse::table() {
  using T = ProduceResponse;
  static constexpr Field kFields[] = {
      field<&T::responses>("Responses", always()),
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::node_endpoints>("NodeEndpoints", since(10)).tagged(0),
  };
  static const StructTable kTable = struct_table<T>("ProduceResponse", kFields);
  return kTable;
}

const StructTable& InitProducerIdRequest::table() {
  using T = InitProducerIdRequest;
  static constexpr Field kFields[] = {
      field<&T::transactional_id>("TransactionalId", always()),
      field<&T::transaction_timeout_ms>("TransactionTimeoutMs", always()),
      field<&T::producer_id>("ProducerId", since(3)).ignorable(),
      field<&T::producer_epoch>("ProducerEpoch", since(3)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("InitProducerIdRequest", kFields);
  return kTable;
}

const StructTable& InitProducerIdResponse::table() {
  using T = InitProducerIdResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::producer_id>("ProducerId", always()),
      field<&T::producer_epoch>("ProducerEpoch", always()),
  };
  static const StructTable kTable = struct_table<T>("InitProducerIdResponse", kFields);
  return kTable;
}

}  // namespace yeoul
