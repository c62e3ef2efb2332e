#include <algorithm>

#include "yeoul/common/error.h"
#include "yeoul/common/hash.h"
#include "yeoul/state/hashmap/tables.h"

namespace yeoul {

namespace {

uint32_t offset_of_cell(uint32_t entry_size, const CellType& type) {
  return (entry_size + type.alignment - 1) / type.alignment * type.alignment;
}

}  // namespace

MapTable::MapTable(const CellType& type)
    : type_(type),
      cell_offset_(offset_of_cell(sizeof(Entry), type)),
      entries_(cell_offset_ + type.size, std::max<uint32_t>(type.alignment, alignof(Entry))) {}

MapTable::MapTable(const MapTable& other)
    : StateTable(other),
      type_(other.type_),
      cell_offset_(other.cell_offset_),
      entries_(cell_offset_ + type_.size, std::max<uint32_t>(type_.alignment, alignof(Entry))),
      num_entries_(other.num_entries_),
      free_(other.free_),
      index_(other.index_),
      heads_(other.heads_),
      arena_(other.arena_) {
  entries_.copy_bytes(other.entries_, num_entries_);
  links_.copy_bytes(other.links_, num_entries_);
  if (type_.trivial) return;
  for (uint32_t i = 0; i < num_entries_; ++i) {
    if (entry(i).row == HashIndex::kNone) continue;
    type_.construct(cell(i));
    type_.copy(cell(i), other.cell(i));
  }
}

MapTable::~MapTable() {
  if (type_.trivial) return;
  for (uint32_t i = 0; i < num_entries_; ++i) {
    if (entry(i).row != HashIndex::kNone) type_.destroy(cell(i));
  }
}

uint32_t MapTable::hash_of(uint32_t row, std::string_view key) {
  const uint64_t hash = hash_bytes(key) ^ (row * 0x9e3779b97f4a7c15ull);
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

uint32_t MapTable::find_index(uint32_t row, std::string_view key, uint32_t hash) const {
  return index_.find(hash, [&](uint32_t index) { return is(index, row, key); });
}

void* MapTable::find(uint32_t row, std::string_view key, uint32_t hash) const {
  const uint32_t index = find_index(row, key, hash);
  return index == HashIndex::kNone ? nullptr : cell(index);
}

void* MapTable::find_or_insert(uint32_t row, std::string_view key, uint32_t hash) {
  if (void* found = find(row, key, hash)) return found;
  if (arena_.wasteful()) compact_keys();
  uint32_t index = free_;
  if (index != HashIndex::kNone) {
    free_ = link(index).next;
  } else {
    index = num_entries_++;
    entries_.reserve(num_entries_);
    links_.reserve(num_entries_);
  }
  if (row >= heads_.size()) heads_.resize(row + 1, HashIndex::kNone);
  const uint32_t next = heads_[row];
  new (entries_.at(index)) Entry{hash, row, arena_.store(key)};
  new (links_.at(index)) Link{next, HashIndex::kNone};
  if (next != HashIndex::kNone) link(next).previous = index;
  heads_[row] = index;
  type_.construct(cell(index));
  index_.insert(hash, index);
  return cell(index);
}

void MapTable::drop(uint32_t index) {
  Entry& dropped = entry(index);
  index_.erase(dropped.hash, index);
  arena_.release(dropped.key);
  if (!type_.trivial) type_.destroy(cell(index));
  dropped.row = HashIndex::kNone;
  link(index).next = free_;
  free_ = index;
}

void MapTable::erase(uint32_t row, std::string_view key) {
  const uint32_t index = find_index(row, key, hash_of(row, key));
  if (index == HashIndex::kNone) return;
  const Link erased = link(index);
  if (erased.next != HashIndex::kNone) link(erased.next).previous = erased.previous;
  if (erased.previous != HashIndex::kNone) {
    link(erased.previous).next = erased.next;
  } else {
    heads_[row] = erased.next;
  }
  drop(index);
}

void MapTable::clear_row(uint32_t row) {
  for (uint32_t index = head(row); index != HashIndex::kNone;) {
    const uint32_t next = link(index).next;
    drop(index);
    index = next;
  }
  if (row < heads_.size()) heads_[row] = HashIndex::kNone;
}

void MapTable::for_each(uint32_t row, const std::function<bool(std::string_view, void*)>& visit) const {
  for (uint32_t index = head(row); index != HashIndex::kNone;) {
    const uint32_t next = link(index).next;
    if (!visit(arena_.view(entry(index).key), cell(index))) return;
    index = next;
  }
}

void MapTable::write(std::span<const uint32_t> rows, ByteWriter& out) const {
  for (const uint32_t row : rows) {
    uint64_t count = 0;
    for (uint32_t index = head(row); index != HashIndex::kNone; index = link(index).next) ++count;
    out.varint(count);
    for (uint32_t index = head(row); index != HashIndex::kNone; index = link(index).next) {
      out.string(arena_.view(entry(index).key));
      type_.encode(cell(index), out);
    }
  }
}

void MapTable::read(std::span<const uint32_t> rows, ByteReader& in) {
  for (const uint32_t row : rows) {
    for (uint64_t left = in.varint(); left != 0; --left) {
      const std::string_view key = in.string();
      const uint32_t hash = hash_of(row, key);
      if (find(row, key, hash)) throw internal_error(6001, "stored bytes are damaged: a map key occurs twice");
      type_.decode(in, find_or_insert(row, key, hash));
    }
  }
}

void MapTable::compact_keys() {
  KeyArena arena;
  for (uint32_t i = 0; i < num_entries_; ++i) {
    if (entry(i).row != HashIndex::kNone) entry(i).key = arena.store(arena_.view(entry(i).key));
  }
  arena_ = std::move(arena);
}

}  // namespace yeoul
