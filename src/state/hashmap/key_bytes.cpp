#include "yeoul/state/hashmap/key_bytes.h"

#include <algorithm>

namespace yeoul {

StoredKey KeyArena::store(std::string_view key) {
  StoredKey stored;
  stored.size = static_cast<uint32_t>(key.size());
  if (key.size() <= StoredKey::kInline) {
    std::memcpy(stored.bytes, key.data(), key.size());
    return stored;
  }
  if (blocks_.empty() || blocks_.back().size() + key.size() > blocks_.back().capacity()) {
    // The first blocks are small: most tables of most groups are.
    const size_t wanted = std::min(kBlock, size_t{1024} << std::min<size_t>(blocks_.size(), 6));
    blocks_.emplace_back().reserve(std::max(wanted, key.size()));
  }
  const Position position{static_cast<uint32_t>(blocks_.size() - 1), static_cast<uint32_t>(blocks_.back().size())};
  blocks_.back().append(key);
  std::memcpy(stored.bytes, &position, sizeof position);
  total_ += key.size();
  return stored;
}

}  // namespace yeoul
