#include "yeoul/kafka/security/oauthbearer_login.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"
#include "yeoul/kafka/security/base64.h"

namespace yeoul {
namespace {

class TestClock : public Clock {
 public:
  int64_t wall_ms() const override { return now_ms; }
  int64_t steady_ns() const override { return now_ms * 1'000'000; }
  int64_t now_ms = 1'700'000'000'000;
};

class TestTokens : public TokenSource {
 public:
  explicit TestTokens(Clock& clock) : clock_(clock) {}
  bool blocks() const override { return true; }
  BearerToken fetch(std::stop_token) const override {
    if (failure.empty())
      return {token.empty() ? fmt::format("token-{}", ++num_fetched) : token, clock_.wall_ms() + lifetime_ms};
    ++num_failed;
    if (final) throw user_error(4506, "{}", failure);
    throw external_error(4505, "{}", failure);
  }
  std::string failure;
  bool final = false;  ///< asking again is of no use
  std::string token;
  int64_t lifetime_ms = 100'000;
  mutable int num_fetched = 0;
  mutable int num_failed = 0;

 private:
  Clock& clock_;
};

class OauthbearerLoginTest : public testing::Test {
 protected:
  /// What a login sends first, with the work it needs; empty: it fails.
  std::string first_of(SaslClient& client) {
    SaslStep step = client.step("");
    if (step.work) {
      ++num_works_;
      step.work({});
      step = client.step("");
    }
    failure_ = step.failure;
    refused_ = step.refused;
    return step.bytes;
  }
  std::string first_message() { return first_of(*login_->start("k")); }

  TestClock clock_;
  std::shared_ptr<TestTokens> tokens_ = std::make_shared<TestTokens>(clock_);
  std::shared_ptr<const SaslMechanism> login_ = make_oauthbearer_login(
      tokens_, {{"logicalCluster", "lkc-1"}}, {.backoff_ms = 100, .backoff_max_ms = 500}, clock_);
  int num_works_ = 0;
  std::string failure_;
  bool refused_ = false;
};

TEST_F(OauthbearerLoginTest, SendsTokenAndExtensions) {
  const auto client = login_->start("k");
  EXPECT_EQ(first_of(*client),
            "n,,\x01"
            "auth=Bearer token-1\x01logicalCluster=lkc-1\x01\x01");
  EXPECT_TRUE(client->step("").done);
}

TEST_F(OauthbearerLoginTest, LoginsShareATokenUntilMostOfItsLifeIsOver) {
  first_message();
  clock_.now_ms += 79'000;
  EXPECT_NE(first_message().find("token-1"), std::string::npos);
  EXPECT_EQ(num_works_, 1);
  clock_.now_ms += 2'000;
  EXPECT_NE(first_message().find("token-2"), std::string::npos);
  EXPECT_EQ(num_works_, 2);
}

TEST_F(OauthbearerLoginTest, ATokenThatHoldsIsUsedWhenThereIsNoNewOne) {
  first_message();
  tokens_->failure = "https://idp: down";
  clock_.now_ms += 90'000;
  EXPECT_NE(first_message().find("token-1"), std::string::npos);
  clock_.now_ms += 10'000;
  EXPECT_EQ(first_message(), "");
  EXPECT_EQ(failure_, "https://idp: down");
}

TEST_F(OauthbearerLoginTest, ASourceThatFailsIsAskedAgainAfterPausesThatGrow) {
  tokens_->failure = "https://idp: down";
  const auto expect_failure = [&](int num_asked) {
    EXPECT_EQ(first_message(), "");
    EXPECT_EQ(failure_, "https://idp: down");
    EXPECT_FALSE(refused_);
    EXPECT_EQ(tokens_->num_failed, num_asked);
  };
  int num_asked = 0;
  for (const int64_t pause_ms : {100, 200, 400, 500, 500}) {
    expect_failure(++num_asked);
    clock_.now_ms += pause_ms - 1;
    expect_failure(num_asked);
    clock_.now_ms += 1;
  }
  tokens_->failure.clear();
  EXPECT_NE(first_message().find("token-1"), std::string::npos);
  tokens_->failure = "https://idp: down";
  clock_.now_ms += 100'000;
  expect_failure(++num_asked);
  clock_.now_ms += 100;
  expect_failure(++num_asked);
}

TEST_F(OauthbearerLoginTest, ARefusalByTheSourceIsOne) {
  tokens_->failure = "401";
  tokens_->final = true;
  EXPECT_EQ(first_message(), "");
  EXPECT_EQ(failure_, "401");
  EXPECT_TRUE(refused_);
}

TEST_F(OauthbearerLoginTest, ATokenSaysNothingElse) {
  tokens_->token =
      "a\x01"
      "auth=Bearer b";
  EXPECT_EQ(first_message(), "");
  EXPECT_EQ(failure_, "the token has characters that no token may have");
  EXPECT_TRUE(refused_);
}

TEST_F(OauthbearerLoginTest, ARefusalIsTold) {
  const auto client = login_->start("k");
  first_of(*client);
  EXPECT_EQ(client->step(R"({"status":"invalid_token"})").bytes, "\x01");
  const SaslStep end = client->step("");
  EXPECT_EQ(end.failure, R"(it refused the token: {"status":"invalid_token"})");
  EXPECT_TRUE(end.refused);
}

TEST(BearerTokensTest, UnsecuredTokensSayWhatTheyAreToldTo) {
  TestClock clock;
  const auto source = make_unsecured_tokens(
      {.texts = {{"sub", "al\"ice"}}, .numbers = {{"n", 1.5}}, .lists = {{"scope", {"a", "b"}}}, .lifetime_s = 60},
      clock);
  EXPECT_FALSE(source->blocks());
  const BearerToken token = source->fetch({});
  EXPECT_EQ(token.expires_at_ms, clock.now_ms + 60'000);
  const size_t dot = token.token.find('.');
  EXPECT_EQ(base64_decoded(token.token.substr(0, dot)), R"({"alg":"none"})");
  EXPECT_TRUE(token.token.ends_with('.'));
  EXPECT_EQ(base64_decoded(token.token.substr(dot + 1, token.token.size() - dot - 2)),
            R"({"iat":1700000000,"exp":1700000060,"sub":"al\"ice","n":1.5,"scope":["a","b"]})");
}

TEST(BearerTokensTest, TokensMayStandInFiles) {
  const std::string file = testing::TempDir() + "yeoul-token";
  const std::string token = "e30." + base64_url(R"({"exp":1700000060.5})") + ".x";
  local_file_system().write_file(file, token + "\n");
  const BearerToken read = make_oidc_tokens({.url = "file://" + file})->fetch({});
  EXPECT_EQ(read.token, token);
  EXPECT_EQ(read.expires_at_ms, 1'700'000'060'500);
  local_file_system().remove_all(file);
}

TEST(BearerTokensTest, AnEndpointThatDoesNotAnswerIsAnError) {
  try {
    make_oidc_tokens({.url = "http://127.0.0.1:1/token", .client_id = "c", .client_secret = "s3cret"})->fetch({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_TRUE(error.message().starts_with("http://127.0.0.1:1/token: ")) << error.message();
    EXPECT_EQ(error.message().find("s3cret"), std::string::npos);
    EXPECT_EQ(error.family(), ErrorFamily::kExternal);
  }
}

TEST(BearerTokensTest, WhatTheUserHasToMendIsTheUsers) {
  for (const char* url : {"http:// /token", "file:///no/such/token"}) {
    try {
      make_oidc_tokens({.url = url, .client_id = "c", .client_secret = "s3cret"})->fetch({});
      FAIL() << url;
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::kUser) << error.message();
    }
  }
}

}  // namespace
}  // namespace yeoul
