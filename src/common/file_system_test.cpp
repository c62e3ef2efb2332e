#include "yeoul/common/file_system.h"

#include <gtest/gtest.h>

#include <thread>

#include "yeoul/common/threads.h"

namespace yeoul {
namespace {

TEST(FileSystem, RemovesWhatSomebodyElseRemovesToo) {
  FileSystem& files = local_file_system();
  const std::string root = testing::TempDir() + "yeoul-file-system-test";
  files.remove_all(root);
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 20; ++i) files.create_directories(root + "/" + std::to_string(i) + "/below");
    const auto remove = [&](const std::stop_token&) { EXPECT_NO_THROW(files.remove_all(root)); };
    std::jthread first = start_thread("first", remove);
    std::jthread second = start_thread("second", remove);
    first.join();
    second.join();
    EXPECT_FALSE(files.exists(root));
  }
}

}  // namespace
}  // namespace yeoul
