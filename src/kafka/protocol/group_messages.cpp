#include "yeoul/kafka/protocol/group_messages.h"

namespace yeoul {

const StructTable& OffsetCommitRequest::OffsetCommitRequestPartition::table() {
  using T = OffsetCommitRequest::OffsetCommitRequestPartition;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::committed_offset>("CommittedOffset", always()),
      field<&T::committed_leader_epoch>("CommittedLeaderEpoch", always()),
      field<&T::committed_metadata>("CommittedMetadata", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetCommitRequestPartition", kFields);
  return kTable;
}

const StructTable& OffsetCommitRequest::OffsetCommitRequestTopic::table() {
  using T = OffsetCommitRequest::OffsetCommitRequestTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", until(9)).ignorable(),
      field<&T::topic_id>("TopicId", since(10)).ignorable(),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetCommitRequestTopic", kFields);
  return kTable;
}

const StructTable& OffsetCommitRequest::table() {
  using T = OffsetCommitRequest;
  static constexpr Field kFields[] = {
      field<&T::group_id>("GroupId", always()),
      field<&T::generation_id_or_member_epoch>("GenerationIdOrMemberEpoch", always()),
      field<&T::member_id>("MemberId", always()),
      field<&T::group_instance_id>("GroupInstanceId", since(7)),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetCommitRequest", kFields);
  return kTable;
}

const StructTable& OffsetCommitResponse::OffsetCommitResponsePartition::table() {
  using T = OffsetCommitResponse::OffsetCommitResponsePartition;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::error_code>("ErrorCode", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetCommitResponsePartition", kFields);
  return kTable;
}

const StructTable& OffsetCommitResponse::OffsetCommitResponseTopic::table() {
  using T = OffsetCommitResponse::OffsetCommitResponseTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", until(9)).ignorable(),
      field<&T::topic_id>("TopicId", since(10)).ignorable(),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetCommitResponseTopic", kFields);
  return kTable;
}

const StructTable& OffsetCommitResponse::table() {
  using T = OffsetCommitResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetCommitResponse", kFields);
  return kTable;
}

const StructTable& OffsetFetchRequest::OffsetFetchRequestTopic::table() {
  using T = OffsetFetchRequest::OffsetFetchRequestTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::partition_indexes>("PartitionIndexes", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchRequestTopic", kFields);
  return kTable;
}

const StructTable& OffsetFetchRequest::OffsetFetchRequestTopics::table() {
  using T = OffsetFetchRequest::OffsetFetchRequestTopics;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", until(9)).ignorable(),
      field<&T::topic_id>("TopicId", since(10)).ignorable(),
      field<&T::partition_indexes>("PartitionIndexes", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchRequestTopics", kFields);
  return kTable;
}

const StructTable& OffsetFetchRequest::OffsetFetchRequestGroup::table() {
  using T = OffsetFetchRequest::OffsetFetchRequestGroup;
  static constexpr Field kFields[] = {
      field<&T::group_id>("GroupId", always()),
      field<&T::member_id>("MemberId", since(9)).ignorable(),
      field<&T::member_epoch>("MemberEpoch", since(9)).ignorable(),
      field<&T::topics>("Topics", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchRequestGroup", kFields);
  return kTable;
}

const StructTable& OffsetFetchRequest::table() {
  using T = OffsetFetchRequest;
  static constexpr Field kFields[] = {
      field<&T::group_id>("GroupId", until(7)).ignorable(),
      field<&T::topics>("Topics", until(7)).ignorable(),
      field<&T::groups>("Groups", since(8)).ignorable(),
      field<&T::require_stable>("RequireStable", since(7)).ignorable(),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchRequest", kFields);
  return kTable;
}

const StructTable& OffsetFetchResponse::OffsetFetchResponsePartition::table() {
  using T = OffsetFetchResponse::OffsetFetchResponsePartition;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::committed_offset>("CommittedOffset", always()),
      field<&T::committed_leader_epoch>("CommittedLeaderEpoch", always()),
      field<&T::metadata>("Metadata", always()),
      field<&T::error_code>("ErrorCode", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchResponsePartition", kFields);
  return kTable;
}

const StructTable& OffsetFetchResponse::OffsetFetchResponseTopic::table() {
  using T = OffsetFetchResponse::OffsetFetchResponseTopic;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", always()),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchResponseTopic", kFields);
  return kTable;
}

const StructTable& OffsetFetchResponse::OffsetFetchResponsePartitions::table() {
  using T = OffsetFetchResponse::OffsetFetchResponsePartitions;
  static constexpr Field kFields[] = {
      field<&T::partition_index>("PartitionIndex", always()),
      field<&T::committed_offset>("CommittedOffset", always()),
      field<&T::committed_leader_epoch>("CommittedLeaderEpoch", always()),
      field<&T::metadata>("Metadata", always()),
      field<&T::error_code>("ErrorCode", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchResponsePartitions", kFields);
  return kTable;
}

const StructTable& OffsetFetchResponse::OffsetFetchResponseTopics::table() {
  using T = OffsetFetchResponse::OffsetFetchResponseTopics;
  static constexpr Field kFields[] = {
      field<&T::name>("Name", until(9)).ignorable(),
      field<&T::topic_id>("TopicId", since(10)).ignorable(),
      field<&T::partitions>("Partitions", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchResponseTopics", kFields);
  return kTable;
}

const StructTable& OffsetFetchResponse::OffsetFetchResponseGroup::table() {
  using T = OffsetFetchResponse::OffsetFetchResponseGroup;
  static constexpr Field kFields[] = {
      field<&T::group_id>("GroupId", always()),
      field<&T::topics>("Topics", always()),
      field<&T::error_code>("ErrorCode", always()),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchResponseGroup", kFields);
  return kTable;
}

const StructTable& OffsetFetchResponse::table() {
  using T = OffsetFetchResponse;
  static constexpr Field kFields[] = {
      field<&T::throttle_time_ms>("ThrottleTimeMs", always()),
      field<&T::topics>("Topics", until(7)),
      field<&T::error_code>("ErrorCode", until(7)).ignorable(),
      field<&T::groups>("Groups", since(8)),
  };
  static const StructTable kTable = struct_table<T>("OffsetFetchResponse", kFields);
  return kTable;
}

}  // namespace yeoul
