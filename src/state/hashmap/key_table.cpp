#include "yeoul/state/hashmap/tables.h"

namespace yeoul {

uint32_t KeyTable::find(std::string_view key, uint64_t hash) const {
  return index_.find(static_cast<uint32_t>(hash), [&](uint32_t row) { return arena_.equal(rows_[row].key, key); });
}

uint32_t KeyTable::insert(std::string_view key, uint64_t hash) {
  if (arena_.wasteful()) compact_keys();
  uint32_t row;
  if (free_rows_.empty()) {
    row = static_cast<uint32_t>(rows_.size());
    rows_.emplace_back();
  } else {
    row = free_rows_.back();
    free_rows_.pop_back();
  }
  rows_[row] = {static_cast<uint32_t>(hash), arena_.store(key)};
  index_.insert(static_cast<uint32_t>(hash), row);
  return row;
}

void KeyTable::erase(uint32_t row) {
  index_.erase(rows_[row].hash, row);
  arena_.release(rows_[row].key);
  rows_[row].key.size = kFree;
  free_rows_.push_back(row);
}

std::vector<uint32_t> KeyTable::live_rows() const {
  std::vector<uint32_t> rows;
  rows.reserve(size());
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].key.size != kFree) rows.push_back(row);
  }
  return rows;
}

void KeyTable::compact_keys() {
  KeyArena arena;
  for (Row& row : rows_) {
    if (row.key.size != kFree) row.key = arena.store(arena_.view(row.key));
  }
  arena_ = std::move(arena);
}

}  // namespace yeoul
