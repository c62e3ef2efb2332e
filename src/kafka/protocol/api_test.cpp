#include "yeoul/kafka/protocol/api.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/kafka/protocol/kafka_error.h"
#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"

namespace yeoul {
namespace {

BrokerVersions versions(std::vector<ApiVersionsResponse::ApiVersion> served) {
  ApiVersionsResponse answer;
  answer.api_keys = std::move(served);
  return BrokerVersions("broker 1 (k:9092)", answer);
}

std::string refusal(const BrokerVersions& versions, ApiKey key) {
  try {
    versions.pick(key);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 4011);
    EXPECT_EQ(error.family(), ErrorFamily::kExternal);
    return error.message();
  }
  return "none";
}

TEST(BrokerVersionsTest, PicksTheNewestOfBoth) {
  const BrokerVersions broker = versions({{1, 4, 11}, {3, 0, 99}, {22, 0, 6}});
  EXPECT_EQ(broker.pick(ApiKey::kFetch), 11);
  EXPECT_EQ(broker.pick(ApiKey::kMetadata), 13);
  EXPECT_EQ(broker.pick(ApiKey::kMetadata, 9), 9);
  EXPECT_EQ(broker.pick(ApiKey::kInitProducerId), 5);
  EXPECT_FALSE(broker.has(ApiKey::kProduce));
}

TEST(BrokerVersionsTest, SaysWhatABrokerLacks) {
  const BrokerVersions broker = versions({{1, 0, 9}, {3, 14, 20}});
  EXPECT_EQ(
      refusal(broker, ApiKey::kFetch),
      "broker 1 (k:9092) is too old: it serves Fetch requests up to version 9, Yeoul needs 10, which Apache Kafka "
      "2.1.0 and later have");
  EXPECT_EQ(refusal(broker, ApiKey::kMetadata),
            "broker 1 (k:9092) is too new: it serves Metadata requests from version 14, Yeoul knows them up to 13");
  EXPECT_EQ(refusal(broker, ApiKey::kDescribeTransactions),
            "broker 1 (k:9092) does not serve DescribeTransactions requests; they need Apache Kafka 3.0.0 or later");
}

TEST(FrameTest, RequestHeaders) {
  SaslHandshakeRequest old;
  old.mechanism = "PLAIN";
  EXPECT_EQ(encode_request(old, 1, 7, "me"), std::string("\0\0\0\x13\0\x11\0\1\0\0\0\7\0\2me\0\5PLAIN", 23));
  ApiVersionsRequest flexible;
  EXPECT_EQ(encode_request(flexible, 3, 7, ""), std::string("\0\0\0\x0e\0\x12\0\3\0\0\0\7\0\0\0\1\1\0", 18));
}

TEST(FrameTest, ResponseHeaders) {
  FindCoordinatorResponse answer;
  answer.coordinators.emplace_back().host = "h";
  const std::string frame = encode_response_frame(api_of(ApiKey::kFindCoordinator), 4, 9, &answer).substr(4);
  EXPECT_EQ(correlation_id_of(frame), 9);
  EXPECT_EQ(decode_response<FindCoordinatorRequest>(4, frame).coordinators.at(0).host, "h");
  // The answer to ApiVersions keeps the old header in every version.
  ApiVersionsResponse served;
  served.api_keys.push_back({18, 0, 4});
  const std::string answered = encode_response_frame(api_of(ApiKey::kApiVersions), 3, 9, &served).substr(4);
  EXPECT_EQ(answered[4], '\0');
  EXPECT_EQ(answered[5], '\0');
  EXPECT_EQ(answered[6], '\2');
  EXPECT_EQ(decode_response<ApiVersionsRequest>(3, answered).api_keys.at(0).max_version, 4);
  EXPECT_THROW(correlation_id_of("abc"), Error);
}

TEST(KafkaErrorTest, NamesAndOutlook) {
  EXPECT_EQ(name_of(KafkaError::kNotLeaderOrFollower), "NOT_LEADER_OR_FOLLOWER");
  EXPECT_EQ(name_of(kafka_error(999)), "error code 999");
  EXPECT_TRUE(is_stale_metadata(KafkaError::kUnknownTopicOrPartition));
  EXPECT_TRUE(is_retriable(KafkaError::kUnknownTopicOrPartition));
  EXPECT_TRUE(is_retriable(KafkaError::kCoordinatorLoadInProgress));
  EXPECT_FALSE(is_stale_metadata(KafkaError::kCoordinatorLoadInProgress));
  EXPECT_FALSE(is_retriable(KafkaError::kProducerFenced));
  EXPECT_FALSE(is_retriable(kafka_error(999)));
}

}  // namespace
}  // namespace yeoul
