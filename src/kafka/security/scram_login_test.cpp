#include "yeoul/kafka/security/scram_login.h"

#include <gtest/gtest.h>

#include "yeoul/kafka/security/plain_login.h"

namespace yeoul {
namespace {

/// The example of RFC 7677.
std::unique_ptr<SaslClient> example(std::string user = "user") {
  return make_scram_login({.hash = ScramHash::kSha256,
                           .user = std::move(user),
                           .password = "pencil",
                           .nonce = [] { return std::string("rOprNGfwEbeRWgbNEkqO"); }})
      ->start("localhost");
}

constexpr const char* kChallenge =
    "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096";

TEST(ScramLoginTest, SpeaksAsTheStandardSays) {
  const auto client = example();
  EXPECT_EQ(client->step("").bytes, "n,,n=user,r=rOprNGfwEbeRWgbNEkqO");
  EXPECT_EQ(
      client->step(kChallenge).bytes,
      "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
  EXPECT_TRUE(client->step("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=").done);
}

TEST(ScramLoginTest, EscapesNames) {
  EXPECT_EQ(example("a=b,c")->step("").bytes, "n,,n=a=3Db=2Cc,r=rOprNGfwEbeRWgbNEkqO");
}

TEST(ScramLoginTest, LogsInWithDelegationTokens) {
  const auto login =
      make_scram_login({.hash = ScramHash::kSha512, .user = "id", .password = "mac", .is_delegation_token = true});
  EXPECT_EQ(login->name(), "SCRAM-SHA-512");
  EXPECT_TRUE(login->start("localhost")->step("").bytes.ends_with(",tokenauth=true"));
}

TEST(ScramLoginTest, BelievesNoBrokerThatDoesNotKnowThePassword) {
  for (const char* last : {"v=AAAATRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=", "v=", "", "x"}) {
    const auto client = example();
    client->step("");
    client->step(kChallenge);
    const SaslStep end = client->step(last);
    EXPECT_FALSE(end.done);
    EXPECT_TRUE(end.refused);
    EXPECT_EQ(end.failure, "it could not prove that it knows the password: it is not the broker it claims to be");
  }
}

TEST(ScramLoginTest, ChecksTheChallenge) {
  const auto fails = [](const std::string& challenge) {
    const auto client = example();
    client->step("");
    return client->step(challenge).failure;
  };
  EXPECT_EQ(fails("r=other,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"), "its SCRAM challenge answers another login");
  EXPECT_EQ(fails("r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"),
            "its SCRAM challenge answers another login");
  EXPECT_EQ(fails("r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4095"),
            "it wants 4095 SCRAM iterations; between 4096 and 1000000 are safe");
  EXPECT_EQ(fails("r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=99999999"),
            "it wants 99999999 SCRAM iterations; between 4096 and 1000000 are safe");
  for (const char* bad :
       {"", "r=rOprNGfwEbeRWgbNEkqOx", "r=rOprNGfwEbeRWgbNEkqOx,s=!!,i=4096", "r=rOprNGfwEbeRWgbNEkqOx,s=,i=4096",
        "r=rOprNGfwEbeRWgbNEkqOx,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096x"}) {
    EXPECT_EQ(fails(bad), "its SCRAM challenge makes no sense") << bad;
  }
}

TEST(PlainLoginTest, SendsUserAndPassword) {
  const auto login = make_plain_login("alice", "secret");
  EXPECT_EQ(login->name(), "PLAIN");
  const auto client = login->start("localhost");
  EXPECT_EQ(client->step("").bytes, std::string("\0alice\0secret", 13));
  EXPECT_TRUE(client->step("").done);
}

}  // namespace
}  // namespace yeoul
