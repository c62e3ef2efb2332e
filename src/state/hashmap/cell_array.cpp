#include "yeoul/state/hashmap/cell_array.h"

#include <algorithm>
#include <cstring>

namespace yeoul {

namespace {

constexpr size_t kCacheLine = 64;

}  // namespace

void ItemChunks::reserve(uint64_t count) {
  while (capacity() < count) {
    const size_t bytes = (size_t{kFirst} << chunks_.size()) * stride_;
    // Whole cache lines, so that an item of 32 bytes does not lie on two.
    const size_t alignment = std::max<size_t>(alignment_, kCacheLine);
    chunks_.emplace_back(static_cast<char*>(::operator new(bytes, std::align_val_t(alignment))), Free{alignment});
  }
}

void ItemChunks::copy_bytes(const ItemChunks& other, uint32_t count) {
  reserve(count);
  uint64_t first = 0;
  for (size_t chunk = 0; first < count; ++chunk) {
    const uint64_t items = std::min<uint64_t>(uint64_t{kFirst} << chunk, count - first);
    std::memcpy(chunks_[chunk].get(), other.chunks_[chunk].get(), items * stride_);
    first += items;
  }
}

CellArray::CellArray(const CellArray& other) : type_(other.type_), chunks_(other.type_.size, other.type_.alignment) {
  if (type_.trivial) {
    chunks_.copy_bytes(other.chunks_, other.size_);
    size_ = other.size_;
    return;
  }
  grow(other.size_);
  for (uint32_t i = 0; i < size_; ++i) type_.copy(at(i), other.at(i));
}

CellArray::~CellArray() {
  if (type_.trivial) return;
  for (uint32_t i = 0; i < size_; ++i) type_.destroy(at(i));
}

void CellArray::grow(uint32_t size) {
  if (size <= size_) return;
  chunks_.reserve(size);
  for (; size_ < size; ++size_) type_.construct(at(size_));
}

void CellArray::reset(uint32_t index) {
  if (!type_.trivial) type_.destroy(at(index));
  type_.construct(at(index));
}

}  // namespace yeoul
