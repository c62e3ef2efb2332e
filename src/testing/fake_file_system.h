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
  void write_parts(const std::string& path, std::span<const std::string> parts) override;
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
  void crash();
  /// Changes a byte of a file, as a bad disk does.
  void damage(const std::string& path, size_t position);

 private:
  struct Entry {
    bool folder = false;
    std::string bytes;
  };
  using Entries = std::map<std::string, Entry>;

  void check(const std::string& what, const std::string& path);

  std::mutex mutex_;
  std::function<bool(const std::string&, const std::string&)> failure_;
  Entries entries_;
  Entries durable_;
};

}  // namespace yeoul
