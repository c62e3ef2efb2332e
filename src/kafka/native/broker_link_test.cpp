#include "yeoul/kafka/native/broker_link.h"

#include <gtest/gtest.h>

#include <cstring>

#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class BrokerLinkTest : public testing::Test {
 protected:
  BrokerLinkTest() : pool_(1 << 20), link_("broker 1 (k:9092)", {}, pool_, 1) {}

  /// What the link wrote since the last call, one request a string, without lengths.
  std::vector<std::string> written() {
    std::vector<std::string> out;
    std::string bytes(link_.output());
    link_.sent(bytes.size());
    while (!bytes.empty()) {
      const auto size = load_big_endian<uint32_t>(bytes.data());
      out.push_back(bytes.substr(4, size));
      bytes.erase(0, 4 + size);
    }
    return out;
  }

  /// Gives the link bytes in pieces of at most `piece`; returns how many answers became complete.
  int feed(std::string_view bytes, size_t piece = SIZE_MAX) {
    int complete = 0;
    while (!bytes.empty() && link_.state() != BrokerLink::State::kWaiting) {
      const std::span<char> room = link_.input();
      const size_t size = std::min({room.size(), bytes.size(), piece});
      std::memcpy(room.data(), bytes.data(), size);
      bytes.remove_prefix(size);
      complete += link_.received(size, now_);
    }
    return complete;
  }

  std::string versions_answer(int16_t version, int32_t id) {
    ApiVersionsResponse answer;
    answer.api_keys = {{3, 0, 9}, {18, 0, 4}};
    return encode_response_frame(api_of(ApiKey::kApiVersions), version, id, &answer);
  }

  void make_ready() {
    link_.connecting(now_);
    link_.connected("k", now_);
    feed(versions_answer(3, id_of(written().at(0))));
    ASSERT_EQ(link_.state(), BrokerLink::State::kReady);
  }

  static int32_t id_of(const std::string& request) { return load_big_endian<int32_t>(request.data() + 4); }

  static std::string metadata_answer(int32_t id, const std::string& cluster) {
    MetadataResponse answer;
    answer.cluster_id = cluster;
    return encode_response_frame(api_of(ApiKey::kMetadata), 9, id, &answer);
  }

  int64_t now_ = kSecond;
  BufferPool pool_;
  BrokerLink link_;
};

TEST_F(BrokerLinkTest, AgreesOnVersionsFirst) {
  link_.connecting(now_);
  EXPECT_TRUE(link_.output().empty());
  link_.connected("k", now_);
  EXPECT_EQ(link_.state(), BrokerLink::State::kNegotiating);
  const auto requests = written();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].substr(0, 4), std::string("\0\x12\0\3", 4));
  feed(versions_answer(3, 0), 1);
  EXPECT_EQ(link_.state(), BrokerLink::State::kReady);
  EXPECT_EQ(link_.versions().pick(ApiKey::kMetadata), 9);
  EXPECT_TRUE(link_.take_answers().empty());
}

TEST_F(BrokerLinkTest, AsksAnOldBrokerOnceMore) {
  link_.connecting(now_);
  link_.connected("k", now_);
  written();
  ApiVersionsResponse refusal;
  refusal.error_code = 35;
  feed(encode_response_frame(api_of(ApiKey::kApiVersions), 0, 0, &refusal));
  const auto requests = written();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].substr(0, 4), std::string("\0\x12\0\0", 4));
  feed(versions_answer(0, 1));
  EXPECT_EQ(link_.state(), BrokerLink::State::kReady);
}

TEST_F(BrokerLinkTest, PipelinesRequests) {
  make_ready();
  link_.send(MetadataRequest(), 70, now_);
  link_.send(MetadataRequest(), 71, now_);
  EXPECT_EQ(link_.num_in_flight(), 2u);
  const auto requests = written();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(feed(metadata_answer(id_of(requests[0]), "a") + metadata_answer(id_of(requests[1]), "b"), 3), 2);
  const auto answers = link_.take_answers();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].tag, 70u);
  EXPECT_EQ(answers[1].tag, 71u);
  EXPECT_EQ(decode_response<MetadataRequest>(answers[1].version, answers[1].frame).cluster_id, "b");
  EXPECT_EQ(link_.deadline_ns(), kNever);
}

TEST_F(BrokerLinkTest, ARequestWithoutAnAnswerEndsTheConnection) {
  make_ready();
  link_.send(MetadataRequest(), 70, now_);
  EXPECT_EQ(link_.deadline_ns(), now_ + 30 * kSecond);
  link_.on_time(now_ + 30 * kSecond - 1);
  EXPECT_EQ(link_.state(), BrokerLink::State::kReady);
  link_.on_time(now_ + 30 * kSecond);
  EXPECT_EQ(link_.state(), BrokerLink::State::kWaiting);
  const auto answers = link_.take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].tag, 70u);
  EXPECT_EQ(answers[0].failure, "broker 1 (k:9092): no answer to Metadata within 30000 ms");
  EXPECT_TRUE(link_.output().empty());
}

TEST_F(BrokerLinkTest, AnAnswerThatIsComingIsNotLate) {
  make_ready();
  link_.send(MetadataRequest(), 70, now_);
  const std::string answer = metadata_answer(id_of(written().at(0)), "a");
  now_ += 40 * kSecond;
  EXPECT_EQ(feed(std::string_view(answer).substr(0, 9)), 0);
  link_.on_time(now_);
  EXPECT_EQ(feed(std::string_view(answer).substr(9)), 1);
}

TEST_F(BrokerLinkTest, WaitsLongerAfterEachFailure) {
  int64_t longest = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    link_.connecting(now_);
    link_.lost("refused", now_);
    const int64_t wait = link_.may_connect_at_ns() - now_;
    const int64_t base = std::min<int64_t>(50 * kNanosPerMs << attempt, kSecond);
    EXPECT_GE(wait, base * 8 / 10);
    EXPECT_LE(wait, base * 12 / 10);
    longest = std::max(longest, wait);
  }
  make_ready();
  link_.lost("closed", now_);
  EXPECT_LT(link_.may_connect_at_ns() - now_, longest / 4);
  EXPECT_EQ(link_.last_failure(), "broker 1 (k:9092): closed");
}

TEST_F(BrokerLinkTest, AConnectionThatDoesNotComeIsGivenUp) {
  link_.connecting(now_);
  link_.on_time(now_ + 10 * kSecond);
  EXPECT_EQ(link_.state(), BrokerLink::State::kWaiting);
  EXPECT_EQ(link_.last_failure(), "broker 1 (k:9092): no connection within 10000 ms");
}

TEST_F(BrokerLinkTest, WhatIsNoKafkaBrokerIsNotBelieved) {
  link_.connecting(now_);
  link_.connected("k", now_);
  feed("HTTP/1.1 400 Bad Request");
  EXPECT_EQ(link_.state(), BrokerLink::State::kWaiting);
  EXPECT_EQ(link_.last_failure(),
            "broker 1 (k:9092): its answer begins with a length of 1213486160 bytes; is it a Kafka broker, and without "
            "TLS?");
  now_ += 60 * kSecond;
  make_ready();
  link_.send(MetadataRequest(), 1, now_);
  feed(metadata_answer(99, "x"));
  EXPECT_EQ(link_.last_failure(), "broker 1 (k:9092): it answered what was not asked");
}

}  // namespace
}  // namespace yeoul
