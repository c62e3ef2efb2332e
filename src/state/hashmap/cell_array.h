#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

/// Memory for items of one size in chunks that double, so that items never move. Uninitialised: the owner constructs
/// and destroys. Threads: one writer, or readers only.
class ItemChunks {
 public:
  ItemChunks(uint32_t item_size, uint32_t alignment)
      : stride_((item_size + alignment - 1) / alignment * alignment), alignment_(alignment) {}

  char* at(uint32_t index) const {
    const uint64_t position = static_cast<uint64_t>(index) + kFirst;
    const int chunk = std::bit_width(position) - std::bit_width(uint64_t{kFirst});
    return chunks_[static_cast<size_t>(chunk)].get() + (position - (uint64_t{kFirst} << chunk)) * stride_;
  }
  /// Makes room for items [0, count).
  void reserve(uint64_t count);
  /// Takes over the bytes of the first `count` items of another of the same shape.
  void copy_bytes(const ItemChunks& other, uint32_t count);

 private:
  static constexpr uint32_t kFirst = 8;
  struct Free {
    size_t alignment;
    void operator()(char* memory) const { ::operator delete(memory, std::align_val_t(alignment)); }
  };

  uint64_t capacity() const { return (uint64_t{kFirst} << chunks_.size()) - kFirst; }

  uint32_t stride_;
  uint32_t alignment_;
  std::vector<std::unique_ptr<char, Free>> chunks_;
};

/// A growing array of cells of one CellType; addresses stay valid while it lives.
class CellArray {
 public:
  explicit CellArray(const CellType& type) : type_(type), chunks_(type.size, type.alignment) {}
  CellArray(const CellArray& other);
  CellArray& operator=(const CellArray&) = delete;
  ~CellArray();

  const CellType& type() const { return type_; }
  uint32_t size() const { return size_; }
  void* at(uint32_t index) const { return chunks_.at(index); }
  /// Adds default cells until there are `size`.
  void grow(uint32_t size);
  /// Makes a cell the default again.
  void reset(uint32_t index);

 private:
  CellType type_;
  ItemChunks chunks_;
  uint32_t size_ = 0;
};

}  // namespace yeoul
