#include "yeoul/kafka/protocol/kafka_error.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace yeoul {
namespace {

enum class Outlook : uint8_t { kFinal, kRetriable, kStaleMetadata };

struct ErrorRow {
  KafkaError error;
  std::string_view name;
  Outlook outlook = Outlook::kFinal;
};

constexpr ErrorRow kErrors[] = {
    {KafkaError::kUnknownServerError, "UNKNOWN_SERVER_ERROR"},
    {KafkaError::kNone, "NONE"},
    {KafkaError::kOffsetOutOfRange, "OFFSET_OUT_OF_RANGE"},
    {KafkaError::kCorruptMessage, "CORRUPT_MESSAGE", Outlook::kRetriable},
    {KafkaError::kUnknownTopicOrPartition, "UNKNOWN_TOPIC_OR_PARTITION", Outlook::kStaleMetadata},
    {KafkaError::kInvalidFetchSize, "INVALID_FETCH_SIZE"},
    {KafkaError::kLeaderNotAvailable, "LEADER_NOT_AVAILABLE", Outlook::kStaleMetadata},
    {KafkaError::kNotLeaderOrFollower, "NOT_LEADER_OR_FOLLOWER", Outlook::kStaleMetadata},
    {KafkaError::kRequestTimedOut, "REQUEST_TIMED_OUT", Outlook::kRetriable},
    {KafkaError::kBrokerNotAvailable, "BROKER_NOT_AVAILABLE"},
    {KafkaError::kReplicaNotAvailable, "REPLICA_NOT_AVAILABLE", Outlook::kStaleMetadata},
    {KafkaError::kMessageTooLarge, "MESSAGE_TOO_LARGE"},
    {KafkaError::kStaleControllerEpoch, "STALE_CONTROLLER_EPOCH"},
    {KafkaError::kOffsetMetadataTooLarge, "OFFSET_METADATA_TOO_LARGE"},
    {KafkaError::kNetworkException, "NETWORK_EXCEPTION", Outlook::kStaleMetadata},
    {KafkaError::kCoordinatorLoadInProgress, "COORDINATOR_LOAD_IN_PROGRESS", Outlook::kRetriable},
    {KafkaError::kCoordinatorNotAvailable, "COORDINATOR_NOT_AVAILABLE", Outlook::kRetriable},
    {KafkaError::kNotCoordinator, "NOT_COORDINATOR", Outlook::kRetriable},
    {KafkaError::kInvalidTopicException, "INVALID_TOPIC_EXCEPTION"},
    {KafkaError::kRecordListTooLarge, "RECORD_LIST_TOO_LARGE"},
    {KafkaError::kNotEnoughReplicas, "NOT_ENOUGH_REPLICAS", Outlook::kRetriable},
    {KafkaError::kNotEnoughReplicasAfterAppend, "NOT_ENOUGH_REPLICAS_AFTER_APPEND", Outlook::kRetriable},
    {KafkaError::kInvalidRequiredAcks, "INVALID_REQUIRED_ACKS"},
    {KafkaError::kIllegalGeneration, "ILLEGAL_GENERATION"},
    {KafkaError::kInconsistentGroupProtocol, "INCONSISTENT_GROUP_PROTOCOL"},
    {KafkaError::kInvalidGroupId, "INVALID_GROUP_ID"},
    {KafkaError::kUnknownMemberId, "UNKNOWN_MEMBER_ID"},
    {KafkaError::kInvalidSessionTimeout, "INVALID_SESSION_TIMEOUT"},
    {KafkaError::kRebalanceInProgress, "REBALANCE_IN_PROGRESS"},
    {KafkaError::kInvalidCommitOffsetSize, "INVALID_COMMIT_OFFSET_SIZE"},
    {KafkaError::kTopicAuthorizationFailed, "TOPIC_AUTHORIZATION_FAILED"},
    {KafkaError::kGroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED"},
    {KafkaError::kClusterAuthorizationFailed, "CLUSTER_AUTHORIZATION_FAILED"},
    {KafkaError::kInvalidTimestamp, "INVALID_TIMESTAMP"},
    {KafkaError::kUnsupportedSaslMechanism, "UNSUPPORTED_SASL_MECHANISM"},
    {KafkaError::kIllegalSaslState, "ILLEGAL_SASL_STATE"},
    {KafkaError::kUnsupportedVersion, "UNSUPPORTED_VERSION"},
    {KafkaError::kTopicAlreadyExists, "TOPIC_ALREADY_EXISTS"},
    {KafkaError::kInvalidPartitions, "INVALID_PARTITIONS"},
    {KafkaError::kInvalidReplicationFactor, "INVALID_REPLICATION_FACTOR"},
    {KafkaError::kInvalidReplicaAssignment, "INVALID_REPLICA_ASSIGNMENT"},
    {KafkaError::kInvalidConfig, "INVALID_CONFIG"},
    {KafkaError::kNotController, "NOT_CONTROLLER", Outlook::kRetriable},
    {KafkaError::kInvalidRequest, "INVALID_REQUEST"},
    {KafkaError::kUnsupportedForMessageFormat, "UNSUPPORTED_FOR_MESSAGE_FORMAT"},
    {KafkaError::kPolicyViolation, "POLICY_VIOLATION"},
    {KafkaError::kOutOfOrderSequenceNumber, "OUT_OF_ORDER_SEQUENCE_NUMBER"},
    {KafkaError::kDuplicateSequenceNumber, "DUPLICATE_SEQUENCE_NUMBER"},
    {KafkaError::kInvalidProducerEpoch, "INVALID_PRODUCER_EPOCH"},
    {KafkaError::kInvalidTxnState, "INVALID_TXN_STATE"},
    {KafkaError::kInvalidProducerIdMapping, "INVALID_PRODUCER_ID_MAPPING"},
    {KafkaError::kInvalidTransactionTimeout, "INVALID_TRANSACTION_TIMEOUT"},
    {KafkaError::kConcurrentTransactions, "CONCURRENT_TRANSACTIONS", Outlook::kRetriable},
    {KafkaError::kTransactionCoordinatorFenced, "TRANSACTION_COORDINATOR_FENCED"},
    {KafkaError::kTransactionalIdAuthorizationFailed, "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"},
    {KafkaError::kSecurityDisabled, "SECURITY_DISABLED"},
    {KafkaError::kOperationNotAttempted, "OPERATION_NOT_ATTEMPTED"},
    {KafkaError::kKafkaStorageError, "KAFKA_STORAGE_ERROR", Outlook::kStaleMetadata},
    {KafkaError::kLogDirNotFound, "LOG_DIR_NOT_FOUND"},
    {KafkaError::kSaslAuthenticationFailed, "SASL_AUTHENTICATION_FAILED"},
    {KafkaError::kUnknownProducerId, "UNKNOWN_PRODUCER_ID"},
    {KafkaError::kReassignmentInProgress, "REASSIGNMENT_IN_PROGRESS"},
    {KafkaError::kDelegationTokenAuthDisabled, "DELEGATION_TOKEN_AUTH_DISABLED"},
    {KafkaError::kDelegationTokenNotFound, "DELEGATION_TOKEN_NOT_FOUND"},
    {KafkaError::kDelegationTokenOwnerMismatch, "DELEGATION_TOKEN_OWNER_MISMATCH"},
    {KafkaError::kDelegationTokenRequestNotAllowed, "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED"},
    {KafkaError::kDelegationTokenAuthorizationFailed, "DELEGATION_TOKEN_AUTHORIZATION_FAILED"},
    {KafkaError::kDelegationTokenExpired, "DELEGATION_TOKEN_EXPIRED"},
    {KafkaError::kInvalidPrincipalType, "INVALID_PRINCIPAL_TYPE"},
    {KafkaError::kNonEmptyGroup, "NON_EMPTY_GROUP"},
    {KafkaError::kGroupIdNotFound, "GROUP_ID_NOT_FOUND"},
    {KafkaError::kFetchSessionIdNotFound, "FETCH_SESSION_ID_NOT_FOUND", Outlook::kRetriable},
    {KafkaError::kInvalidFetchSessionEpoch, "INVALID_FETCH_SESSION_EPOCH", Outlook::kRetriable},
    {KafkaError::kListenerNotFound, "LISTENER_NOT_FOUND", Outlook::kStaleMetadata},
    {KafkaError::kTopicDeletionDisabled, "TOPIC_DELETION_DISABLED"},
    {KafkaError::kFencedLeaderEpoch, "FENCED_LEADER_EPOCH", Outlook::kStaleMetadata},
    {KafkaError::kUnknownLeaderEpoch, "UNKNOWN_LEADER_EPOCH", Outlook::kRetriable},
    {KafkaError::kUnsupportedCompressionType, "UNSUPPORTED_COMPRESSION_TYPE"},
    {KafkaError::kStaleBrokerEpoch, "STALE_BROKER_EPOCH"},
    {KafkaError::kOffsetNotAvailable, "OFFSET_NOT_AVAILABLE", Outlook::kRetriable},
    {KafkaError::kMemberIdRequired, "MEMBER_ID_REQUIRED"},
    {KafkaError::kPreferredLeaderNotAvailable, "PREFERRED_LEADER_NOT_AVAILABLE", Outlook::kStaleMetadata},
    {KafkaError::kGroupMaxSizeReached, "GROUP_MAX_SIZE_REACHED"},
    {KafkaError::kFencedInstanceId, "FENCED_INSTANCE_ID"},
    {KafkaError::kEligibleLeadersNotAvailable, "ELIGIBLE_LEADERS_NOT_AVAILABLE", Outlook::kStaleMetadata},
    {KafkaError::kElectionNotNeeded, "ELECTION_NOT_NEEDED", Outlook::kStaleMetadata},
    {KafkaError::kNoReassignmentInProgress, "NO_REASSIGNMENT_IN_PROGRESS"},
    {KafkaError::kGroupSubscribedToTopic, "GROUP_SUBSCRIBED_TO_TOPIC"},
    {KafkaError::kInvalidRecord, "INVALID_RECORD"},
    {KafkaError::kUnstableOffsetCommit, "UNSTABLE_OFFSET_COMMIT", Outlook::kRetriable},
    {KafkaError::kThrottlingQuotaExceeded, "THROTTLING_QUOTA_EXCEEDED", Outlook::kRetriable},
    {KafkaError::kProducerFenced, "PRODUCER_FENCED"},
    {KafkaError::kResourceNotFound, "RESOURCE_NOT_FOUND"},
    {KafkaError::kDuplicateResource, "DUPLICATE_RESOURCE"},
    {KafkaError::kUnacceptableCredential, "UNACCEPTABLE_CREDENTIAL"},
    {KafkaError::kInconsistentVoterSet, "INCONSISTENT_VOTER_SET"},
    {KafkaError::kInvalidUpdateVersion, "INVALID_UPDATE_VERSION"},
    {KafkaError::kFeatureUpdateFailed, "FEATURE_UPDATE_FAILED"},
    {KafkaError::kPrincipalDeserializationFailure, "PRINCIPAL_DESERIALIZATION_FAILURE"},
    {KafkaError::kSnapshotNotFound, "SNAPSHOT_NOT_FOUND"},
    {KafkaError::kPositionOutOfRange, "POSITION_OUT_OF_RANGE"},
    {KafkaError::kUnknownTopicId, "UNKNOWN_TOPIC_ID", Outlook::kStaleMetadata},
    {KafkaError::kDuplicateBrokerRegistration, "DUPLICATE_BROKER_REGISTRATION"},
    {KafkaError::kBrokerIdNotRegistered, "BROKER_ID_NOT_REGISTERED"},
    {KafkaError::kInconsistentTopicId, "INCONSISTENT_TOPIC_ID", Outlook::kStaleMetadata},
    {KafkaError::kInconsistentClusterId, "INCONSISTENT_CLUSTER_ID"},
    {KafkaError::kTransactionalIdNotFound, "TRANSACTIONAL_ID_NOT_FOUND"},
    {KafkaError::kFetchSessionTopicIdError, "FETCH_SESSION_TOPIC_ID_ERROR", Outlook::kRetriable},
    {KafkaError::kIneligibleReplica, "INELIGIBLE_REPLICA"},
    {KafkaError::kNewLeaderElected, "NEW_LEADER_ELECTED"},
    {KafkaError::kOffsetMovedToTieredStorage, "OFFSET_MOVED_TO_TIERED_STORAGE"},
    {KafkaError::kFencedMemberEpoch, "FENCED_MEMBER_EPOCH"},
    {KafkaError::kUnreleasedInstanceId, "UNRELEASED_INSTANCE_ID"},
    {KafkaError::kUnsupportedAssignor, "UNSUPPORTED_ASSIGNOR"},
    {KafkaError::kStaleMemberEpoch, "STALE_MEMBER_EPOCH"},
    {KafkaError::kMismatchedEndpointType, "MISMATCHED_ENDPOINT_TYPE"},
    {KafkaError::kUnsupportedEndpointType, "UNSUPPORTED_ENDPOINT_TYPE"},
    {KafkaError::kUnknownControllerId, "UNKNOWN_CONTROLLER_ID"},
    {KafkaError::kUnknownSubscriptionId, "UNKNOWN_SUBSCRIPTION_ID"},
    {KafkaError::kTelemetryTooLarge, "TELEMETRY_TOO_LARGE"},
    {KafkaError::kInvalidRegistration, "INVALID_REGISTRATION"},
    {KafkaError::kTransactionAbortable, "TRANSACTION_ABORTABLE"},
    {KafkaError::kInvalidRecordState, "INVALID_RECORD_STATE"},
    {KafkaError::kShareSessionNotFound, "SHARE_SESSION_NOT_FOUND", Outlook::kRetriable},
    {KafkaError::kInvalidShareSessionEpoch, "INVALID_SHARE_SESSION_EPOCH", Outlook::kRetriable},
    {KafkaError::kFencedStateEpoch, "FENCED_STATE_EPOCH"},
    {KafkaError::kInvalidVoterKey, "INVALID_VOTER_KEY"},
    {KafkaError::kDuplicateVoter, "DUPLICATE_VOTER"},
    {KafkaError::kVoterNotFound, "VOTER_NOT_FOUND"},
    {KafkaError::kInvalidRegularExpression, "INVALID_REGULAR_EXPRESSION"},
    {KafkaError::kRebootstrapRequired, "REBOOTSTRAP_REQUIRED"},
    {KafkaError::kStreamsInvalidTopology, "STREAMS_INVALID_TOPOLOGY"},
    {KafkaError::kStreamsInvalidTopologyEpoch, "STREAMS_INVALID_TOPOLOGY_EPOCH"},
    {KafkaError::kStreamsTopologyFenced, "STREAMS_TOPOLOGY_FENCED"},
    {KafkaError::kShareSessionLimitReached, "SHARE_SESSION_LIMIT_REACHED", Outlook::kRetriable},
    {KafkaError::kGroupDeletionFailed, "GROUP_DELETION_FAILED"},
    {KafkaError::kStreamsTopologyDescriptionUpdateFailed, "STREAMS_TOPOLOGY_DESCRIPTION_UPDATE_FAILED"},
    {KafkaError::kControllerIdNotRegistered, "CONTROLLER_ID_NOT_REGISTERED"},
};

const ErrorRow* find_error(KafkaError error) {
  const auto found =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorRow& row) { return row.error == error; });
  return found == std::end(kErrors) ? nullptr : &*found;
}

}  // namespace

std::string name_of(KafkaError error) {
  const ErrorRow* row = find_error(error);
  return row != nullptr ? std::string(row->name) : "error code " + std::to_string(static_cast<int16_t>(error));
}

bool is_retriable(KafkaError error) {
  const ErrorRow* row = find_error(error);
  return row != nullptr && row->outlook != Outlook::kFinal;
}

bool is_stale_metadata(KafkaError error) {
  const ErrorRow* row = find_error(error);
  return row != nullptr && row->outlook == Outlook::kStaleMetadata;
}

}  // namespace yeoul
