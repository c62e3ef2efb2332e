#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace yeoul {

/// Whether two runs of `size` bytes are equal; for short ones without a call.
inline bool same_bytes(const char* a, const char* b, size_t size) {
  const auto same = [&]<class T>(T, size_t at) {
    T left;
    T right;
    std::memcpy(&left, a + at, sizeof left);
    std::memcpy(&right, b + at, sizeof right);
    return left == right;
  };
  if (size > 24) return std::memcmp(a, b, size) == 0;
  if (size >= 8) {
    return same(uint64_t{}, 0) && same(uint64_t{}, size - 8) && (size <= 16 || same(uint64_t{}, 8));
  }
  if (size >= 4) return same(uint32_t{}, 0) && same(uint32_t{}, size - 4);
  for (size_t i = 0; i < size; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

/// Key bytes as they lie in an entry: up to kInline bytes in place, longer ones in the table's KeyArena.
struct StoredKey {
  static constexpr uint32_t kInline = 12;
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
  bool equal(const StoredKey& stored, std::string_view key) const {
    return stored.size == key.size() && same_bytes(view(stored).data(), key.data(), key.size());
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
