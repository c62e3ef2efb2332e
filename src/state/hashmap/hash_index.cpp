#include "yeoul/state/hashmap/hash_index.h"

#include <utility>

namespace yeoul {

void HashIndex::place(Cell cell) {
  uint32_t i = cell.hash & mask_;
  while (cells_[i].entry != kNone) i = (i + 1) & mask_;
  cells_[i] = cell;
}

void HashIndex::insert(uint32_t hash, uint32_t entry) {
  if ((static_cast<uint64_t>(size_) + 1) * 4 > cells_.size() * 3) {
    decltype(cells_) old(cells_.empty() ? 16 : cells_.size() * 2, Cell{0, kNone});
    std::swap(old, cells_);
    mask_ = static_cast<uint32_t>(cells_.size() - 1);
    for (const Cell& cell : old) {
      if (cell.entry != kNone) place(cell);
    }
  }
  place({hash, entry});
  ++size_;
}

void HashIndex::erase(uint32_t hash, uint32_t entry) {
  uint32_t hole = hash & mask_;
  while (cells_[hole].entry != entry) hole = (hole + 1) & mask_;
  // Cells behind the hole move up unless that would put them before their home.
  for (uint32_t i = (hole + 1) & mask_; cells_[i].entry != kNone; i = (i + 1) & mask_) {
    const uint32_t home = cells_[i].hash & mask_;
    if (((i - home) & mask_) < ((i - hole) & mask_)) continue;
    cells_[hole] = cells_[i];
    hole = i;
  }
  cells_[hole].entry = kNone;
  --size_;
}

}  // namespace yeoul
