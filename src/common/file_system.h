#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// Files as checkpoints need them: whole, durable, or not there. Injected, so that the simulator can lose unsynced
/// writes. Every failure throws an external error 5001 with the path and the system's reason. Thread-safe.
class FileSystem {
 public:
  virtual ~FileSystem() = default;
  /// Creates the folder and its parents; nothing happens where it exists.
  virtual void create_directories(const std::string& path) = 0;
  /// Writes the bytes to a new file and syncs it. The file's entry is durable only after sync_directory.
  virtual void write_file(const std::string& path, std::string_view bytes) = 0;
  /// The same for bytes that are made in parts, one behind the other, so that large files are never whole in memory.
  /// @param next  the next part, good until the next call; an empty one ends the file
  virtual void write_parts(const std::string& path, const std::function<std::string_view()>& next) = 0;
  virtual std::string read_file(const std::string& path) = 0;
  /// Renames within a file system, atomically.
  virtual void rename(const std::string& from, const std::string& to) = 0;
  virtual void sync_directory(const std::string& path) = 0;
  virtual bool exists(const std::string& path) = 0;
  /// The names in a folder, sorted; empty when it does not exist.
  virtual std::vector<std::string> list(const std::string& path) = 0;
  /// Removes the file or folder with all in it; nothing happens where it does not exist.
  virtual void remove_all(const std::string& path) = 0;
  /// Makes the file and locks it until the result is dropped or the process ends, however it ends. Null: another
  /// process, or another lock of this one, holds it. Files of tests have no other processes.
  virtual std::shared_ptr<const void> try_lock(const std::string& path) {
    (void)path;
    return std::make_shared<char>();
  }
};

/// The machine's files; lives as long as the process.
FileSystem& local_file_system();

}  // namespace yeoul
