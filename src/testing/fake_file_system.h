#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "yeoul/common/file_system.h"

namespace yeoul {

/// Files in memory that behave as POSIX promises and no better: a name is durable once its folder was synced, and
/// crash() takes back what was not. Threads: any.
class FakeFileSystem final : public FileSystem {
 public:
  void create_directories(const std::string& path) override;
  void write_file(const std::string& path, std::string_view bytes) override;
  void write_parts(const std::string& path, const std::function<std::string_view()>& next) override;
  std::string read_file(const std::string& path) override;
  void rename(const std::string& from, const std::string& to) override;
  void sync_directory(const std::string& path) override;
  bool exists(const std::string& path) override;
  std::vector<std::string> list(const std::string& path) override;
  void remove_all(const std::string& path) override;

  /// Asked before each change with what is done ("create", "write", "rename", "sync", "remove") and the path; true:
  /// it fails as on a full disk. Null: nothing fails.
  void set_failure(std::function<bool(const std::string& what, const std::string& path)> failure);
  /// What a machine finds after losing power: only what was synced.
  void crash() {
    crash([] { return false; });
  }
  /// The same, but each change that was not synced is asked for: it may have reached the disk, as POSIX allows.
  void crash(const std::function<bool()>& survives);
  /// The power goes during the change after so many more: a write is left half done, and everything fails until
  /// crash() is called.
  void lose_power_after(int64_t changes);
  bool lost_power() const;
  /// A planted bug: a folder's sync returns before it takes effect, which it does with the next sync.
  void set_late_syncs(bool late) { late_syncs_ = late; }
  /// Changes a byte of a file, as a bad disk does.
  void damage(const std::string& path, size_t position);

 private:
  struct Entry {
    bool folder = false;
    std::string bytes;
  };
  using Entries = std::map<std::string, Entry>;

  void check(const std::string& what, const std::string& path);
  /// True: this change is the one that is left half done.
  bool use_power(const std::string& path);
  void take_back_unsynced(const std::function<bool()>& survives);

  mutable std::mutex mutex_;
  std::function<bool(const std::string&, const std::string&)> failure_;
  Entries entries_;
  Entries durable_;
  int64_t changes_left_ = -1;  ///< until the power goes; -1: it does not
  bool lost_power_ = false;
  bool late_syncs_ = false;
  std::string late_sync_;
};

}  // namespace yeoul
