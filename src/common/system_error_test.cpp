#include "yeoul/common/system_error.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>

namespace yeoul {
namespace {

TEST(SystemError, OfAShortageOfDescriptorsSaysWhatToDo) {
  EXPECT_EQ(system_error_text(ENOENT), "No such file or directory");
  EXPECT_FALSE(is_descriptor_shortage(ENOENT));
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(
      system_error_text(EMFILE),
      fmt::format("Too many open files: this process may have {}; raise its limit ('ulimit -n')", limit.rlim_cur));
  EXPECT_TRUE(is_descriptor_shortage(EMFILE));
  EXPECT_TRUE(is_descriptor_shortage(ENFILE));
}

}  // namespace
}  // namespace yeoul
