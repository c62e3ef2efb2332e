#include "yeoul/connectors/filesystem/file_paths.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "yeoul/common/error.h"
#include "yeoul/common/local_path.h"
#include "yeoul/common/system_error.h"

namespace yeoul {
namespace {

/// Characters that Hive's partition names escape.
bool is_special(char c) {
  const auto byte = static_cast<uint8_t>(c);
  return byte < 0x20 || byte == 0x7f || std::string_view("\"#%'*/:=?\\{[]^").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_special(c)) {
      out += fmt::format("%{:02X}", static_cast<uint8_t>(c));
    } else {
      out += c;
    }
  }
  return out;
}

FoundFile found(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    throw external_error(5001, "cannot read '{}': {}", path, system_error_text(errno));
  return {.path = path,
          .bytes = info.st_size,
          .modified_ms = info.st_mtim.tv_sec * int64_t{1000} + info.st_mtim.tv_nsec / 1'000'000};
}

}  // namespace

std::vector<FoundFile> find_files(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<FoundFile> files;
  std::error_code code;
  if (!fs::is_directory(path, code)) {
    files.push_back(found(path));
    return files;
  }
  fs::recursive_directory_iterator at(path, code);
  for (; !code && at != fs::recursive_directory_iterator(); at.increment(code)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) {
      at.disable_recursion_pending();
      continue;
    }
    // A file may vanish between listing and asking.
    std::error_code gone;
    if (at->is_regular_file(gone)) files.push_back(found(at->path().string()));
  }
  if (code) throw external_error(5001, "cannot list folder '{}': {}", path, system_error_text(code.value()));
  std::sort(files.begin(), files.end(), [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
  return files;
}

std::string partition_folder(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string folder;
  for (const auto& [name, value] : values) folder += percent_encoded(name) + "=" + percent_encoded(value) + "/";
  return folder;
}

bool partition_value(std::string_view path, std::string_view root, std::string_view name, std::string& value) {
  std::string_view rest = path.substr(std::min(path.size(), root.size()));
  for (size_t slash = rest.find('/'); slash != std::string_view::npos; slash = rest.find('/')) {
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    const size_t equals = part.find('=');
    if (equals == std::string_view::npos || percent_decoded(part.substr(0, equals)) != name) continue;
    value = percent_decoded(part.substr(equals + 1));
    return true;
  }
  return false;
}

}  // namespace yeoul
