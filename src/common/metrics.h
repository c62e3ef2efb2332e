#pragma once

#include <atomic>
#include <cstdint>

namespace yeoul {

/// A count that one thread adds to and any thread reads.
class Counter {
 public:
  void add(int64_t n) { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
  /// For a count that several threads add to.
  void add_shared(int64_t n) { value_.fetch_add(n, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_{0};
};

/// A value that one thread sets and any thread reads.
class Gauge {
 public:
  explicit Gauge(int64_t value = 0) : value_(value) {}
  void set(int64_t value) { value_.store(value, std::memory_order_relaxed); }
  int64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> value_;
};

}  // namespace yeoul
