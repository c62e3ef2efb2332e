#include "yeoul/kafka/client/partitioner.h"

#include <cstring>

namespace yeoul {

int32_t murmur2(std::string_view bytes) {
  constexpr uint32_t kMultiplier = 0x5bd1e995;
  const auto size = static_cast<uint32_t>(bytes.size());
  uint32_t hash = 0x9747b28cu ^ size;
  const char* at = bytes.data();
  uint32_t left = size;
  for (; left >= 4; left -= 4, at += 4) {
    uint32_t word;
    std::memcpy(&word, at, sizeof word);
    word *= kMultiplier;
    word ^= word >> 24;
    word *= kMultiplier;
    hash *= kMultiplier;
    hash ^= word;
  }
  const auto byte = [&](int i) { return static_cast<uint32_t>(static_cast<uint8_t>(at[i])); };
  if (left >= 3) hash ^= byte(2) << 16;
  if (left >= 2) hash ^= byte(1) << 8;
  if (left >= 1) {
    hash ^= byte(0);
    hash *= kMultiplier;
  }
  hash ^= hash >> 13;
  hash *= kMultiplier;
  hash ^= hash >> 15;
  return static_cast<int32_t>(hash);
}

}  // namespace yeoul
