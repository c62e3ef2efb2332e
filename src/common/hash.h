#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace yeoul {

/// MurmurHash3 x86 32-bit of the bytes with seed 0: decides a key's group (docs/architecture.md, D12). It is stored
/// in checkpoints through the groups, so it never changes.
uint32_t murmur3_32(std::string_view bytes);

/// A fast hash for tables in memory; never stored. XXH3.
uint64_t hash_bytes(std::string_view bytes);

/// Mixes a 64-bit value for tables in memory; never stored.
inline uint64_t hash_u64(uint64_t value) {
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93ull;
  value ^= value >> 32;
  value *= 0xd6e8feb86659fd93ull;
  value ^= value >> 32;
  return value;
}

/// CRC-32 (zlib's polynomial) of the bytes: the checksum of every file that Yeoul writes.
uint32_t crc32_of(std::string_view bytes);

}  // namespace yeoul
