#include "yeoul/connectors/filesystem/part_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"
#include "yeoul/common/system_error.h"

namespace yeoul {

std::string PartFile::hidden_path(const std::string& folder, const std::string& name) {
  return folder + "/." + name + ".inprogress";
}

PartFile::PartFile(const std::string& folder, const std::string& name) : path_(hidden_path(folder, name)) {
  local_file_system().create_directories(folder);
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file_ < 0) throw external_error(5001, "cannot create '{}': {}", path_, system_error_text(errno));
}

PartFile::~PartFile() {
  if (file_ >= 0) ::close(file_);
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw external_error(5001, "cannot write '{}': {}", path_, system_error_text(errno));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
}

void PartFile::close() {
  const int synced = ::fsync(file_);
  const int code = errno;
  ::close(std::exchange(file_, -1));
  if (synced != 0) throw external_error(5001, "cannot sync '{}': {}", path_, system_error_text(code));
}

void PartFile::publish(const std::string& folder, const std::string& name) {
  FileSystem& files = local_file_system();
  const std::string hidden = hidden_path(folder, name);
  const std::string path = folder + "/" + name;
  if (files.exists(hidden)) {
    files.rename(hidden, path);
    files.sync_directory(folder);
  } else if (!files.exists(path)) {
    throw external_error(5002, "file '{}' of a completed checkpoint is gone, and its rows with it", path);
  }
}

bool PartFile::exists(const std::string& folder, const std::string& name) {
  FileSystem& files = local_file_system();
  return files.exists(folder + "/" + name) || files.exists(hidden_path(folder, name));
}

}  // namespace yeoul
