#pragma once

#include <cstdint>

namespace yeoul {

/// The only source of time. Injected, so that tests and the simulator drive it.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Milliseconds since 1970-01-01 UTC.
  virtual int64_t wall_ms() const = 0;
  /// Nanoseconds of a clock that never goes back; for durations and rates.
  virtual int64_t steady_ns() const = 0;
};

/// The machine's clock; lives as long as the process.
Clock& system_clock();

}  // namespace yeoul
