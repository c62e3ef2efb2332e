#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace yeoul {

/// What has happened in the last half minute, from sums that only grow. Threads: one at a time.
template <class Stats>
class StatsWindow {
 public:
  struct Sample {
    int64_t at_ns = 0;
    Stats stats;
  };

  /// Keeps what is a second younger than what was kept last, the first as nothing done yet.
  /// @return whether it was kept
  bool add(const Stats& stats, int64_t now_ns) {
    if (samples_.empty()) samples_.push_back({now_ns, {}});
    if (now_ns - samples_.back().at_ns < kStepNs) return false;
    samples_.push_back({now_ns, stats});
    if (samples_.size() > kSteps + 1) samples_.erase(samples_.begin());
    return true;
  }
  const Stats& oldest() const { return samples_.front().stats; }
  Stats& newest() { return samples_.back().stats; }
  int64_t elapsed_ns() const { return samples_.back().at_ns - samples_.front().at_ns; }
  const std::vector<Sample>& samples() const { return samples_; }

 private:
  static constexpr int64_t kStepNs = 1'000'000'000;
  static constexpr size_t kSteps = 30;

  std::vector<Sample> samples_;  ///< the oldest first
};

/// Rounded; 0 of nothing.
inline int64_t mean_of(int64_t sum, int64_t count) {
  return count > 0 ? (sum + count / 2) / count : 0;
}

/// Rounded.
inline int64_t per_second(int64_t count, int64_t elapsed_ns) {
  return elapsed_ns > 0 ? static_cast<int64_t>(static_cast<double>(count) * 1e9 / static_cast<double>(elapsed_ns) + 0.5)
                        : 0;
}

}  // namespace yeoul
