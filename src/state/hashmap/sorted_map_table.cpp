#include "yeoul/common/error.h"
#include "yeoul/state/hashmap/tables.h"

namespace yeoul {

SortedMapTable::SortedMapTable(const SortedMapTable& other)
    : StateTable(other), cells_(other.cells_), free_cells_(other.free_cells_) {
  rows_.reserve(other.rows_.size());
  for (const auto& row : other.rows_) rows_.push_back(row ? std::make_unique<Entries>(*row) : nullptr);
}

void* SortedMapTable::find(uint32_t row, std::string_view key) const {
  const Entries* map = entries(row);
  if (!map) return nullptr;
  const auto found = map->find(key);
  return found == map->end() ? nullptr : cells_.at(found->second);
}

void* SortedMapTable::find_or_insert(uint32_t row, std::string_view key) {
  if (row >= rows_.size()) rows_.resize(row + 1);
  if (!rows_[row]) rows_[row] = std::make_unique<Entries>();
  Entries& map = *rows_[row];
  const auto place = map.lower_bound(key);
  if (place != map.end() && place->first == key) return cells_.at(place->second);
  uint32_t index = cells_.size();
  if (free_cells_.empty()) {
    cells_.grow(index + 1);
  } else {
    index = free_cells_.back();
    free_cells_.pop_back();
  }
  map.emplace_hint(place, key, index);
  return cells_.at(index);
}

void SortedMapTable::erase(uint32_t row, std::string_view key) {
  if (row >= rows_.size() || !rows_[row]) return;
  const auto found = rows_[row]->find(key);
  if (found == rows_[row]->end()) return;
  cells_.reset(found->second);
  free_cells_.push_back(found->second);
  rows_[row]->erase(found);
  if (rows_[row]->empty()) rows_[row].reset();
}

void SortedMapTable::clear_row(uint32_t row) {
  if (row >= rows_.size() || !rows_[row]) return;
  for (const auto& [key, index] : *rows_[row]) {
    cells_.reset(index);
    free_cells_.push_back(index);
  }
  rows_[row].reset();
}

void SortedMapTable::write(std::span<const uint32_t> rows, ByteWriter& out) const {
  for (const uint32_t row : rows) {
    const Entries* map = entries(row);
    out.varint(map ? map->size() : 0);
    if (!map) continue;
    for (const auto& [key, index] : *map) {
      out.string(key);
      cells_.type().encode(cells_.at(index), out);
    }
  }
}

void SortedMapTable::read(std::span<const uint32_t> rows, ByteReader& in) {
  for (const uint32_t row : rows) {
    for (uint64_t left = in.varint(); left != 0; --left) {
      const std::string_view key = in.string();
      if (find(row, key)) throw internal_error(6001, "stored bytes are damaged: a map key occurs twice");
      cells_.type().decode(in, find_or_insert(row, key));
    }
  }
}

}  // namespace yeoul
