#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/bytes.h"
#include "yeoul/state/hashmap/cell_array.h"
#include "yeoul/state/hashmap/hash_index.h"
#include "yeoul/state/hashmap/key_bytes.h"

namespace yeoul {

/// A table that snapshots may hold: while one does, its owner copies it before it writes. Threads: freeze and frozen
/// the task's; release any.
class Freezable {
 public:
  Freezable() = default;
  /// A copy is held by nobody.
  Freezable(const Freezable&) {}
  Freezable& operator=(const Freezable&) = delete;
  void freeze() const { holders_.fetch_add(1, std::memory_order_relaxed); }
  void release() const { holders_.fetch_sub(1, std::memory_order_release); }
  bool frozen() const { return holders_.load(std::memory_order_acquire) != 0; }

 protected:
  ~Freezable() = default;

 private:
  mutable std::atomic<int> holders_{0};
};

/// The keys of one key group: canonical bytes to dense row numbers, which all its state tables share. Rows of erased
/// keys are used again.
class KeyTable final : public Freezable {
 public:
  uint32_t find(std::string_view key, uint64_t hash) const;
  /// Adds a key that is not there yet; returns its row.
  uint32_t insert(std::string_view key, uint64_t hash);
  void erase(uint32_t row);
  bool is(uint32_t row, std::string_view key) const { return live(row) && arena_.equal(rows_[row].key, key); }
  bool live(uint32_t row) const { return row < rows_.size() && rows_[row].key.size != kFree; }
  std::string_view key(uint32_t row) const { return arena_.view(rows_[row].key); }
  uint32_t size() const { return index_.size(); }
  /// Rows of all keys, ascending.
  std::vector<uint32_t> live_rows() const;
  void prefetch(uint64_t hash) const { index_.prefetch(static_cast<uint32_t>(hash)); }

 private:
  static constexpr uint32_t kFree = 0xffffffff;
  struct Row {
    uint32_t hash;
    StoredKey key;
  };

  void compact_keys();

  HashIndex index_;
  std::vector<Row> rows_;
  std::vector<uint32_t> free_rows_;
  KeyArena arena_;
};

/// One state of one key group, addressed by the rows of its KeyTable. A row that was never written holds the default.
class StateTable : public Freezable {
 public:
  virtual ~StateTable() = default;
  virtual std::shared_ptr<StateTable> clone() const = 0;
  /// The state of the rows, in their order.
  virtual void write(std::span<const uint32_t> rows, ByteWriter& out) const = 0;
  /// Reads what write() wrote into rows that hold the default.
  virtual void read(std::span<const uint32_t> rows, ByteReader& in) = 0;
  /// The row's key is gone.
  virtual void clear_row(uint32_t row) = 0;
  /// About how many bytes write() of all rows gives; 0: not known.
  virtual size_t bytes_hint() const { return 0; }
};

class ValueTable final : public StateTable {
 public:
  explicit ValueTable(const CellType& type) : cells_(type) {}

  void* cell(uint32_t row) {
    if (row >= cells_.size()) cells_.grow(row + 1);
    return cells_.at(row);
  }
  std::shared_ptr<StateTable> clone() const override { return std::make_shared<ValueTable>(*this); }
  void write(std::span<const uint32_t> rows, ByteWriter& out) const override;
  void read(std::span<const uint32_t> rows, ByteReader& in) override;
  void clear_row(uint32_t row) override {
    if (row < cells_.size()) cells_.reset(row);
  }

 private:
  CellArray cells_;
};

/// Entries by (row, map key) in one open hash table; the entries of a row also form a list.
class MapTable final : public StateTable {
 public:
  explicit MapTable(const CellType& type);
  MapTable(const MapTable& other);
  ~MapTable() override;

  static uint32_t hash_of(uint32_t row, std::string_view key);
  void prefetch_index(uint32_t hash) const { index_.prefetch(hash); }
  /// The entry that is most likely the one of a key with this hash, on its way into the cache; kNone: there is none.
  uint32_t guess(uint32_t hash) const {
    const uint32_t guessed = index_.guess(hash);
    if (guessed != HashIndex::kNone) {
      __builtin_prefetch(entries_.at(guessed));
      __builtin_prefetch(static_cast<char*>(cell(guessed)) + type_.size - 1, 1);
    }
    return guessed;
  }
  /// The cell of a guessed entry; null when the guess was wrong.
  void* try_guess(uint32_t guessed, uint32_t row, std::string_view key) const {
    return guessed != HashIndex::kNone && is(guessed, row, key) ? cell(guessed) : nullptr;
  }
  /// Cells do not move, so addresses outlive other insertions.
  void* find(uint32_t row, std::string_view key, uint32_t hash) const;
  void* find_or_insert(uint32_t row, std::string_view key, uint32_t hash);
  void erase(uint32_t row, std::string_view key);
  bool row_empty(uint32_t row) const { return head(row) == HashIndex::kNone; }
  void for_each(uint32_t row, const std::function<bool(std::string_view, void*)>& visit) const;

  std::shared_ptr<StateTable> clone() const override { return std::make_shared<MapTable>(*this); }
  void write(std::span<const uint32_t> rows, ByteWriter& out) const override;
  void read(std::span<const uint32_t> rows, ByteReader& in) override;
  void clear_row(uint32_t row) override;
  /// A key's length, the key and the cell.
  size_t bytes_hint() const override { return num_entries_ * (sizeof(StoredKey) + type_.size); }

 private:
  /// With its cell behind it, and small: finding one should cost one cache line.
  struct Entry {
    uint32_t hash;
    uint32_t row;  ///< kNone: free
    StoredKey key;
  };
  /// The list of an entry's row, or of the free entries. Apart from the entries, since finding one needs no list.
  struct Link {
    uint32_t next;
    uint32_t previous;
  };

  Entry& entry(uint32_t index) const { return *reinterpret_cast<Entry*>(entries_.at(index)); }
  Link& link(uint32_t index) const { return *reinterpret_cast<Link*>(links_.at(index)); }
  void* cell(uint32_t index) const { return entries_.at(index) + cell_offset_; }
  uint32_t head(uint32_t row) const { return row < heads_.size() ? heads_[row] : HashIndex::kNone; }
  bool is(uint32_t index, uint32_t row, std::string_view key) const {
    const Entry& candidate = entry(index);
    return candidate.row == row && arena_.equal(candidate.key, key);
  }
  uint32_t find_index(uint32_t row, std::string_view key, uint32_t hash) const;
  void drop(uint32_t index);
  void compact_keys();

  CellType type_;
  uint32_t cell_offset_;
  ItemChunks entries_;
  ItemChunks links_{sizeof(Link), alignof(Link)};
  uint32_t num_entries_ = 0;  ///< used or free
  uint32_t free_ = HashIndex::kNone;
  HashIndex index_;
  std::vector<uint32_t> heads_;
  KeyArena arena_;
};

/// Ordered entries by row; for MIN and MAX under retraction.
class SortedMapTable final : public StateTable {
 public:
  using Entries = std::map<std::string, uint32_t, std::less<>>;

  explicit SortedMapTable(const CellType& type) : cells_(type) {}
  SortedMapTable(const SortedMapTable& other);

  void* find(uint32_t row, std::string_view key) const;
  void* find_or_insert(uint32_t row, std::string_view key);
  void erase(uint32_t row, std::string_view key);
  /// Null when the row has no entries.
  const Entries* entries(uint32_t row) const { return row < rows_.size() ? rows_[row].get() : nullptr; }
  void* cell(uint32_t index) const { return cells_.at(index); }

  std::shared_ptr<StateTable> clone() const override { return std::make_shared<SortedMapTable>(*this); }
  void write(std::span<const uint32_t> rows, ByteWriter& out) const override;
  void read(std::span<const uint32_t> rows, ByteReader& in) override;
  void clear_row(uint32_t row) override;

 private:
  CellArray cells_;
  std::vector<uint32_t> free_cells_;
  std::vector<std::unique_ptr<Entries>> rows_;
};

class ListTable final : public StateTable {
 public:
  const std::vector<std::string>* list(uint32_t row) const { return row < rows_.size() ? &rows_[row] : nullptr; }
  void append(uint32_t row, std::string_view element);

  std::shared_ptr<StateTable> clone() const override { return std::make_shared<ListTable>(*this); }
  void write(std::span<const uint32_t> rows, ByteWriter& out) const override;
  void read(std::span<const uint32_t> rows, ByteReader& in) override;
  void clear_row(uint32_t row) override;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace yeoul
