#pragma once

#include <cstdint>

namespace yeoul {

/// The requests that Yeoul sends, by the numbers they have on the wire.
enum class ApiKey : int16_t {
  kProduce = 0,
  kFetch = 1,
  kListOffsets = 2,
  kMetadata = 3,
  kOffsetCommit = 8,
  kOffsetFetch = 9,
  kFindCoordinator = 10,
  kSaslHandshake = 17,
  kApiVersions = 18,
  kCreateTopics = 19,
  kDeleteTopics = 20,
  kInitProducerId = 22,
  kOffsetForLeaderEpoch = 23,
  kAddPartitionsToTxn = 24,
  kEndTxn = 26,
  kDescribeConfigs = 32,
  kSaslAuthenticate = 36,
  kDescribeCluster = 60,
  kDescribeTransactions = 65,
  kListTransactions = 66,
};

}  // namespace yeoul
