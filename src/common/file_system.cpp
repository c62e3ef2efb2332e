#include "yeoul/common/file_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"

namespace yeoul {
namespace {

Error file_error(std::string_view what, const std::string& path, int code) {
  return external_error(5001, "cannot {} '{}': {}", what, path, system_error_text(code));
}

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor(std::string_view what, const std::string& path, int flags, int mode = 0)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
    if (fd_ < 0) throw file_error(what, path, errno);
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class LocalFileSystem final : public FileSystem {
 public:
  void create_directories(const std::string& path) override {
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) throw file_error("create folder", path, code.value());
  }

  void write_file(const std::string& path, std::string_view bytes) override {
    const Descriptor file("create", path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    write_all(file, path, bytes);
    if (::fsync(file.get()) != 0) throw file_error("sync", path, errno);
  }

  void write_parts(const std::string& path, const std::function<std::string_view()>& next) override {
    const Descriptor file("create", path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    for (std::string_view part = next(); !part.empty(); part = next()) write_all(file, path, part);
    if (::fsync(file.get()) != 0) throw file_error("sync", path, errno);
  }

  std::string read_file(const std::string& path) override {
    const Descriptor file("open", path, O_RDONLY);
    std::string bytes;
    char buffer[1 << 16];
    for (;;) {
      const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw file_error("read", path, errno);
      if (got == 0) return bytes;
      bytes.append(buffer, static_cast<size_t>(got));
    }
  }

  void rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) throw file_error("rename to", to, errno);
  }

  void sync_directory(const std::string& path) override {
    const Descriptor folder("open folder", path, O_RDONLY | O_DIRECTORY);
    if (::fsync(folder.get()) != 0) throw file_error("sync folder", path, errno);
  }

  bool exists(const std::string& path) override { return ::access(path.c_str(), F_OK) == 0; }

  std::vector<std::string> list(const std::string& path) override {
    std::vector<std::string> names;
    std::error_code code;
    for (std::filesystem::directory_iterator it(path, code), end; !code && it != end; it.increment(code)) {
      names.push_back(it->path().filename().string());
    }
    if (code && code.value() != ENOENT) throw file_error("list folder", path, code.value());
    std::sort(names.begin(), names.end());
    return names;
  }

  void remove_all(const std::string& path) override {
    std::error_code code;
    do {
      std::filesystem::remove_all(path, code);
    } while (code == std::errc::no_such_file_or_directory);  // somebody else removes it too
    if (code) throw file_error("remove", path, code.value());
  }

  std::shared_ptr<const void> try_lock(const std::string& path) override {
    auto file = std::make_shared<const Descriptor>("create", path, O_RDWR | O_CREAT, 0644);
    if (::flock(file->get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno == EWOULDBLOCK) return nullptr;
    throw file_error("lock", path, errno);
  }

 private:
  static void write_all(const Descriptor& file, const std::string& path, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw file_error("write", path, errno);
      bytes.remove_prefix(static_cast<size_t>(written));
    }
  }
};

}  // namespace

FileSystem& local_file_system() {
  static LocalFileSystem files;
  return files;
}

}  // namespace yeoul
