#include "yeoul/kafka/native/cluster_question.h"

#include <gtest/gtest.h>

#include "yeoul/kafka/native/group_question.h"
#include "yeoul/kafka/native/list_offsets_question.h"

namespace yeoul {
namespace {

constexpr int64_t kBegin = 1'000'000'000;
constexpr int64_t kMs = 1'000'000;
constexpr int32_t kAny = ClusterQuestion::kAnyBroker;
const std::string kOne = "broker 1 (one:9092)";
const std::string kTwo = "broker 2 (two:9092)";

using Targets = std::set<int32_t>;

/// Brokers 1 and 2, of which 2 is the controller, and topic "t" with the leaders of its partitions.
class ClusterQuestionTest : public testing::Test {
 protected:
  ClusterQuestionTest() : cluster_({}, 1) {
    cluster_.set_topics({"t"});
    learn({1, 2, 1});
  }

  void learn(std::vector<int32_t> leaders, KafkaError error = KafkaError::kNone) {
    MetadataResponse response;
    response.brokers = {{1, "one", 9092, {}}, {2, "two", 9092, {}}};
    response.controller_id = 2;
    auto& topic = response.topics.emplace_back();
    topic.name = "t";
    topic.error_code = static_cast<int16_t>(error);
    for (const int32_t leader : leaders) {
      auto& partition = topic.partitions.emplace_back();
      partition.partition_index = static_cast<int32_t>(topic.partitions.size() - 1);
      partition.leader_id = leader;
      partition.leader_epoch = ++epoch_;
    }
    cluster_.take_request();
    cluster_.on_answer(response, now_);
  }

  /// Whether somebody found the view out of date since it was learnt.
  bool wants_refresh() const { return cluster_.due_at_ns() < now_ + 10'000 * kMs; }

  Targets targets(ClusterQuestion& question) { return question.targets(cluster_, now_); }
  template <class Request>
  Request take(ClusterQuestion& question, int32_t target) {
    return std::get<Request>(question.take_request(target, cluster_));
  }
  void answer(ClusterQuestion& question, int32_t target, QuestionResponse response) {
    question.on_answer(target, target == 2 ? kTwo : kOne, response, cluster_, now_);
  }
  /// Not yet, then after the wait.
  void wait_for_retry(ClusterQuestion& question) {
    EXPECT_EQ(targets(question), Targets());
    EXPECT_GT(question.due_at_ns(now_), now_);
    now_ = question.due_at_ns(now_);
  }

  ClusterView cluster_;
  int64_t now_ = kBegin;
  int32_t epoch_ = 0;
};

ListOffsetsResponse offsets(std::vector<std::pair<int32_t, int64_t>> found, KafkaError error = KafkaError::kNone) {
  ListOffsetsResponse response;
  auto& topic = response.topics.emplace_back();
  topic.name = "t";
  for (const auto& [partition, offset] : found) {
    auto& one = topic.partitions.emplace_back();
    one.partition_index = partition;
    one.offset = offset;
    one.error_code = static_cast<int16_t>(error);
  }
  return response;
}

std::set<TopicPartition> partitions(std::vector<int32_t> indexes) {
  std::set<TopicPartition> set;
  for (const int32_t index : indexes) set.insert({"t", index});
  return set;
}

TEST_F(ClusterQuestionTest, OffsetsAreAskedOfTheLeadersAtOnce) {
  ListOffsetsQuestion question(partitions({0, 1, 2}), ListOffsetsQuestion::kLatest, true, {}, now_);
  EXPECT_EQ(question.topics(), std::set<std::string>{"t"});
  EXPECT_EQ(targets(question), (Targets{1, 2}));
  const auto first = take<ListOffsetsRequest>(question, 1);
  EXPECT_EQ(first.isolation_level, 1);
  ASSERT_EQ(first.topics.size(), 1u);
  ASSERT_EQ(first.topics[0].partitions.size(), 2u);
  EXPECT_EQ(first.topics[0].partitions[1].partition_index, 2);
  EXPECT_EQ(first.topics[0].partitions[1].current_leader_epoch, 3);
  EXPECT_EQ(first.topics[0].partitions[1].timestamp, -1);
  EXPECT_EQ(targets(question), Targets{2}) << "broker 1 was asked";
  take<ListOffsetsRequest>(question, 2);
  EXPECT_EQ(targets(question), Targets());
  answer(question, 1, offsets({{0, 10}, {2, 12}, {7, 1}}));
  EXPECT_FALSE(question.is_done());
  answer(question, 2, offsets({{1, 11}}));
  EXPECT_TRUE(question.is_done());
  EXPECT_EQ(question.failure(), "");
  EXPECT_EQ(question.offsets(), (PartitionOffsets{{{"t", 0}, 10}, {{"t", 1}, 11}, {{"t", 2}, 12}}));
  EXPECT_TRUE(ListOffsetsQuestion({}, 0, true, {}, now_).is_done());
}

TEST_F(ClusterQuestionTest, AMovedLeaderIsLookedForAndAskedInItsPlace) {
  ListOffsetsQuestion question(partitions({0, 1}), 1700, false, {}, now_);
  take<ListOffsetsRequest>(question, 1);
  take<ListOffsetsRequest>(question, 2);
  answer(question, 2, offsets({{1, 11}}));
  EXPECT_FALSE(wants_refresh());
  answer(question, 1, offsets({{0, -1}}, KafkaError::kNotLeaderOrFollower));
  EXPECT_TRUE(wants_refresh());
  wait_for_retry(question);
  learn({2, 2, 1});
  EXPECT_EQ(targets(question), Targets{2});
  const auto again = take<ListOffsetsRequest>(question, 2);
  ASSERT_EQ(again.topics[0].partitions.size(), 1u) << "what is answered is not asked again";
  EXPECT_EQ(again.isolation_level, 0);
  EXPECT_EQ(again.topics[0].partitions[0].timestamp, 1700);
  answer(question, 2, offsets({{0, 10}}));
  EXPECT_TRUE(question.is_done());
}

TEST_F(ClusterQuestionTest, ALostConnectionIsTriedAgain) {
  ListOffsetsQuestion question(partitions({0}), 0, true, {}, now_);
  take<ListOffsetsRequest>(question, 1);
  question.on_failure(1, kOne + ": it closed the connection", cluster_, now_);
  EXPECT_TRUE(wants_refresh());
  wait_for_retry(question);
  EXPECT_EQ(targets(question), Targets{1});
  question.on_unreachable(1, kOne + ": Connection refused", cluster_);
  question.on_time(now_ + 70'000 * kMs);
  EXPECT_EQ(question.failure(), "no answer within 60000 ms; the last try: broker 1 (one:9092): Connection refused");
}

TEST_F(ClusterQuestionTest, ATopicThatNobodyKnowsIsNamedWhenTheTimeIsUp) {
  cluster_ = ClusterView({}, 1);
  cluster_.set_topics({"t"});
  learn({}, KafkaError::kUnknownTopicOrPartition);
  ListOffsetsQuestion question(partitions({0}), 0, true, {500 * kMs, kMs, kMs}, now_);
  EXPECT_EQ(targets(question), Targets());
  EXPECT_EQ(question.due_at_ns(now_), now_ + 500 * kMs);
  question.on_time(now_ + 499 * kMs);
  EXPECT_FALSE(question.is_done());
  question.on_time(now_ + 500 * kMs);
  EXPECT_EQ(question.failure(), "no answer within 500 ms; the last try: t-0: UNKNOWN_TOPIC_OR_PARTITION");
}

TEST_F(ClusterQuestionTest, OfATopicThatMayNotBeDescribedOffsetsAreNotWaitedFor) {
  cluster_ = ClusterView({}, 1);
  cluster_.set_topics({"t"});
  learn({}, KafkaError::kUnknownServerError);
  ListOffsetsQuestion question(partitions({0}), 0, true, {}, now_);
  EXPECT_EQ(targets(question), Targets());
  EXPECT_FALSE(question.is_done());
  learn({}, KafkaError::kTopicAuthorizationFailed);
  EXPECT_EQ(targets(question), Targets());
  EXPECT_EQ(question.failure(), "t-0: TOPIC_AUTHORIZATION_FAILED");
}

TEST_F(ClusterQuestionTest, WhatDoesNotPassFailsAtOnce) {
  ListOffsetsQuestion question(partitions({0}), 0, true, {}, now_);
  take<ListOffsetsRequest>(question, 1);
  answer(question, 1, offsets({{0, -1}}, KafkaError::kTopicAuthorizationFailed));
  EXPECT_TRUE(question.is_done());
  EXPECT_EQ(question.failure(), "broker 1 (one:9092) answered TOPIC_AUTHORIZATION_FAILED (t-0)");
  EXPECT_EQ(targets(question), Targets());
}

TEST_F(ClusterQuestionTest, RecordsOfAFormatWithoutTimestampsHaveNone) {
  ListOffsetsQuestion question(partitions({0}), 1700, false, {}, now_);
  take<ListOffsetsRequest>(question, 1);
  answer(question, 1, offsets({{0, -1}}, KafkaError::kUnsupportedForMessageFormat));
  EXPECT_TRUE(question.is_done());
  EXPECT_EQ(question.failure(), "");
  EXPECT_EQ(question.offsets(), (PartitionOffsets{{{"t", 0}, -1}}));
}

FindCoordinatorResponse coordinator(int32_t broker, KafkaError error = KafkaError::kNone) {
  FindCoordinatorResponse response;
  response.coordinators.push_back({"g", broker, "host", 9092, static_cast<int16_t>(error), {}});
  return response;
}

OffsetFetchResponse committed(int64_t offset, KafkaError error = KafkaError::kNone) {
  OffsetFetchResponse response;
  auto& group = response.groups.emplace_back();
  group.group_id = "g";
  group.error_code = static_cast<int16_t>(error);
  auto& topic = group.topics.emplace_back();
  topic.name = "t";
  topic.partitions = {{0, offset, -1, "", 0}, {1, -1, -1, "", 0}};
  return response;
}

TEST_F(ClusterQuestionTest, AGroupIsAskedAtItsCoordinator) {
  OffsetFetchQuestion question("g", partitions({0, 1}), true, {}, now_);
  EXPECT_EQ(targets(question), Targets{kAny});
  const auto find = take<FindCoordinatorRequest>(question, kAny);
  EXPECT_EQ(find.key, "g");
  EXPECT_EQ(find.coordinator_keys, std::vector<std::string>{"g"});
  EXPECT_EQ(targets(question), Targets());
  answer(question, kAny, coordinator(-1, KafkaError::kCoordinatorNotAvailable));
  wait_for_retry(question);
  EXPECT_EQ(targets(question), Targets{kAny});
  take<FindCoordinatorRequest>(question, kAny);
  answer(question, kAny, coordinator(2));
  EXPECT_EQ(targets(question), Targets{2});
  const auto request = take<OffsetFetchRequest>(question, 2);
  EXPECT_TRUE(request.require_stable);
  ASSERT_EQ(request.groups.size(), 1u);
  EXPECT_EQ(request.groups[0].topics->at(0).partition_indexes, (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(request.topics->at(0).partition_indexes, (std::vector<int32_t>{0, 1}));
  answer(question, 2, committed(42));
  EXPECT_TRUE(question.is_done());
  EXPECT_EQ(question.offsets(), (PartitionOffsets{{{"t", 0}, 42}}));
}

TEST_F(ClusterQuestionTest, ACoordinatorThatIsNoneAnyMoreIsLookedForAgain) {
  OffsetFetchQuestion question("g", partitions({0}), false, {}, now_);
  cluster_.set_coordinator({CoordinatorType::kGroup, "g"}, 1, {"one", 9092});
  take<OffsetFetchRequest>(question, 1);
  answer(question, 1, committed(1, KafkaError::kCoordinatorLoadInProgress));
  wait_for_retry(question);
  EXPECT_EQ(targets(question), Targets{1}) << "it only loads";
  take<OffsetFetchRequest>(question, 1);
  answer(question, 1, committed(1, KafkaError::kNotCoordinator));
  wait_for_retry(question);
  EXPECT_EQ(targets(question), Targets{kAny});
  cluster_.set_coordinator({CoordinatorType::kGroup, "g"}, 2, {"two", 9092});
  take<OffsetFetchRequest>(question, 2);
  question.on_failure(2, kTwo + ": it closed the connection", cluster_, now_);
  wait_for_retry(question);
  EXPECT_EQ(targets(question), Targets{kAny});
  cluster_.set_coordinator({CoordinatorType::kGroup, "g"}, 2, {"two", 9092});
  question.on_unreachable(2, kTwo + ": Connection refused", cluster_);
  EXPECT_EQ(targets(question), Targets{kAny});
}

TEST_F(ClusterQuestionTest, OldBrokersAnswerForOneGroup) {
  OffsetFetchQuestion question("g", partitions({0}), false, {}, now_);
  take<FindCoordinatorRequest>(question, kAny);
  FindCoordinatorResponse found;
  found.node_id = 7;
  found.host = "seven";
  found.port = 9093;
  answer(question, kAny, found);
  EXPECT_EQ(cluster_.brokers().at(7), (BrokerAddress{"seven", 9093}));
  EXPECT_EQ(targets(question), Targets{7});
  take<OffsetFetchRequest>(question, 7);
  OffsetFetchResponse response;
  auto& topic = response.topics.emplace_back();
  topic.name = "t";
  topic.partitions = {{0, 9, -1, "", 0}};
  answer(question, 7, response);
  EXPECT_EQ(question.offsets().at({"t", 0}), 9);
}

TEST_F(ClusterQuestionTest, CommitsWithoutMembership) {
  cluster_.set_coordinator({CoordinatorType::kGroup, "g"}, 1, {"one", 9092});
  OffsetCommitQuestion question("g", {{{"t", 0}, 5}, {{"t", 1}, 6}, {{"u", 0}, 7}}, {}, now_);
  const auto request = take<OffsetCommitRequest>(question, 1);
  EXPECT_EQ(request.group_id, "g");
  EXPECT_EQ(request.member_id, "");
  EXPECT_EQ(request.generation_id_or_member_epoch, -1);
  ASSERT_EQ(request.topics.size(), 2u);
  EXPECT_EQ(request.topics[0].partitions[1].committed_offset, 6);
  OffsetCommitResponse response;
  auto& topic = response.topics.emplace_back();
  topic.name = "t";
  topic.partitions = {{0, 0}, {1, static_cast<int16_t>(KafkaError::kUnknownMemberId)}};
  answer(question, 1, response);
  EXPECT_EQ(question.failure(), "broker 1 (one:9092) answered UNKNOWN_MEMBER_ID (t-1)");
}

TEST_F(ClusterQuestionTest, ACommitDoesNotWaitForATopicThatIsGone) {
  cluster_.set_coordinator({CoordinatorType::kGroup, "g"}, 1, {"one", 9092});
  OffsetCommitQuestion question("g", {{{"t", 0}, 5}}, {}, now_);
  take<OffsetCommitRequest>(question, 1);
  OffsetCommitResponse response;
  response.topics.emplace_back().name = "t";
  response.topics[0].partitions = {{0, static_cast<int16_t>(KafkaError::kUnknownTopicOrPartition)}};
  answer(question, 1, response);
  EXPECT_EQ(question.failure(), "broker 1 (one:9092) answered UNKNOWN_TOPIC_OR_PARTITION (t-0)");
}

TEST_F(ClusterQuestionTest, AQuestionToTheControllerFollowsIt) {
  std::string name;
  BrokerQuestion question(
      "creating topics", BrokerQuestion::Whom::kController, CreateTopicsRequest(),
      [&](const QuestionResponse& response) {
        const auto& topic = std::get<CreateTopicsResponse>(response).topics.at(0);
        name = topic.name;
        return Verdict{kafka_error(topic.error_code), topic.error_message.value_or("")};
      },
      {}, now_);
  EXPECT_EQ(targets(question), Targets{2});
  take<CreateTopicsRequest>(question, 2);
  CreateTopicsResponse response;
  response.topics.emplace_back().name = "new";
  response.topics[0].error_code = static_cast<int16_t>(KafkaError::kNotController);
  answer(question, 2, response);
  EXPECT_TRUE(wants_refresh());
  wait_for_retry(question);
  take<CreateTopicsRequest>(question, 2);
  response.topics[0].error_code = static_cast<int16_t>(KafkaError::kPolicyViolation);
  response.topics[0].error_message = "too many partitions";
  answer(question, 2, response);
  EXPECT_EQ(question.failure(), "broker 2 (two:9092) answered POLICY_VIOLATION (too many partitions)");
  EXPECT_EQ(name, "new");
}

TEST_F(ClusterQuestionTest, AFailureSaysWhatKindItIs) {
  ListOffsetsQuestion late(partitions({0}), ListOffsetsQuestion::kLatest, false, {}, now_);
  late.on_time(now_ + QuestionSettings().timeout_ns);
  EXPECT_EQ(late.failure_code(), 4001);
  ListOffsetsQuestion old(partitions({0}), ListOffsetsQuestion::kLatest, false, {}, now_);
  old.fail("too old", 4011);
  old.fail("a later reason");
  EXPECT_EQ(old.failure(), "too old");
  EXPECT_EQ(old.failure_code(), 4011);
}

}  // namespace
}  // namespace yeoul
