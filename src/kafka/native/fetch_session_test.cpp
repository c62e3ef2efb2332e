#include "yeoul/kafka/native/fetch_session.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

/// "t-0@5 t-1@7 forget u-0", with the session in front.
std::string text_of(const FetchRequest& request) {
  std::string text = std::to_string(request.session_id) + "/" + std::to_string(request.session_epoch);
  for (const auto& topic : request.topics) {
    for (const auto& partition : topic.partitions) {
      text +=
          " " + topic.topic + "-" + std::to_string(partition.partition) + "@" + std::to_string(partition.fetch_offset);
    }
  }
  for (const auto& topic : request.forgotten_topics_data) {
    for (const int32_t partition : topic.partitions) text += " forget " + topic.topic + "-" + std::to_string(partition);
  }
  return text;
}

FetchTarget target(const std::string& topic, int32_t partition, int64_t offset, uint64_t topic_id = 1) {
  return {{topic, partition}, {topic_id, topic_id}, offset, -1, 100};
}

std::string next(FetchSession& session, std::vector<FetchTarget> targets) {
  FetchRequest request;
  session.fill(targets, request);
  return text_of(request);
}

bool answer(FetchSession& session, int32_t id, int16_t error = 0) {
  FetchResponse response;
  response.session_id = id;
  response.error_code = error;
  return session.on_answer(response);
}

TEST(FetchSessionTest, NamesOnlyWhatChanged) {
  FetchSession session;
  EXPECT_EQ(next(session, {target("t", 0, 5), target("t", 1, 7), target("u", 0, 0)}), "0/0 t-0@5 t-1@7 u-0@0");
  EXPECT_TRUE(answer(session, 42));
  EXPECT_EQ(next(session, {target("t", 0, 5), target("t", 1, 9), target("u", 0, 0)}), "42/1 t-1@9");
  EXPECT_TRUE(answer(session, 42));
  EXPECT_EQ(next(session, {target("t", 0, 5), target("v", 3, 1)}), "42/2 v-3@1 forget t-1 forget u-0");
  EXPECT_TRUE(answer(session, 42));
  // Another topic of the same name: the old one is forgotten, the new one named.
  EXPECT_EQ(next(session, {target("t", 0, 5, 2), target("v", 3, 1)}), "42/3 t-0@5 forget t-0");
}

TEST(FetchSessionTest, BeginsAnewWhenTheBrokerForgot) {
  FetchSession session;
  next(session, {target("t", 0, 5)});
  answer(session, 42);
  next(session, {target("t", 0, 6)});
  EXPECT_FALSE(answer(session, 0, 70));
  EXPECT_EQ(next(session, {target("t", 0, 6)}), "0/0 t-0@6");
}

TEST(FetchSessionTest, KeepsTheOrderOfTheTargets) {
  FetchSession session;
  EXPECT_EQ(next(session, {target("t", 1, 5), target("u", 0, 6), target("t", 0, 7)}), "0/0 t-1@5 u-0@6 t-0@7");
}

TEST(FetchSessionTest, ClosesTheOldOneWhenNoAnswerCame) {
  FetchSession session;
  next(session, {target("t", 0, 5)});
  answer(session, 42);
  next(session, {target("t", 0, 6)});
  session.on_failure();
  EXPECT_EQ(next(session, {target("t", 0, 6)}), "42/0 t-0@6");
}

TEST(FetchSessionTest, GoesOnWithoutASession) {
  FetchSession session;
  next(session, {target("t", 0, 5)});
  EXPECT_TRUE(answer(session, 0));
  EXPECT_EQ(next(session, {target("t", 0, 6)}), "0/0 t-0@6");
}

}  // namespace
}  // namespace yeoul
