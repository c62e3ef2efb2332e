#pragma once

#include <cstdint>
#include <string_view>

#include "yeoul/common/hash.h"

namespace yeoul {

/// Key groups [first, last] of a subtask; the unit in which keyed state is stored and moved (Flink's KeyGroupRange).
struct KeyGroupRange {
  int first = 0;
  int last = 0;
  int size() const { return last - first + 1; }
  bool contains(int group) const { return group >= first && group <= last; }
  bool operator==(const KeyGroupRange&) const = default;
};

/// The group of a key: murmur3 of its canonical bytes modulo the maximum parallelism (D12).
inline int key_group_of(std::string_view canonical_key, int max_parallelism) {
  return static_cast<int>(murmur3_32(canonical_key) % static_cast<uint32_t>(max_parallelism));
}

/// Flink's computeOperatorIndexForKeyGroup.
inline int subtask_of_group(int group, int max_parallelism, int parallelism) {
  return group * parallelism / max_parallelism;
}

/// Flink's computeKeyGroupRangeForOperatorIndex.
inline KeyGroupRange key_groups_of_subtask(int subtask, int max_parallelism, int parallelism) {
  return {(subtask * max_parallelism + parallelism - 1) / parallelism,
          ((subtask + 1) * max_parallelism - 1) / parallelism};
}

/// Flink's default maximum parallelism: 1.5 times the parallelism, rounded up to a power of two, between 128 and 32768.
inline int default_max_parallelism(int parallelism) {
  int power = 1;
  while (power < parallelism + parallelism / 2) power *= 2;
  return power < 128 ? 128 : power > 32768 ? 32768 : power;
}

}  // namespace yeoul
