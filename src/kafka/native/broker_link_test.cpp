#include "yeoul/kafka/native/broker_link.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "yeoul/kafka/protocol/metadata_messages.h"
#include "yeoul/kafka/protocol/produce_messages.h"
#include "yeoul/kafka/protocol/session_messages.h"
#include "yeoul/kafka/protocol/wire.h"

namespace yeoul {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class BrokerLinkTest : public testing::Test {
 protected:
  BrokerLinkTest()
      : pool_(1 << 20), link_(std::make_unique<BrokerLink>("broker 1 (k:9092)", LinkSettings(), pool_, 1)) {}

  /// What the link wrote since the last call, one request a string, without lengths.
  std::vector<std::string> written() {
    std::vector<std::string> out;
    std::array<std::string_view, 8> pieces;
    std::string bytes;
    for (const std::string_view piece : std::span(pieces).first(link_->output(pieces))) bytes += piece;
    link_->sent(bytes.size());
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
    while (!bytes.empty() && link_->state() != BrokerLink::State::kWaiting) {
      const std::span<char> room = link_->input();
      const size_t size = std::min({room.size(), bytes.size(), piece});
      std::memcpy(room.data(), bytes.data(), size);
      bytes.remove_prefix(size);
      complete += link_->received(size, now_);
    }
    return complete;
  }

  std::string versions_answer(int16_t version, int32_t id) {
    ApiVersionsResponse answer;
    answer.api_keys = {{3, 0, 9}, {18, 0, 4}};
    return encode_response_frame(api_of(ApiKey::kApiVersions), version, id, &answer);
  }

  void make_ready() {
    link_->connecting(now_);
    link_->connected("k", now_);
    feed(versions_answer(3, id_of(written().at(0))));
    ASSERT_EQ(link_->state(), BrokerLink::State::kReady);
  }

  static int32_t id_of(const std::string& request) { return load_big_endian<int32_t>(request.data() + 4); }

  static std::string metadata_answer(int32_t id, const std::string& cluster) {
    MetadataResponse answer;
    answer.cluster_id = cluster;
    return encode_response_frame(api_of(ApiKey::kMetadata), 9, id, &answer);
  }

  int64_t now_ = kSecond;
  BufferPool pool_;
  std::unique_ptr<BrokerLink> link_;
};

TEST_F(BrokerLinkTest, AgreesOnVersionsFirst) {
  link_->connecting(now_);
  EXPECT_FALSE(link_->has_output());
  link_->connected("k", now_);
  EXPECT_EQ(link_->state(), BrokerLink::State::kNegotiating);
  const auto requests = written();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].substr(0, 4), std::string("\0\x12\0\3", 4));
  feed(versions_answer(3, 0), 1);
  EXPECT_EQ(link_->state(), BrokerLink::State::kReady);
  EXPECT_EQ(link_->versions().pick(ApiKey::kMetadata), 9);
  EXPECT_TRUE(link_->take_answers().empty());
}

TEST_F(BrokerLinkTest, AsksAnOldBrokerOnceMore) {
  link_->connecting(now_);
  link_->connected("k", now_);
  written();
  ApiVersionsResponse refusal;
  refusal.error_code = 35;
  feed(encode_response_frame(api_of(ApiKey::kApiVersions), 0, 0, &refusal));
  const auto requests = written();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_EQ(requests[0].substr(0, 4), std::string("\0\x12\0\0", 4));
  feed(versions_answer(0, 1));
  EXPECT_EQ(link_->state(), BrokerLink::State::kReady);
}

TEST_F(BrokerLinkTest, HeedsAQuotaFromTheFirstAnswerOn) {
  link_->connecting(now_);
  link_->connected("k", now_);
  ApiVersionsResponse answer;
  answer.api_keys = {{3, 0, 9}, {18, 0, 4}};
  answer.throttle_time_ms = 2'000;
  feed(encode_response_frame(api_of(ApiKey::kApiVersions), 3, id_of(written().at(0)), &answer));
  EXPECT_EQ(link_->state(), BrokerLink::State::kReady);
  EXPECT_EQ(link_->throttled_until_ns(), now_ + 2 * kSecond);
}

TEST_F(BrokerLinkTest, GivesUpAConnectionThatNobodyUses) {
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  now_ += 600 * kSecond;
  link_->close_if_idle(now_);
  ASSERT_EQ(link_->state(), BrokerLink::State::kReady) << "an answer is waited for";
  feed(metadata_answer(id_of(written().at(0)), "a"));
  now_ += 539 * kSecond;
  link_->close_if_idle(now_);
  EXPECT_EQ(link_->state(), BrokerLink::State::kReady);
  now_ += kSecond;
  link_->close_if_idle(now_);
  EXPECT_EQ(link_->state(), BrokerLink::State::kWaiting);
  EXPECT_EQ(link_->last_failure(), "");
  EXPECT_EQ(link_->counts().num_requests, 2);
}

TEST_F(BrokerLinkTest, PipelinesRequests) {
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  link_->send(MetadataRequest(), 71, now_);
  EXPECT_EQ(link_->num_in_flight(), 2u);
  const auto requests = written();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(feed(metadata_answer(id_of(requests[0]), "a") + metadata_answer(id_of(requests[1]), "b"), 3), 2);
  const auto answers = link_->take_answers();
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].tag, 70u);
  EXPECT_EQ(answers[1].tag, 71u);
  EXPECT_EQ(decode_response<MetadataRequest>(answers[1].version, answers[1].frame).cluster_id, "b");
  EXPECT_EQ(link_->deadline_ns(), kNever);
}

TEST_F(BrokerLinkTest, ARequestWithoutAnAnswerEndsTheConnection) {
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  EXPECT_EQ(link_->deadline_ns(), now_ + 30 * kSecond);
  link_->on_time(now_ + 30 * kSecond - 1);
  EXPECT_EQ(link_->state(), BrokerLink::State::kReady);
  link_->on_time(now_ + 30 * kSecond);
  EXPECT_EQ(link_->state(), BrokerLink::State::kWaiting);
  const auto answers = link_->take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].tag, 70u);
  EXPECT_EQ(answers[0].failure, "broker 1 (k:9092): no answer to Metadata within 30000 ms");
  EXPECT_FALSE(link_->has_output());
}

TEST_F(BrokerLinkTest, AQuotaMakesAnswersLater) {
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  link_->throttled(20 * kSecond, now_);
  EXPECT_EQ(link_->throttled_until_ns(), now_ + 20 * kSecond);
  EXPECT_EQ(link_->deadline_ns(), now_ + 50 * kSecond);
  link_->on_time(now_ + 50 * kSecond - 1);
  EXPECT_EQ(link_->state(), BrokerLink::State::kReady);
  link_->on_time(now_ + 50 * kSecond);
  EXPECT_EQ(link_->state(), BrokerLink::State::kWaiting);
}

TEST_F(BrokerLinkTest, AnAnswerThatIsComingIsNotLate) {
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  const std::string answer = metadata_answer(id_of(written().at(0)), "a");
  now_ += 40 * kSecond;
  EXPECT_EQ(feed(std::string_view(answer).substr(0, 9)), 0);
  link_->on_time(now_);
  EXPECT_EQ(feed(std::string_view(answer).substr(9)), 1);
}

TEST_F(BrokerLinkTest, SaysThatTheListenerMayWantALogin) {
  make_ready();
  link_->closed(now_);
  EXPECT_EQ(link_->last_failure(),
            "broker 1 (k:9092): it closed the connection at the first request; does its listener want a login "
            "('security.protocol')?");
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  feed(metadata_answer(id_of(written().at(0)), "a"));
  link_->closed(now_);
  EXPECT_EQ(link_->last_failure(), "broker 1 (k:9092): it closed the connection");
  link_->connecting(now_);
  link_->connected("k", now_);
  link_->closed(now_);
  EXPECT_EQ(link_->last_failure(),
            "broker 1 (k:9092): it closed the connection when asked for its versions; does 'security.protocol' fit its "
            "listener?");
  EXPECT_FALSE(link_->is_refused());
}

TEST_F(BrokerLinkTest, KnowsATlsListener) {
  link_->connecting(now_);
  link_->connected("k", now_);
  feed(std::string("\x15\x03\x03\0\2\2\x50", 7));
  EXPECT_EQ(link_->last_failure(),
            "broker 1 (k:9092): it speaks TLS on this port: 'security.protocol' must be SSL or SASL_SSL");
  EXPECT_TRUE(link_->is_refused());
}

TEST_F(BrokerLinkTest, WaitsLongerAfterEachFailure) {
  int64_t longest = 0;
  for (int attempt = 0; attempt < 8; ++attempt) {
    link_->connecting(now_);
    link_->lost("refused", now_);
    const int64_t wait = link_->may_connect_at_ns() - now_;
    const int64_t base = std::min<int64_t>(50 * kNanosPerMs << attempt, kSecond);
    EXPECT_GE(wait, base * 8 / 10);
    EXPECT_LE(wait, base * 12 / 10);
    longest = std::max(longest, wait);
  }
  make_ready();
  link_->lost("closed", now_);
  EXPECT_LT(link_->may_connect_at_ns() - now_, longest / 4);
  EXPECT_EQ(link_->last_failure(), "broker 1 (k:9092): closed");
}

TEST_F(BrokerLinkTest, AConnectionThatDoesNotComeIsGivenUp) {
  // Ever later, as socket.connection.setup.timeout.max.ms has it.
  const auto attempt = [&] {
    link_->connecting(now_);
    const int64_t wait = link_->deadline_ns() - now_;
    link_->on_time(now_ + wait - 1);
    EXPECT_EQ(link_->state(), BrokerLink::State::kConnecting);
    link_->on_time(now_ + wait);
    EXPECT_EQ(link_->state(), BrokerLink::State::kWaiting);
    EXPECT_EQ(link_->last_failure(), fmt::format("broker 1 (k:9092): no connection within {} ms", wait / kNanosPerMs));
    return wait;
  };
  for (const int64_t seconds : {10, 20, 30, 30}) {
    const int64_t wait = attempt();
    EXPECT_GE(wait, seconds * kSecond * 8 / 10);
    EXPECT_LE(wait, std::min(seconds * kSecond * 12 / 10, 30 * kSecond));
  }
  make_ready();
  link_->lost("reset", now_);
  EXPECT_LE(attempt(), 12 * kSecond);
}

ProduceRequest produce_request(std::string_view first, std::string_view second) {
  ProduceRequest request;
  request.topic_data.push_back({"t", {}, {{0, first}, {1, second}}});
  return request;
}

TEST_F(BrokerLinkTest, RecordsAreSentFromWhereTheyAre) {
  link_->connecting(now_);
  link_->connected("k", now_);
  ApiVersionsResponse versions;
  versions.api_keys = {{0, 3, 12}, {18, 0, 4}};
  feed(encode_response_frame(api_of(ApiKey::kApiVersions), 3, id_of(written().at(0)), &versions));
  const std::string first(500, 'a');
  const std::string second(70, 'b');
  link_->send(produce_request(first, second), 70, now_);
  link_->send(produce_request(second, first), 71, now_);
  std::array<std::string_view, 16> pieces;
  const size_t count = link_->output(pieces);
  ASSERT_EQ(count, 9u);
  EXPECT_EQ(pieces[1].data(), first.data());
  EXPECT_EQ(link_->output(std::span(pieces).first(3)), 3u);
  const std::string expected = encode_request(produce_request(first, second), 12, 1, "yeoul") +
                               encode_request(produce_request(second, first), 12, 2, "yeoul");
  // However little of it is taken at a time.
  std::string all;
  for (size_t step = 1; link_->has_output(); step = step % 97 + 1) {
    const std::string_view piece = (link_->output(pieces), pieces[0].substr(0, step));
    all += piece;
    link_->sent(piece.size());
  }
  EXPECT_EQ(all, expected);
}

TEST_F(BrokerLinkTest, ARequestWithoutAnAnswerIsAnsweredWhenTheNetworkHasIt) {
  make_ready();
  link_->send_only(MetadataRequest(), 70);
  written();
  EXPECT_FALSE(link_->has_answers()) << "TLS may hold it still";
  link_->flushed();
  auto answers = link_->take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].tag, 70u);
  EXPECT_EQ(answers[0].failure, "");
  link_->send_only(MetadataRequest(), 71);
  link_->flushed();
  EXPECT_FALSE(link_->has_answers());
  link_->lost("reset", now_);
  answers = link_->take_answers();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].tag, 71u);
  EXPECT_EQ(answers[0].failure, "broker 1 (k:9092): reset");
}

TEST_F(BrokerLinkTest, AnAnswerToWhatIsHalfSentIsNotBelieved) {
  make_ready();
  link_->send(MetadataRequest(), 70, now_);
  std::array<std::string_view, 1> piece;
  link_->output(piece);
  const auto id = load_big_endian<int32_t>(piece[0].data() + 8);
  link_->sent(piece[0].size() - 1);
  feed(metadata_answer(id, "a"));
  EXPECT_EQ(link_->last_failure(), "broker 1 (k:9092): it answered what was not asked");
  EXPECT_FALSE(link_->has_output());
}

TEST_F(BrokerLinkTest, SeveralAnswersMayComeAtOnce) {
  make_ready();
  std::string answers;
  for (int i = 0; i < 3; ++i) {
    link_->send(MetadataRequest(), 70, now_);
    answers += metadata_answer(id_of(written().at(0)), "a");
  }
  const size_t size = answers.size() / 3;
  EXPECT_EQ(link_->bytes_wanted(), 1u);
  feed(std::string_view(answers).substr(0, size + 3));
  EXPECT_EQ(link_->take_answers().size(), 1u);
  link_->set_answers_wanted(2);
  EXPECT_EQ(link_->bytes_wanted(), size + 1);
  feed(std::string_view(answers).substr(size + 3, 2));
  EXPECT_EQ(link_->bytes_wanted(), 1u) << "an answer is coming";
  feed(std::string_view(answers).substr(size + 5));
  EXPECT_EQ(link_->take_answers().size(), 2u);
  EXPECT_EQ(link_->bytes_wanted(), 1u) << "none is on its way";
}

TEST_F(BrokerLinkTest, WhatIsNoKafkaBrokerIsNotBelieved) {
  link_->connecting(now_);
  link_->connected("k", now_);
  feed("HTTP/1.1 400 Bad Request");
  EXPECT_EQ(link_->state(), BrokerLink::State::kWaiting);
  EXPECT_EQ(link_->last_failure(),
            "broker 1 (k:9092): its answer begins with a length of 1213486160 bytes; is it a Kafka broker, and without "
            "TLS?");
  now_ += 60 * kSecond;
  make_ready();
  link_->send(MetadataRequest(), 1, now_);
  feed(metadata_answer(99, "x"));
  EXPECT_EQ(link_->last_failure(), "broker 1 (k:9092): it answered what was not asked");
}

/// A login of two messages, the first of which may need work.
class TestLogin : public SaslMechanism {
 public:
  class Client : public SaslClient {
   public:
    explicit Client(const TestLogin& login) : login_(login) {}
    SaslStep step(std::string_view challenge) override {
      if (login_.needs_work && !std::exchange(worked_, true)) {
        return {.work = [&login = login_](std::stop_token) { ++login.num_works; }};
      }
      if (!login_.failure.empty()) return {.failure = login_.failure};
      if (stage_++ == 0) return {.bytes = "first"};
      if (challenge == "more") return {.bytes = "second"};
      return {.done = true};
    }

   private:
    const TestLogin& login_;
    bool worked_ = false;
    int stage_ = 0;
  };

  std::string_view name() const override { return "TEST"; }
  std::unique_ptr<SaslClient> start(const std::string& host) const override {
    hosts.push_back(host);
    return std::make_unique<Client>(*this);
  }

  bool needs_work = false;
  std::string failure;
  mutable int num_works = 0;
  mutable std::vector<std::string> hosts;
};

class BrokerLoginTest : public BrokerLinkTest {
 protected:
  BrokerLoginTest() { link_ = std::make_unique<BrokerLink>("broker 1 (k:9092)", settings(), pool_, 1); }

  LinkSettings settings() {
    LinkSettings out;
    out.security.login = login_;
    return out;
  }
  /// Up to where the login begins.
  void connect() {
    link().connecting(now_);
    link().connected("k", now_);
    ApiVersionsResponse answer;
    answer.api_keys = {{3, 0, 9}, {17, 0, 1}, {18, 0, 4}, {36, 0, 2}};
    feed(encode_response_frame(api_of(ApiKey::kApiVersions), 3, id_of(written().at(0)), &answer));
  }
  BrokerLink& link() { return *link_; }
  static bool is(const std::string& request, ApiKey api) {
    return load_big_endian<int16_t>(request.data()) == static_cast<int16_t>(api);
  }
  static bool carries(const std::string& request, const std::string& bytes) {
    return is(request, ApiKey::kSaslAuthenticate) && request.find(bytes) != std::string::npos;
  }
  void answer_handshake(int16_t error = 0) {
    const auto requests = written();
    ASSERT_EQ(requests.size(), 1u);
    ASSERT_TRUE(is(requests[0], ApiKey::kSaslHandshake));
    SaslHandshakeResponse answer;
    answer.error_code = error;
    answer.mechanisms = {"PLAIN", "GSSAPI"};
    feed(encode_response_frame(api_of(ApiKey::kSaslHandshake), 1, id_of(requests[0]), &answer));
  }
  void answer_login(const std::string& expected, const std::string& challenge, int16_t error = 0,
                    int64_t lifetime_ms = 0) {
    const auto requests = written();
    ASSERT_EQ(requests.size(), 1u);
    ASSERT_TRUE(carries(requests[0], expected));
    SaslAuthenticateResponse answer;
    answer.error_code = error;
    if (error != 0) answer.error_message = "wrong password";
    answer.auth_bytes.value = challenge;
    answer.session_lifetime_ms = lifetime_ms;
    feed(encode_response_frame(api_of(ApiKey::kSaslAuthenticate), 2, id_of(requests[0]), &answer));
  }
  void log_in(int64_t lifetime_ms = 0) {
    answer_handshake();
    answer_login("first", "more");
    answer_login("second", "", 0, lifetime_ms);
    ASSERT_EQ(link().state(), BrokerLink::State::kReady);
  }

  std::shared_ptr<TestLogin> login_ = std::make_shared<TestLogin>();
};

TEST_F(BrokerLoginTest, LogsIn) {
  connect();
  EXPECT_EQ(link().state(), BrokerLink::State::kAuthenticating);
  log_in();
  EXPECT_EQ(login_->hosts, std::vector<std::string>{"k"});
  EXPECT_EQ(link().deadline_ns(), kNever);
}

TEST_F(BrokerLoginTest, TellsWhyTheBrokerRefuses) {
  connect();
  answer_handshake();
  answer_login("first", "", 58);
  EXPECT_TRUE(link().is_refused());
  EXPECT_EQ(link().last_failure(),
            "broker 1 (k:9092): it refused the login: wrong password (SASL_AUTHENTICATION_FAILED)");
  connect();
  answer_handshake(33);
  EXPECT_TRUE(link().is_refused());
  EXPECT_EQ(link().last_failure(), "broker 1 (k:9092): it takes no login by TEST, but by PLAIN, GSSAPI");
  connect();
  answer_handshake(34);
  EXPECT_EQ(link().last_failure(),
            "broker 1 (k:9092): its listener takes no login: 'security.protocol' must be PLAINTEXT or SSL");
  connect();
  log_in();
  EXPECT_FALSE(link().is_refused());
}

TEST_F(BrokerLoginTest, ALoginMayNeedWork) {
  login_->needs_work = true;
  connect();
  EXPECT_TRUE(written().empty());
  const auto stale = link().take_work();
  ASSERT_TRUE(stale);
  EXPECT_FALSE(link().take_work());
  link().lost("reset", now_);
  connect();
  link().work_done(stale->id, now_);
  EXPECT_TRUE(written().empty());
  const auto work = link().take_work();
  work->run({});
  EXPECT_EQ(login_->num_works, 1);
  link().work_done(work->id, now_);
  log_in();
}

TEST_F(BrokerLoginTest, ALoginThatDoesNotEndIsGivenUp) {
  login_->needs_work = true;
  connect();
  now_ = link().deadline_ns();
  link().on_time(now_);
  EXPECT_EQ(link().last_failure(), "broker 1 (k:9092): the login did not end within 30000 ms");
}

TEST_F(BrokerLoginTest, LogsInAgainBeforeTheLoginEnds) {
  connect();
  log_in(100'000);
  const int64_t due_s = (link().deadline_ns() - now_) / kSecond;
  EXPECT_GE(due_s, 84);
  EXPECT_LE(due_s, 95);
  link().send(MetadataRequest(), 70, now_);
  const std::string request = written().at(0);
  now_ = link().deadline_ns() + 60 * kSecond;
  feed(metadata_answer(id_of(request), "a"));
  link().on_time(now_);
  EXPECT_EQ(link().state(), BrokerLink::State::kAuthenticating);
  log_in(100'000);
  EXPECT_EQ(login_->hosts.size(), 2u);
}

TEST_F(BrokerLoginTest, GoesOnWithTheOldLoginWhileThereIsNoNewOne) {
  connect();
  log_in(100'000);
  login_->failure = "no token";
  now_ = link().deadline_ns();
  link().on_time(now_);
  EXPECT_EQ(link().state(), BrokerLink::State::kReady);
  EXPECT_LT(link().deadline_ns(), now_ + 15 * kSecond);
  login_->failure.clear();
  now_ = link().deadline_ns();
  link().on_time(now_);
  log_in(100'000);
}

TEST_F(BrokerLoginTest, ABrokerWithoutLoginsIsTooOld) {
  link().connecting(now_);
  link().connected("k", now_);
  feed(versions_answer(3, id_of(written().at(0))));
  EXPECT_NE(link().last_failure().find("SaslHandshake"), std::string::npos) << link().last_failure();
}

}  // namespace
}  // namespace yeoul
