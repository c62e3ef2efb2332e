#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

namespace yeoul {

/// How long to wait before the next attempt: twice as long each time up to a limit, a fifth more or less at random, so
/// that many clients of a broker that restarts do not come back at the same moment (KIP-580).
class Backoff {
 public:
  Backoff(int64_t first_ns, int64_t longest_ns, uint32_t seed)
      : first_ns_(first_ns), longest_ns_(longest_ns), base_ns_(first_ns), random_(seed) {}

  int64_t next_ns() {
    const int64_t wait = static_cast<int64_t>(static_cast<double>(base_ns_) * spread_(random_));
    base_ns_ = std::min(base_ns_ * 2, longest_ns_);
    return wait;
  }
  /// After a success.
  void reset() { base_ns_ = first_ns_; }

 private:
  int64_t first_ns_;
  int64_t longest_ns_;
  int64_t base_ns_;
  std::minstd_rand random_;
  std::uniform_real_distribution<double> spread_{0.8, 1.2};
};

}  // namespace yeoul
