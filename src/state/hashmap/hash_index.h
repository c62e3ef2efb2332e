#pragma once

#include <cstdint>
#include <vector>

#include "yeoul/common/huge_pages.h"

namespace yeoul {

/// Open addressing from 32-bit hashes to entry numbers, linear probing, no tombstones. Knows no keys: the caller
/// compares. Threads: one writer, or readers only.
class HashIndex {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  /// The entry whose hash is `hash` and for which `equal(entry)` holds; kNone when there is none.
  template <class Equal>
  uint32_t find(uint32_t hash, Equal&& equal) const {
    if (cells_.empty()) return kNone;
    for (uint32_t i = hash & mask_;; i = (i + 1) & mask_) {
      const Cell cell = cells_[i];
      if (cell.entry == kNone) return kNone;
      if (cell.hash == hash && equal(cell.entry)) return cell.entry;
    }
  }
  /// The first entry with this hash, most likely the one wanted: to prefetch and try.
  uint32_t guess(uint32_t hash) const {
    return find(hash, [](uint32_t) { return true; });
  }
  void prefetch(uint32_t hash) const {
    if (!cells_.empty()) __builtin_prefetch(&cells_[hash & mask_]);
  }

  /// Adds an entry that is not there yet.
  void insert(uint32_t hash, uint32_t entry);
  /// Removes an entry that is there.
  void erase(uint32_t hash, uint32_t entry);
  uint32_t size() const { return size_; }

 private:
  struct Cell {
    uint32_t hash;
    uint32_t entry;
  };

  void place(Cell cell);

  std::vector<Cell, HugePageAllocator<Cell>> cells_;
  uint32_t mask_ = 0;
  uint32_t size_ = 0;
};

}  // namespace yeoul
