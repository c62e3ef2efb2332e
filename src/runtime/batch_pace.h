#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace yeoul {

/// How many records a source's next batch may have: where functions are slow, as many as are done in a moment, since
/// barriers, timers and results wait for the end of a batch. Begins small and doubles while batches are done quickly.
/// Threads: one.
class BatchPace {
 public:
  /// @param paced  false: always `records_max`, so that batches do not depend on how fast the machine is
  BatchPace(int64_t records_max, bool paced)
      : paced_(paced), most_(records_max), next_(paced ? std::min(kFirst, records_max) : records_max) {}

  int64_t next() const { return next_; }
  void on_batch(size_t records, int64_t took_ns) {
    if (!paced_) return;
    const auto count = static_cast<int64_t>(records);
    if (took_ns > kLongNs) {
      next_ = std::max<int64_t>(
          1, static_cast<int64_t>(static_cast<double>(count) * kGoalNs / static_cast<double>(took_ns)));
    } else if (took_ns < kGoalNs && count >= next_) {
      next_ = std::min(most_, next_ * 2);
    }
  }

 private:
  static constexpr int64_t kFirst = 16;
  static constexpr int64_t kGoalNs = 20'000'000;
  static constexpr int64_t kLongNs = 50'000'000;

  const bool paced_;
  const int64_t most_;
  int64_t next_;
};

}  // namespace yeoul
