#include "yeoul/kafka/protocol/topic_messages.h"

namespace yeoul {

const StructTable& CreateTopicsRequest::CreatableReplicaAssignment::table() {
  using T = CreateTopicsRequest::CreatableReplicaAssignment;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::broker_ids>("BrokerIds", always()),
  };
  static const StructTable kTable = struct_table<T>("CreatableReplicaAssignment", kFields);
  return kTable;
}

const StructTable& CreateTopicsRequest::CreatableTopicConfig::table() {
  using T = CreateTopicsRequest::CreatableTopicConfig;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::value>("Value", always()),
  };
  static const StructTable kTable = struct_table<T>("CreatableTopicConfig", kFields);
  return kTable;
}

const StructTable& CreateTopicsRequest::CreatableTopic::table() {
  using T = CreateTopicsRequest::CreatableTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::num_partitions>("NumPartitions", always()),
      field<&T::replication_factor>("ReplicationFactor", always()),
      field<&T::assignments>("Assignments", always()),
      field<&T::configs>("Configs", always()),
  };
  static const StructTable kTable = struct_table<T>("CreatableTopic", kFields);
  return kTable;
}

const StructTable& CreateTopicsRequest::table() {
  using T = CreateTopicsRequest;
  static constexpr Field kFields[] = {
      field<&T::topics>("Topics", always()),
      field<&T::timeout_ms>("TimeoutMs", always()),
      field<&T::validate_only>("ValidateOnly", always()),
  };
  static const StructTable kTable = struct_table<T>("CreateTopicsRequest", kFields);
  return kTable;
}

const StructTable& CreateTopicsResponse::CreatableTopicConfigs::table() {
  using T = CreateTopicsResponse::CreatableTopicConfigs;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::value>("Value", always()),
      field<&T::read_only>("ReadOnly", always()),
      field<&T::config_source>("ConfigSource", always()),
      field<&T::is_sensitive>("IsSensitive", always()),
  };
  static const StructTable kTable = struct_table<T>("CreatableTopicConfigs", kFields);
  return kTable;
}

const StructTable& CreateTopicsResponse::CreatableTopicResult::table() {
  using T = CreateTopicsResponse::CreatableTopicResult;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::topic_id>("TopicId", since(7)).ignorable(),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::error_message>("ErrorMessage", always()),
      field<&T::topic_config_error_code>("TopicConfigErrorCode", since(5)).tagged(0).ignorable(),
      field<&T::num_partitions>("NumPartitions", since(5)).ignorable(),
      field<&T::replication_factor>("ReplicationFactor", since(5)).ignorable(),
      field<&T::configs>("Configs", since(5)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("CreatableTopicResult", kFields);
  return kTable;
}

const StructTable& CreateTopicsResponse::table() {
  using T = CreateTopicsResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("CreateTopicsResponse", kFields);
  return kTable;
}

const StructTable& DeleteTopicsRequest::DeleteTopicState::table() {
  using T = DeleteTopicsRequest::DeleteTopicState;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::topic_id>("TopicId", always()),
  };
  static const StructTable kTable = struct_table<T>("DeleteTopicState", kFields);
  return kTable;
}

const StructTable& DeleteTopicsRequest::table() {
  using T = DeleteTopicsRequest;
  static constexpr Field kFields[] = {
      field<&T::topics>("Topics", since(6)).ignorable(),
      field<&T::topic_names>("TopicNames", until(5)).ignorable(),
      field<&T::timeout_ms>("TimeoutMs", always()),
  };
  static const StructTable kTable = struct_table<T>("DeleteTopicsRequest", kFields);
  return kTable;
}

const StructTable& DeleteTopicsResponse::DeletableTopicResult::table() {
  using T = DeleteTopicsResponse::DeletableTopicResult;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()).nullable_since(6),
      field<&T::topic_id>("TopicId", since(6)).ignorable(),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::error_message>("ErrorMessage", since(5)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("DeletableTopicResult", kFields);
  return kTable;
}

const StructTable& DeleteTopicsResponse::table() {
  using T = DeleteTopicsResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::responses>("Responses", always()),
  };
  static const StructTable kTable = struct_table<T>("DeleteTopicsResponse", kFields);
  return kTable;
}

const StructTable& DescribeConfigsRequest::DescribeConfigsResource::table() {
  using T = DescribeConfigsRequest::DescribeConfigsResource;
  static constexpr Field kFields[] = {
      field<&T::resource_type>("ResourceType", always()),
      field<&T::resource_name>("ResourceName", always()),
      field<&T::configuration_keys>("ConfigurationKeys", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeConfigsResource", kFields);
  return kTable;
}

const StructTable& DescribeConfigsRequest::table() {
  using T = DescribeConfigsRequest;
  static constexpr Field kFields[] = {
      field<&T::resources>("Resources", always()),
      field<&T::include_synonyms>("IncludeSynonyms", always()),
      field<&T::include_documentation>("IncludeDocumentation", since(3)),
  };
  static const StructTable kTable = struct_table<T>("DescribeConfigsRequest", kFields);
  return kTable;
}

const StructTable& DescribeConfigsResponse::DescribeConfigsSynonym::table() {
  using T = DescribeConfigsResponse::DescribeConfigsSynonym;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::value>("Value", always()),
      field<&T::source>("Source", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeConfigsSynonym", kFields);
  return kTable;
}

const StructTable& DescribeConfigsResponse::DescribeConfigsResourceResult::table() {
  using T = DescribeConfigsResponse::DescribeConfigsResourceResult;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::value>("Value", always()),
      field<&T::read_only>("ReadOnly", always()),
      field<&T::config_source>("ConfigSource", always()),
      field<&T::is_sensitive>("IsSensitive", always()),
      field<&T::synonyms>("Synonyms", always()),
      field<&T::config_type>("ConfigType", since(3)).ignorable(),
      field<&T::documentation>("Documentation", since(3)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("DescribeConfigsResourceResult", kFields);
  return kTable;
}

const StructTable& DescribeConfigsResponse::DescribeConfigsResult::table() {
  using T = DescribeConfigsResponse::DescribeConfigsResult;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::error_message>("ErrorMessage", always()),
      field<&T::resource_type>("ResourceType", always()),
      field<&T::resource_name>("ResourceName", always()),
      field<&T::configs>("Configs", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeConfigsResult", kFields);
  return kTable;
}

const StructTable& DescribeConfigsResponse::table() {
  using T = DescribeConfigsResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::results>("Results", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeConfigsResponse", kFields);
  return kTable;
}

}  // namespace yeoul
