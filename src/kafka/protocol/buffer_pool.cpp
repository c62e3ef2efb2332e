#include "yeoul/kafka/protocol/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace yeoul {
namespace {

constexpr size_t kSmallest = 4096;

}  // namespace

struct BufferPool::Shelf {
  explicit Shelf(size_t limit) : bytes_max(limit) {}

  void put_back(std::unique_ptr<PaddedBuffer> buffer) {
    std::lock_guard lock(mutex);
    out_bytes -= buffer->capacity();
    if (out_bytes + kept_bytes + buffer->capacity() > bytes_max) return;
    kept_bytes += buffer->capacity();
    kept.push_back(std::move(buffer));
  }

  const size_t bytes_max;
  std::mutex mutex;
  std::vector<std::unique_ptr<PaddedBuffer>> kept;
  size_t kept_bytes = 0;
  size_t out_bytes = 0;
};

BufferPool::BufferPool(size_t bytes_max) : shelf_(std::make_shared<Shelf>(bytes_max)) {}

SharedBuffer BufferPool::take(size_t bytes) {
  // In steps of an eighth, so that blocks fit others of about their size, and little is lost.
  bytes = std::max(bytes, kSmallest);
  const size_t step = std::bit_floor(bytes) / 8;
  bytes = (bytes + step - 1) / step * step;
  std::unique_ptr<PaddedBuffer> buffer;
  {
    std::lock_guard lock(shelf_->mutex);
    // The last to come back is the one that caches still hold.
    const auto found = std::find_if(shelf_->kept.rbegin(), shelf_->kept.rend(), [&](const auto& kept) {
      return kept->capacity() >= bytes && kept->capacity() / 4 <= bytes;
    });
    if (found != shelf_->kept.rend()) {
      buffer = std::move(*found);
      shelf_->kept.erase(std::next(found).base());
      shelf_->kept_bytes -= buffer->capacity();
      shelf_->out_bytes += buffer->capacity();
    }
  }
  if (buffer == nullptr) {
    buffer = std::make_unique<PaddedBuffer>(bytes);
    std::lock_guard lock(shelf_->mutex);
    shelf_->out_bytes += bytes;
  }
  return SharedBuffer(buffer.release(),
                      [shelf = shelf_](PaddedBuffer* back) { shelf->put_back(std::unique_ptr<PaddedBuffer>(back)); });
}

size_t BufferPool::bytes_in_use() const {
  std::lock_guard lock(shelf_->mutex);
  return shelf_->out_bytes;
}

size_t BufferPool::bytes_kept() const {
  std::lock_guard lock(shelf_->mutex);
  return shelf_->kept_bytes;
}

char* ByteArena::open(size_t bytes, size_t used) {
  if (room() < bytes) {
    SharedBuffer larger = pool_.take(std::max(bytes, kBlockBytes));
    if (used > 0) std::memcpy(larger->data(), block_->data() + begin_, used);
    block_ = std::move(larger);
    begin_ = 0;
  }
  return block_->data() + begin_;
}

std::string_view ByteArena::close(size_t used) {
  if (used == 0) return {"", 0};
  const std::string_view bytes(block_->data() + begin_, used);
  begin_ += used;
  closed_bytes_ += used;
  if (blocks_.empty() || blocks_.back() != block_) blocks_.push_back(block_);
  return bytes;
}

std::vector<SharedBuffer> ByteArena::take_blocks() {
  if (block_ != nullptr && begin_ > block_->capacity() / 2) block_.reset();
  closed_bytes_ = 0;
  return std::exchange(blocks_, {});
}

}  // namespace yeoul
