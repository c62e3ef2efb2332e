#pragma once

#include <cstdint>
#include <deque>
#include <utility>

namespace yeoul {

/// How fast a count has grown over about the last minute: Flink's MeterView, but without its delay of five seconds.
/// Threads: the owner's.
class RateWindow {
 public:
  static constexpr int64_t kSampleMs = 5'000;
  static constexpr int64_t kSpanMs = 60'000;

  /// Keeps a reading; to be called every kSampleMs, and once when the count begins.
  void sample(int64_t now_ms, int64_t count) {
    samples_.emplace_back(now_ms, count);
    while (samples_.size() > 1 && samples_.front().first < now_ms - kSpanMs) samples_.pop_front();
  }
  double per_second(int64_t now_ms, int64_t count) const {
    if (samples_.empty() || now_ms <= samples_.front().first) return 0;
    return static_cast<double>(count - samples_.front().second) * 1000.0 /
           static_cast<double>(now_ms - samples_.front().first);
  }

 private:
  std::deque<std::pair<int64_t, int64_t>> samples_;
};

}  // namespace yeoul
