#include "yeoul/connectors/filesystem/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "yeoul/common/error.h"
#include "yeoul/common/system_error.h"

namespace yeoul {

/// A piece on its way from the pool to the reader; kept alive by both.
struct LineFile::Piece {
  static constexpr size_t kBytes = 512 * 1024;

  std::atomic<bool> done{false};
  std::mutex mutex;
  bool abandoned = false;  ///< nobody is to be told; under the mutex
  std::string bytes;
  std::exception_ptr error;

  void read(const std::string& path, int64_t offset) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw external_error(5001, "cannot open '{}': {}", path, system_error_text(errno));
    bytes.resize(kBytes);
    size_t filled = 0;
    while (filled < kBytes) {
      const ssize_t got = ::pread(file, bytes.data() + filled, kBytes - filled, offset + static_cast<int64_t>(filled));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        const int code = errno;
        ::close(file);
        throw external_error(5001, "cannot read '{}' at byte {}: {}", path, offset, system_error_text(code));
      }
      if (got == 0) break;
      filled += static_cast<size_t>(got);
    }
    ::close(file);
    bytes.resize(filled);
  }
};

LineFile::LineFile(std::string path, int64_t offset, ThreadPool* pool, std::function<void()> ready)
    : path_(std::move(path)), pool_(pool), ready_(std::move(ready)), offset_(offset), read_offset_(offset) {
  request();
}

LineFile::~LineFile() {
  const std::lock_guard lock(piece_->mutex);
  piece_->abandoned = true;
}

void LineFile::request() {
  piece_ = std::make_shared<Piece>();
  pool_->post([piece = piece_, path = path_, offset = read_offset_, ready = ready_] {
    try {
      piece->read(path, offset);
    } catch (...) {
      piece->error = std::current_exception();
    }
    piece->done.store(true, std::memory_order_release);
    const std::lock_guard lock(piece->mutex);
    if (!piece->abandoned) ready();
  });
}

/// Moves what is left to the front and puts the piece behind it.
bool LineFile::refill() {
  if (!piece_->done.load(std::memory_order_acquire)) return false;
  if (piece_->error) std::rethrow_exception(piece_->error);
  const size_t left = text_.size() - position_;
  if (left != 0) std::memmove(text_.data(), text_.data() + position_, left);
  text_.resize(left);
  position_ = 0;
  text_.append(piece_->bytes.data(), piece_->bytes.size());
  read_offset_ += static_cast<int64_t>(piece_->bytes.size());
  at_end_ = piece_->bytes.size() < Piece::kBytes;
  if (!at_end_) request();
  return true;
}

LineFile::State LineFile::next(std::string_view& line) {
  const char* const start = text_.data() + position_;
  const size_t left = text_.size() - position_;
  const auto* end = left == 0 ? nullptr : static_cast<const char*>(std::memchr(start, '\n', left));
  if (end == nullptr && !at_end_) return State::kNeedPiece;
  if (end == nullptr && left == 0) return State::kEnd;
  size_t size = end == nullptr ? left : static_cast<size_t>(end - start);
  const size_t taken = end == nullptr ? left : size + 1;
  if (size > 0 && start[size - 1] == '\r') --size;
  line = {start, size};
  position_ += taken;
  offset_ += static_cast<int64_t>(taken);
  return State::kLine;
}

}  // namespace yeoul
