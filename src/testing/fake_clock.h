#pragma once

#include <atomic>
#include <cstdint>

#include "yeoul/common/clock.h"

namespace yeoul {

/// A clock that tests move. Threads: any.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(int64_t wall_ms = 1'000'000) : now_ms_(wall_ms) {}
  int64_t wall_ms() const override { return now_ms_.load(); }
  int64_t steady_ns() const override { return now_ms_.load() * 1'000'000; }
  void advance(int64_t ms) { now_ms_.fetch_add(ms); }

 private:
  std::atomic<int64_t> now_ms_;
};

}  // namespace yeoul
