#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yeoul {

/// A file being written under a hidden name, `.<name>.inprogress` in its folder, until publish() gives it its own.
/// Threads: one at a time.
class PartFile {
 public:
  /// Creates the folder and the hidden file. @throws external error 5001.
  PartFile(const std::string& folder, const std::string& name);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  void append(std::string_view bytes);
  /// Makes all that was appended durable and closes.
  void close();

  /// Gives the file its name, durably. Nothing happens when that was done before.
  /// @throws external error 5002 when the file is there under neither name: its rows are lost.
  static void publish(const std::string& folder, const std::string& name);
  /// Whether the folder has the file, hidden or not.
  static bool exists(const std::string& folder, const std::string& name);

 private:
  static std::string hidden_path(const std::string& folder, const std::string& name);

  std::string path_;
  int file_ = -1;
};

}  // namespace yeoul
