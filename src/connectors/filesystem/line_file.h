#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "yeoul/common/threads.h"
#include "yeoul/types/column.h"

namespace yeoul {

/// Reads the lines of a file; the pool reads a piece ahead, so that nothing here waits for the disk. Lines end with
/// "\n" or "\r\n"; the last one may lack it. Threads: one; `ready` is called on the pool's.
class LineFile {
 public:
  /// @param ready  called when a piece has arrived (or failed)
  LineFile(std::string path, int64_t offset, ThreadPool* pool, std::function<void()> ready);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  enum class State { kLine, kNeedPiece, kEnd };
  /// The next line, without its end, valid until refill(); readable Buffer::kPadding bytes behind. kNeedPiece: refill()
  /// first.
  State next(std::string_view& line);
  /// Takes the next piece; false while it has not arrived. @throws external error 5001 when the file cannot be read.
  bool refill();
  /// Of the line that next() will return next.
  int64_t offset() const { return offset_; }

 private:
  struct Piece;

  void request();

  std::string path_;
  ThreadPool* pool_;
  std::function<void()> ready_;
  int64_t offset_;       ///< of the next line
  int64_t read_offset_;  ///< of the next piece
  Buffer text_;          ///< bytes from position_ on are not returned yet
  size_t position_ = 0;
  bool at_end_ = false;
  std::shared_ptr<Piece> piece_;
};

}  // namespace yeoul
