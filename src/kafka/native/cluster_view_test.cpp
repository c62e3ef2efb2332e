#include "yeoul/kafka/native/cluster_view.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/kafka/native/fetch_consumer.h"

namespace yeoul {
namespace {

constexpr int64_t kNow = 1'000'000'000;

/// An answer with brokers 1 and 2 and topic "t", whose partitions have these leaders and epochs.
MetadataResponse answer(std::vector<std::pair<int32_t, int32_t>> leaders, uint64_t topic_id = 7) {
  MetadataResponse response;
  response.brokers = {{1, "one", 9092, {}}, {2, "two", 9092, {}}};
  auto& topic = response.topics.emplace_back();
  topic.name = "t";
  topic.topic_id = {topic_id, topic_id};
  for (const auto& [leader, epoch] : leaders) {
    auto& partition = topic.partitions.emplace_back();
    partition.partition_index = static_cast<int32_t>(topic.partitions.size() - 1);
    partition.leader_id = leader;
    partition.leader_epoch = epoch;
  }
  return response;
}

class ClusterViewTest : public testing::Test {
 protected:
  ClusterViewTest() : view_({}, 1) { view_.set_topics({"t"}); }

  void update(const MetadataResponse& response, int64_t now = kNow) {
    view_.take_request();
    view_.on_answer(response, now);
  }

  ClusterView view_;
};

TEST_F(ClusterViewTest, AsksForItsTopicsAndKnowsThenTheirLeaders) {
  EXPECT_EQ(view_.due_at_ns(), 0);
  const MetadataRequest request = view_.take_request();
  ASSERT_EQ(request.topics->size(), 1u);
  EXPECT_EQ(request.topics->front().name, "t");
  EXPECT_FALSE(request.allow_auto_topic_creation);
  EXPECT_EQ(view_.due_at_ns(), INT64_MAX);
  view_.on_answer(answer({{1, 5}, {2, 3}}), kNow);
  EXPECT_EQ(view_.find(TopicPartition{"t", 1})->leader, 2);
  EXPECT_EQ(view_.find(TopicPartition{"t", 2}), nullptr);
  EXPECT_EQ(view_.find(TopicPartition{"t", -1}), nullptr);
  EXPECT_EQ(view_.brokers().at(2).host, "two");
  EXPECT_EQ(view_.due_at_ns(), kNow + 300'000'000'000);
  view_.set_topics({"t", "u"});
  EXPECT_LT(view_.due_at_ns(), kNow + 1'000'000'000);
}

TEST_F(ClusterViewTest, AsksAgainForWhatIsMissing) {
  update(answer({{1, 5}, {-1, 3}}));
  const int64_t first = view_.due_at_ns() - kNow;
  EXPECT_GE(first, 80'000'000);
  EXPECT_LE(first, 120'000'000);
  MetadataResponse unknown = answer({});
  unknown.topics[0].error_code = 3;
  update(unknown);
  EXPECT_EQ(view_.find("t")->error, KafkaError::kUnknownTopicOrPartition);
  EXPECT_GT(view_.due_at_ns() - kNow, first);
  update(answer({{1, 6}, {2, 6}}));
  EXPECT_GT(view_.due_at_ns(), kNow + 10'000'000'000);
  update(answer({{1, 6}, {3, 7}}));
  EXPECT_LT(view_.due_at_ns(), kNow + 10'000'000'000) << "a leader that is no broker";
}

TEST_F(ClusterViewTest, OldNewsOfALeaderIsNotBelieved) {
  update(answer({{1, 5}}));
  update(answer({{2, 4}}));
  EXPECT_EQ(view_.find(TopicPartition{"t", 0})->leader, 1);
  view_.set_leader({"t", 0}, 2, 6);
  EXPECT_EQ(view_.find(TopicPartition{"t", 0})->leader, 2);
  view_.set_leader({"t", 0}, 1, 6);
  view_.set_leader({"t", 9}, 1, 9);
  EXPECT_EQ(view_.find(TopicPartition{"t", 0})->leader, 2);
  // A topic that was made anew begins its epochs anew.
  update(answer({{1, 0}}, 8));
  EXPECT_EQ(view_.find(TopicPartition{"t", 0})->leader, 1);
}

TEST_F(ClusterViewTest, OldNewsOfATopicIsNotBelieved) {
  update(answer({{1, 5}}, 7));
  update(answer({{2, 0}}, 8));
  update(answer({{1, 5}}, 7));
  EXPECT_EQ(view_.find("t")->id.low, 8u);
  EXPECT_EQ(view_.find(TopicPartition{"t", 0})->leader, 2);
  EXPECT_LT(view_.due_at_ns(), kNow + 10'000'000'000) << "a broker that is behind is asked again";
  // Brokers that know no ids, in the middle of an upgrade, say nothing of that.
  update(answer({{1, 6}}, 0));
  update(answer({{1, 6}}, 8));
  EXPECT_EQ(view_.find("t")->id.low, 8u);
}

TEST_F(ClusterViewTest, WithoutIdsATopicThatWasUnknownMeanwhileMayBeAnother) {
  update(answer({{1, 5}}, 0));
  MetadataResponse unknown = answer({}, 0);
  unknown.topics[0].error_code = 3;
  update(unknown);
  update(answer({{2, 0}}, 0));
  EXPECT_EQ(view_.find(TopicPartition{"t", 0})->leader, 2);
}

TEST(BootstrapServersTest, AreParsedOrRefused) {
  const auto servers = parse_bootstrap_servers(" a:1, [::1]:9092 ,");
  ASSERT_EQ(servers.size(), 2u);
  EXPECT_EQ(servers[0].host, "a");
  EXPECT_EQ(servers[1].host, "::1");
  EXPECT_EQ(servers[1].port, 9092);
  for (const char* bad : {"", "a", "a:", "a:0", "a:70000", "a:9x", ":9092"}) {
    EXPECT_THROW(parse_bootstrap_servers(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace yeoul
