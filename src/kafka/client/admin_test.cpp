#include "yeoul/kafka/client/admin.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

/// No name of a host: its first part is too long, which a resolver says without asking anybody.
const std::string kNoHost = std::string(64, 'x') + ".example";

/// Why nothing can be asked of a cluster. A name that is not waited for fails within the test's time.
Error failure_at(const std::string& servers) {
  try {
    Admin admin(ClientProperties("table 't'", ClientRole::kAdmin, {{"bootstrap.servers", servers}}));
    admin.list_topics();
  } catch (const Error& error) {
    return error;
  }
  return user_error(0, "no error");
}

TEST(Admin, DoesNotWaitForHostsThatNobodyKnows) {
  const Error error = failure_at(kNoHost + ":9092,yy" + kNoHost + ":9092");
  EXPECT_EQ(error.code(), 4014);
  EXPECT_EQ(error.family(), ErrorFamily::kExternal);
  EXPECT_TRUE(error.message().starts_with("no host of 'bootstrap.servers' can be found: host '")) << error.message();
  EXPECT_NE(error.message().find("host '" + kNoHost + "' has no address: "), std::string::npos) << error.message();
  EXPECT_NE(error.message().find("host 'yy" + kNoHost + "' has no address: "), std::string::npos) << error.message();
}

TEST(Admin, OneHostThatIsKnownIsWaitedFor) {
  ClientProperties properties(
      "table 't'", ClientRole::kAdmin,
      {{"bootstrap.servers", kNoHost + ":9092,127.0.0.1:1"}, {"default.api.timeout.ms", "300"}});
  Admin admin(std::move(properties));
  try {
    admin.list_topics();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 4001) << error.message();
  }
}

TEST(Admin, WithoutDescriptorsItSaysSoAtOnce) {
  ClientProperties properties("table 't'", ClientRole::kAdmin, {{"bootstrap.servers", "127.0.0.1:1"}});
  Admin admin(std::move(properties));
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  try {
    admin.list_topics();
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7031);
    EXPECT_EQ(error.message(),
              "bootstrap server 127.0.0.1:1: no socket for 127.0.0.1:1: Too many open files: this process may have 0; "
              "raise its limit ('ulimit -n')");
  }
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace
}  // namespace yeoul
