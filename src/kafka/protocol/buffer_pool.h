#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace yeoul {

/// A block of memory whose content is not initialised. Behind every byte in use kPadding more may be read.
class PaddedBuffer {
 public:
  static constexpr size_t kPadding = 64;

  explicit PaddedBuffer(size_t capacity) : bytes_(new char[capacity + kPadding]), capacity_(capacity) {}
  char* data() { return bytes_.get(); }
  const char* data() const { return bytes_.get(); }
  size_t capacity() const { return capacity_; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t capacity_;
};

using SharedBuffer = std::shared_ptr<PaddedBuffer>;

/// Blocks that come back when their last holder lets go: fresh memory costs a page fault for every 4 KiB, more than
/// parsing what is in it. Keeps none that would make more than
/// `bytes_max` of it with those that are out. Threads: any; buffers may outlive the pool.
class BufferPool {
 public:
  explicit BufferPool(size_t bytes_max);
  /// A block of at least `bytes`.
  SharedBuffer take(size_t bytes);
  /// In all blocks that are out, and in all that are kept.
  size_t bytes_in_use() const;
  size_t bytes_kept() const;

 private:
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;
};

/// Where decompressed bytes go: blocks filled one after the other, several batches to a block. What was closed never
/// moves. Threads: one at a time.
class ByteArena {
 public:
  explicit ByteArena(BufferPool& pool) : pool_(pool) {}

  /// Room to write to, at least `bytes`; `used` bytes written to the last room since the last close() move along.
  char* open(size_t bytes, size_t used = 0);
  /// How much the last open() gave.
  size_t room() const { return block_ == nullptr ? 0 : block_->capacity() - begin_; }
  /// Keeps the first `used` bytes of what the last open() gave.
  std::string_view close(size_t used);
  /// The blocks that hold all that was closed since the last call. The next room may be in the last of them, unless
  /// that is half full: let go of, it may come back while caches still hold it.
  std::vector<SharedBuffer> take_blocks();
  /// Bytes closed since the last take_blocks().
  size_t closed_bytes() const { return closed_bytes_; }

 private:
  static constexpr size_t kBlockBytes = size_t{1} << 19;

  BufferPool& pool_;
  std::vector<SharedBuffer> blocks_;
  SharedBuffer block_;
  size_t begin_ = 0;
  size_t closed_bytes_ = 0;
};

}  // namespace yeoul
