#include "yeoul/runtime/checkpoint_storage.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace yeoul {
namespace {

/// Job folders on disk, since locks are the system's.
class CheckpointFolders : public testing::Test {
 protected:
  CheckpointFolders() : root_(testing::TempDir() + "yeoul-checkpoint-folders") { std::filesystem::remove_all(root_); }
  ~CheckpointFolders() override { std::filesystem::remove_all(root_); }

  CheckpointStorage storage(const std::string& job_id) { return {files_, root_, "job", job_id}; }
  void make(const std::string& path, bool complete) {
    files_.create_directories(root_ + "/job/" + path);
    files_.write_file(root_ + "/job/" + path + "/state-0", "bytes");
    if (complete) files_.write_file(root_ + "/job/" + path + "/_metadata", "bytes");
  }
  std::vector<std::string> list(const std::string& job_id) { return files_.list(root_ + "/job/" + job_id); }

  FileSystem& files_ = local_file_system();
  const std::string root_;
};

using Names = std::vector<std::string>;

TEST_F(CheckpointFolders, OpeningRemovesWhatTheJobItselfLeftUnfinished) {
  make("a/chk-1", true), make("a/chk-2", false), make("a/chk-3", false);
  CheckpointStorage a = storage("a");
  a.open(3);  // 3 is to come: another thread may have begun it already
  EXPECT_EQ(list("a"), (Names{"_lock", "chk-1", "chk-3"}));
}

TEST_F(CheckpointFolders, OpeningRemovesWhatDeadJobsLeftAndNothingOfLiveOnes) {
  make("dead/chk-4", true), make("dead/chk-5", false);
  files_.write_file(root_ + "/job/dead/_lock", "");
  make("unknown/chk-1", false);  // it never had a lock: who knows
  CheckpointStorage live = storage("live");
  live.open(1);
  make("live/chk-1", false);
  CheckpointStorage a = storage("a");
  a.open(1);
  EXPECT_EQ(list("dead"), Names{"chk-4"});
  EXPECT_EQ(list("unknown"), Names{"chk-1"});
  EXPECT_EQ(list("live"), (Names{"_lock", "chk-1"}));
}

TEST_F(CheckpointFolders, ClosingLeavesCompleteOnesAlone) {
  CheckpointStorage a = storage("a");
  a.open(1);
  make("a/chk-1", true), make("a/chk-2", false);
  a.close();
  EXPECT_EQ(list("a"), Names{"chk-1"});
  CheckpointStorage b = storage("b");
  b.open(1);
  b.close();
  EXPECT_FALSE(files_.exists(root_ + "/job/b"));  // nothing was made
}

}  // namespace
}  // namespace yeoul
