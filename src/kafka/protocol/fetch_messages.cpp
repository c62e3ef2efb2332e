#include "yeoul/kafka/protocol/fetch_messages.h"

namespace yeoul {

const StructTable& FetchRequest::FetchPartition::table() {
  using T = FetchRequest::FetchPartition;
  static constexpr Field kFields[] = {
      field<&T::partition>("Partition", always()),
      field<&T::current_leader_epoch>("CurrentLeaderEpoch", always()),
      field<&T::fetch_offset>("FetchOffset", always()),
      field<&T::last_fetched_epoch>("LastFetchedEpoch", since(12)).ignorable(),
      field<&T::log_start_offset>("LogStartOffset", always()),
      field<&T::partition_max_bytes>("PartitionMaxBytes", always()),
  };
  static const StructTable kTable = struct_table<T>("FetchPartition", kFields);
  return kTable;
}

const StructTable& FetchRequest::FetchTopic::table() {
  using T = FetchRequest::FetchTopic;
  static constexpr Field kFields[] = {
      field<&T::topic>("Topic", until(12)).ignorable(),
      field<&T::topic_id>("TopicId", since(13)).ignorable(),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("FetchTopic", kFields);
  return kTable;
}

const StructTable& FetchRequest::ForgottenTopic::table() {
  using T = FetchRequest::ForgottenTopic;
  static constexpr Field kFields[] = {
      field<&T::topic>("Topic", until(12)).ignorable(),
      field<&T::topic_id>("TopicId", since(13)).ignorable(),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("ForgottenTopic", kFields);
  return kTable;
}

const StructTable& FetchRequest::table() {
  using T = FetchRequest;
  static constexpr Field kFields[] = {
      field<&T::replica_id>("ReplicaId", until(14)),
      field<&T::max_wait_ms>("MaxWaitMs", always()),
      field<&T::min_bytes>("MinBytes", always()),
      field<&T::max_bytes>("MaxBytes", always()),
      field<&T::isolation_level>("IsolationLevel", always()),
      field<&T::session_id>("SessionId", always()),
      field<&T::session_epoch>("SessionEpoch", always()),
      field<&T::topics>("Topics", always()),
      field<&T::forgotten_topics_data>("ForgottenTopicsData", always()),
      field<&T::rack_id>("RackId", since(11)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("FetchRequest", kFields);
  return kTable;
}

const StructTable& FetchResponse::EpochEndOffset::table() {
  using T = FetchResponse::EpochEndOffset;
  static constexpr Field kFields[] = {
      field<&T::epoch>("Epoch", always()),
      field<&T::end_offset>("EndOffset", always()),
  };
  static const StructTable kTable = struct_table<T>("EpochEndOffset", kFields);
  return kTable;
}

const StructTable& FetchResponse::LeaderIdAndEpoch::table() {
  using T = FetchResponse::LeaderIdAndEpoch;
  static constexpr Field kFields[] = {
      field<&T::leader_id>("LeaderId", always()),
      field<&T::leader_epoch>("LeaderEpoch", always()),
  };
  static const StructTable kTable = struct_table<T>("LeaderIdAndEpoch", kFields);
  return kTable;
}

const StructTable& FetchResponse::AbortedTransaction::table() {
  using T = FetchResponse::AbortedTransaction;
  static constexpr Field kFields[] = {
      field<&T::producer_id>("ProducerId", always()),
      field<&T::first_offset>("FirstOffset", always()),
  };
  static const StructTable kTable = struct_table<T>("AbortedTransaction", kFields);
  return kTable;
}

const StructTable& FetchResponse::PartitionData::table() {
  using T = FetchResponse::PartitionData;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::high_watermark>("HighWatermark", always()),
      field<&T::last_stable_offset>("LastStableOffset", always()),
      field<&T::log_start_offset>("LogStartOffset", always()),
      field<&T::diverging_epoch>("DivergingEpoch", since(12)).tagged(0),
      field<&T::current_leader>("CurrentLeader", since(12)).tagged(1),
      field<&T::aborted_transactions>("AbortedTransactions", always()),
      field<&T::preferred_read_replica>("PreferredReadReplica", since(11)),
      field<&T::records>("Records", always()),
  };
  static const StructTable kTable = struct_table<T>("PartitionData", kFields);
  return kTable;
}

const StructTable& FetchResponse::FetchableTopicResponse::table() {
  using T = FetchResponse::FetchableTopicResponse;
  static constexpr Field kFields[] = {
      field<&T::topic>("Topic", until(12)).ignorable(),
      field<&T::topic_id>("TopicId", since(13)).ignorable(),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("FetchableTopicResponse", kFields);
  return kTable;
}

const StructTable& FetchResponse::NodeEndpoint::table() {
  using T = FetchResponse::NodeEndpoint;
  static constexpr Field kFields[] = {
      field<&T::node_id>("NodeId", always()),
      field<&T::host>("Host", always()),
      field<&T::port>("Port", always()),
      field<&T::rack>("Rack", always()),
  };
  static const StructTable kTable = struct_table<T>("NodeEndpoint", kFields);
  return kTable;
}

const StructTable& FetchResponse::table() {
  using T = FetchResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::session_id>("SessionId", always()),
      field<&T::responses>("Responses", always()),
      field<&T::node_endpoints>("NodeEndpoints", since(16)).tagged(0),
  };
  static const StructTable kTable = struct_table<T>("FetchResponse", kFields);
  return kTable;
}

const StructTable& ListOffsetsRequest::ListOffsetsPartition::table() {
  using T = ListOffsetsRequest::ListOffsetsPartition;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::current_leader_epoch>("CurrentLeaderEpoch", always()),
      field<&T::timestamp>("Timestamp", always()),
  };
  static const StructTable kTable = struct_table<T>("ListOffsetsPartition", kFields);
  return kTable;
}

const StructTable& ListOffsetsRequest::ListOffsetsTopic::table() {
  using T = ListOffsetsRequest::ListOffsetsTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("ListOffsetsTopic", kFields);
  return kTable;
}

const StructTable& ListOffsetsRequest::table() {
  using T = ListOffsetsRequest;
  static constexpr Field kFields[] = {
      field<&T::replica_id>("ReplicaId", always()),
      field<&T::isolation_level>("IsolationLevel", always()),
      field<&T::topics>("Topics", always()),
      field<&T::timeout_ms>("TimeoutMs", since(10)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("ListOffsetsRequest", kFields);
  return kTable;
}

const StructTable& ListOffsetsResponse::ListOffsetsPartitionResponse::table() {
  using T = ListOffsetsResponse::ListOffsetsPartitionResponse;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::error_code>("ErrorCode", always()),
      field<&T::timestamp>("Timestamp", always()),
      field<&T::offset>("Offset", always()),
      field<&T::leader_epoch>("LeaderEpoch", always()),
  };
  static const StructTable kTable = struct_table<T>("ListOffsetsPartitionResponse", kFields);
  return kTable;
}

const StructTable& ListOffsetsResponse::ListOffsetsTopicResponse::table() {
  using T = ListOffsetsResponse::ListOffsetsTopicResponse;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("ListOffsetsTopicResponse", kFields);
  return kTable;
}

const StructTable& ListOffsetsResponse::table() {
  using T = ListOffsetsResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("ListOffsetsResponse", kFields);
  return kTable;
}

const StructTable& OffsetForLeaderEpochRequest::OffsetForLeaderPartition::table() {
  using T = OffsetForLeaderEpochRequest::OffsetForLeaderPartition;
  static constexpr Field kFields[] = {
      field<&T::partition>("Partition", always()),
      field<&T::current_leader_epoch>("CurrentLeaderEpoch", always()),
      field<&T::leader_epoch>("LeaderEpoch", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetForLeaderPartition", kFields);
  return kTable;
}

const StructTable& OffsetForLeaderEpochRequest::OffsetForLeaderTopic::table() {
  using T = OffsetForLeaderEpochRequest::OffsetForLeaderTopic;
  static constexpr Field kFields[] = {
      field<&T::topic>("Topic", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetForLeaderTopic", kFields);
  return kTable;
}

const StructTable& OffsetForLeaderEpochRequest::table() {
  using T = OffsetForLeaderEpochRequest;
  static constexpr Field kFields[] = {
      field<&T::replica_id>("ReplicaId", since(3)).ignorable(),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetForLeaderEpochRequest", kFields);
  return kTable;
}

const StructTable& OffsetForLeaderEpochResponse::EpochEndOffset::table() {
  using T = OffsetForLeaderEpochResponse::EpochEndOffset;
  static constexpr Field kFields[] = {
      field<&T::error_code>("ErrorCode", always()),
      field<&T::partition>("Partition", always()),
      field<&T::leader_epoch>("LeaderEpoch", always()),
      field<&T::end_offset>("EndOffset", always()),
  };
  static const StructTable kTable = struct_table<T>("EpochEndOffset", kFields);
  return kTable;
}

const StructTable& OffsetForLeaderEpochResponse::OffsetForLeaderTopicResult::table() {
  using T = OffsetForLeaderEpochResponse::OffsetForLeaderTopicResult;
  static constexpr Field kFields[] = {
      field<&T::topic>("Topic", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetForLeaderTopicResult", kFields);
  return kTable;
}

const StructTable& OffsetForLeaderEpochResponse::table() {
  using T = OffsetForLeaderEpochResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetForLeaderEpochResponse", kFields);
  return kTable;
}

}  // namespace yeoul
