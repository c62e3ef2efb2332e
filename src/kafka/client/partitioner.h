#pragma once

#include <cstdint>
#include <string_view>

namespace yeoul {

/// The 32-bit MurmurHash2 that the Java client uses for keys (seed 0x9747b28c): murmur2("foobar") is -790332482.
int32_t murmur2(std::string_view bytes);

/// The partition that the Java producer's default partitioner picks for a key that is not null.
inline int32_t partition_for_key(std::string_view key, int32_t num_partitions) {
  return (murmur2(key) & 0x7fffffff) % num_partitions;
}

}  // namespace yeoul
