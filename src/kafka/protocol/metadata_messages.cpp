#include "yeoul/kafka/protocol/metadata_messages.h"

namespace yeoul {

const StructTable& MetadataRequest::MetadataRequestTopic::table() {
  using T = MetadataRequest::MetadataRequestTopic;
  static constexpr Field kFields[] = {
      field<&T::topic_id>("TopicId", since(10)).ignorable(),
      field<&T::name>("Name", always()).nullable_since(10),
  };
  static const StructTable kTable = struct_table<T>("MetadataRequestTopic", kFields);
  return kTable;
}

const StructTable& MetadataRequest::table() {
  using T = MetadataRequest;
  static constexpr Field kFields[] = {
      field<&T::topics>("Topics", always()),
      field<&T::allow_auto_topic_creation>("AllowAutoTopicCreation", always()),
      field<&T::include_cluster_authorized_operations>("IncludeClusterAuthorizedOperations", between(8, 10)),
      field<&T::include_topic_authorized_operations>("IncludeTopicAuthorizedOperations", since(8)),
  };
  static const StructTable kTable = struct_table<T>("MetadataRequest", kFields);
  return kTable;
}

const StructTable& MetadataResponse::MetadataResponseBroker::table() {
  using T = MetadataResponse::MetadataResponseBroker;
  static constexpr Field kFields[] = {
      field<&T::node_id>("NodeId", always()),
      field<&T::host>("Host", always()),
      field<&T::port>("Port", always()),
      field<&T::rack>("Rack", always()),
  };
  static const StructTable kTable = struct_table<T>("MetadataResponseBroker", kFields);
  return kTable;
}

const StructTable& MetadataResponse::MetadataResponsePartition::table() {
  using T = MetadataResponse::MetadataResponsePartition;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::leader_id>("LeaderId", always()),
      field<&T::leader_epoch>("LeaderEpoch", always()),
      field<&T::replica_nodes>("ReplicaNodes", always()),
      field<&T::isr_nodes>("IsrNodes", always()),
      field<&T::offline_replicas>("OfflineReplicas", always()),
  };
  static const StructTable kTable = struct_table<T>("MetadataResponsePartition", kFields);
  return kTable;
}

const StructTable& MetadataResponse::MetadataResponseTopic::table() {
  using T = MetadataResponse::MetadataResponseTopic;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::name>("Name", always()).nullable_since(12),
      field<&T::topic_id>("TopicId", since(10)).ignorable(),
      field<&T::is_internal>("IsInternal", always()),
      field<&T::partitions>("Partitions", always()),
      field<&T::topic_authorized_operations>("TopicAuthorizedOperations", since(8)),
  };
  static const StructTable kTable = struct_table<T>("MetadataResponseTopic", kFields);
  return kTable;
}

const StructTable& MetadataResponse::table() {
  using T = MetadataResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::brokers>("Brokers", always()),
      field<&T::cluster_id>("ClusterId", always()),
      field<&T::controller_id>("ControllerId", always()),
      field<&T::topics>("Topics", always()),
      field<&T::cluster_authorized_operations>("ClusterAuthorizedOperations", between(8, 10)),
      field<&T::error_code>("ErrorCode", since(13)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("MetadataResponse", kFields);
  return kTable;
}

const StructTable& FindCoordinatorRequest::table() {
  using T = FindCoordinatorRequest;
  static constexpr Field kFields[] = {
      field<&T::key>("Key", until(3)).ignorable(),
      field<&T::key_type>("KeyType", always()),
      field<&T::coordinator_keys>("CoordinatorKeys", since(4)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("FindCoordinatorRequest", kFields);
  return kTable;
}

const StructTable& FindCoordinatorResponse::Coordinator::table() {
  using T = FindCoordinatorResponse::Coordinator;
  static constexpr Field kFields[] = {
      field<&T::key>("Key", always()),
      field<&T::node_id>("NodeId", always()),
      field<&T::host>("Host", always()),
      field<&T::port>("Port", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::error_message>("ErrorMessage", always()),
  };
  static const StructTable kTable = struct_table<T>("Coordinator", kFields);
  return kTable;
}

const StructTable& FindCoordinatorResponse::table() {
  using T = FindCoordinatorResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::error_code>("ErrorCode", until(3)),
      field<&T::error_message>("ErrorMessage", until(3)).ignorable(),
      field<&T::node_id>("NodeId", until(3)),
      field<&T::host>("Host", until(3)),
      field<&T::port>("Port", until(3)),
      field<&T::coordinators>("Coordinators", since(4)),
  };
  static const StructTable kTable = struct_table<T>("FindCoordinatorResponse", kFields);
  return kTable;
}

const StructTable& DescribeClusterRequest::table() {
  using T = DescribeClusterRequest;
  static constexpr Field kFields[] = {
      field<&T::include_cluster_authorized_operations>("IncludeClusterAuthorizedOperations", always()),
      field<&T::endpoint_type>("EndpointType", since(1)),
      field<&T::include_fenced_brokers>("IncludeFencedBrokers", since(2)),
  };
  static const StructTable kTable = struct_table<T>("DescribeClusterRequest", kFields);
  return kTable;
}

const StructTable& DescribeClusterResponse::DescribeClusterBroker::table() {
  using T = DescribeClusterResponse::DescribeClusterBroker;
  static constexpr Field kFields[] = {
      field<&T::broker_id>("BrokerId", always()), field<&T::host>("Host", always()),
      field<&T::port>("Port", always()),          field<&T::rack>("Rack", always()),
      field<&T::is_fenced>("IsFenced", since(2)),
  };
  static const StructTable kTable = struct_table<T>("DescribeClusterBroker", kFields);
  return kTable;
}

const StructTable& DescribeClusterResponse::table() {
  using T = DescribeClusterResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::error_message>("ErrorMessage", always()),
      field<&T::endpoint_type>("EndpointType", since(1)),
      field<&T::cluster_id>("ClusterId", always()),
      field<&T::controller_id>("ControllerId", always()),
      field<&T::brokers>("Brokers", always()),
      field<&T::cluster_authorized_operations>("ClusterAuthorizedOperations", always()),
  };
  static const StructTable kTable = struct_table<T>("DescribeClusterResponse", kFields);
  return kTable;
}

}  // namespace yeoul
