#include "yeoul/common/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#include <bit>

namespace yeoul {

uint32_t murmur3_32(std::string_view bytes) {
  constexpr uint32_t kC1 = 0xcc9e2d51;
  constexpr uint32_t kC2 = 0x1b873593;
  uint32_t hash = 0;
  const size_t num_blocks = bytes.size() / 4;
  for (size_t i = 0; i < num_blocks; ++i) {
    uint32_t block;
    std::memcpy(&block, bytes.data() + i * 4, 4);
    hash ^= std::rotl(block * kC1, 15) * kC2;
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
  }
  uint32_t tail = 0;
  for (size_t i = bytes.size(); i > num_blocks * 4; --i) {
    tail = (tail << 8) | static_cast<uint8_t>(bytes[i - 1]);
  }
  if (bytes.size() % 4 != 0) hash ^= std::rotl(tail * kC1, 15) * kC2;
  hash ^= static_cast<uint32_t>(bytes.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}

uint64_t hash_bytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint32_t crc32_of(std::string_view bytes) {
  return static_cast<uint32_t>(::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace yeoul
