#include "yeoul/net/host_lookup.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "yeoul/common/threads.h"

namespace yeoul {
namespace {

constexpr int64_t kAnswerPatienceMs = 30'000;

ResolvedHost look_up(const std::string& host, bool with_names) {
  WakeUp answered;
  HostLookup lookup(host, 9092, with_names, [&] { answered.raise(); });
  std::stop_source never;
  answered.wait(never.get_token(), kAnswerPatienceMs);
  return lookup.take().value_or(ResolvedHost{{}, {}, "no answer"});
}

TEST(HostLookupTest, FindsAddresses) {
  const ResolvedHost found = look_up("127.0.0.1", false);
  EXPECT_EQ(found.failure, "");
  ASSERT_EQ(found.addresses.size(), 1u);
  EXPECT_EQ(found.addresses[0].text(), "127.0.0.1:9092");
  EXPECT_TRUE(found.names.empty());
}

TEST(HostLookupTest, FindsNames) {
  const ResolvedHost found = look_up("localhost", true);
  ASSERT_FALSE(found.addresses.empty());
  EXPECT_EQ(found.names.size(), found.addresses.size());
  EXPECT_FALSE(found.names[0].empty());
}

TEST(HostLookupTest, SaysWhyThereIsNoAddress) {
  EXPECT_TRUE(
      look_up("no-such-host.invalid", false).failure.starts_with("host 'no-such-host.invalid' has no address: "));
}

TEST(HostLookupTest, KnowsWhenAskingAgainIsOfNoUse) {
  // Its first part is too long, which needs no answer of a server.
  const ResolvedHost found = look_up(fmt::format("{}.example", std::string(64, 'x')), false);
  EXPECT_EQ(found.cause, ResolvedHost::Cause::kUnknownHost) << found.failure;
}

TEST(HostLookupTest, MayBeGivenUp) {
  for (int i = 0; i < 20; ++i) {
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    {
      HostLookup("localhost", 1, false, [gone] { EXPECT_FALSE(*gone); });
    }
    *gone = true;
  }
}

}  // namespace
}  // namespace yeoul
