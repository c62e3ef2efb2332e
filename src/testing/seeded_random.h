#pragma once

#include <cstddef>
#include <cstdint>

namespace yeoul {

/// Numbers drawn from a seed, the same on every machine and with every library (SplitMix64). One thread.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ull;
    uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebull;
    return bits ^ (bits >> 31);
  }
  /// One of 0 … end - 1.
  int64_t below(int64_t end) { return static_cast<int64_t>(next() % static_cast<uint64_t>(end)); }
  /// One of first … last.
  int64_t between(int64_t first, int64_t last) { return first + below(last - first + 1); }
  /// True that many times in a thousand.
  bool chance(int64_t per_mille) { return below(1000) < per_mille; }
  /// One of the given values.
  template <class T, size_t n>
  T one_of(const T (&values)[n]) {
    return values[below(static_cast<int64_t>(n))];
  }

 private:
  uint64_t state_;
};

}  // namespace yeoul
