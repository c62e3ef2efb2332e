#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yeoul {

struct FoundFile {
  std::string path;
  int64_t bytes = 0;
  int64_t modified_ms = 0;  ///< since 1970-01-01 UTC
};

/// The file itself, or all files below the folder, in order of their paths; names that begin with '.' or '_' are
/// hidden, as in Flink. May block. @throws external error 5001 where nothing is at `path` or it cannot be read.
std::vector<FoundFile> find_files(const std::string& path);

/// "name=value/…/" of the partition, as Flink (and Hive) writes it: special characters as %XX.
std::string partition_folder(const std::vector<std::pair<std::string, std::string>>& values);
/// The value of partition `name` in a file's path below `root`. False when the path has none.
bool partition_value(std::string_view path, std::string_view root, std::string_view name, std::string& value);

}  // namespace yeoul
