#include "yeoul/kafka/client/admin.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

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
