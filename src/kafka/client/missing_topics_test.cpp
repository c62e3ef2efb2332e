#include "yeoul/kafka/client/missing_topics.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

class MissingTopicsTest : public testing::Test {
 protected:
  std::vector<std::string> check(int64_t now_ms) {
    std::vector<std::string> names;
    const auto ask = [this](const std::string&, std::set<int32_t>& partitions) {
      ++num_questions;
      partitions = existing;
      return answer;
    };
    for (const TopicPartition& tp : missing.check(assigned, now_ms, ask, {})) names.push_back(to_string(tp));
    return names;
  }

  MissingTopics missing;
  std::set<TopicPartition> assigned{{"a", 0}, {"a", 1}, {"b", 0}};
  TopicAnswer answer = TopicAnswer::kUnknown;
  std::set<int32_t> existing;
  int num_questions = 0;
};

using Names = std::vector<std::string>;

TEST_F(MissingTopicsTest, ATopicDeniedForLongIsGone) {
  missing.suspect("a", 100);
  EXPECT_EQ(check(100), Names());
  EXPECT_EQ(check(100 + MissingTopics::kGoneAfterMs - 1), Names());
  EXPECT_EQ(check(100 + 2 * MissingTopics::kGoneAfterMs), (Names{"a-0", "a-1"}));
  EXPECT_TRUE(missing.empty());  // told once
}

TEST_F(MissingTopicsTest, ATopicThatComesBackIsForgotten) {
  missing.suspect("a", 0);
  EXPECT_EQ(check(0), Names());
  answer = TopicAnswer::kExists;
  existing = {0, 1};
  EXPECT_EQ(check(5'000), Names());
  EXPECT_EQ(check(5'000 + MissingTopics::kGoneAfterMs), Names());
  EXPECT_TRUE(missing.empty());
}

// The client tells of a denial once; metadata that lags behind the deletion must not clear the suspicion.
TEST_F(MissingTopicsTest, ATopicThatStillShowsWhileItIsDeletedIsGone) {
  answer = TopicAnswer::kExists;
  existing = {0, 1};
  missing.suspect("a", 0);
  EXPECT_EQ(check(0), Names());
  answer = TopicAnswer::kUnknown;
  EXPECT_EQ(check(1'000), Names());
  EXPECT_EQ(check(MissingTopics::kGoneAfterMs), Names());
  EXPECT_EQ(check(1'000 + MissingTopics::kGoneAfterMs), (Names{"a-0", "a-1"}));
}

TEST_F(MissingTopicsTest, BrokersThatDoNotAnswerDenyNothing) {
  missing.suspect("a", 0);
  answer = TopicAnswer::kNone;
  EXPECT_EQ(check(60'000), Names());
  EXPECT_FALSE(missing.empty());
}

TEST_F(MissingTopicsTest, OnlyThePartitionsThatAreMissingAreGone) {
  missing.suspect("a", 0);
  answer = TopicAnswer::kExists;
  existing = {0};
  EXPECT_EQ(check(0), Names());
  EXPECT_EQ(check(MissingTopics::kGoneAfterMs), Names{"a-1"});
}

TEST_F(MissingTopicsTest, AsksOnceInAWhile) {
  missing.suspect("a", 0);
  for (int64_t now = 0; now < 3 * MissingTopics::kAskAgainMs; now += 100) check(now);
  EXPECT_EQ(num_questions, 3);
}

}  // namespace
}  // namespace yeoul
