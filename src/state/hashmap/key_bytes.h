#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// Key bytes as they lie in an entry: up to kInline bytes in place, longer ones in the table's KeyArena.
struct StoredKey {
  static constexpr uint32_t kInline = 20;
  uint32_t size = 0;
  char bytes[kInline];
};

/// Holds the long keys of one table, addressed by position, so that a copy of the table copies blocks and no pointers.
class KeyArena {
 public:
  StoredKey store(std::string_view key);
  std::string_view view(const StoredKey& key) const {
    if (key.size <= StoredKey::kInline) return {key.bytes, key.size};
    Position position;
    std::memcpy(&position, key.bytes, sizeof position);
    return {blocks_[position.block].data() + position.offset, key.size};
  }
  /// The key is no longer in use.
  void release(const StoredKey& key) {
    if (key.size > StoredKey::kInline) dead_ += key.size;
  }
  /// More than half is dead: the owner should store its live keys in a new arena.
  bool wasteful() const { return dead_ > kBlock && dead_ * 2 > total_; }

 private:
  struct Position {
    uint32_t block;
    uint32_t offset;
  };
  static constexpr size_t kBlock = size_t{1} << 16;

  std::vector<std::string> blocks_;
  size_t total_ = 0;
  size_t dead_ = 0;
};

}  // namespace yeoul
