#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "yeoul/common/hash.h"

namespace yeoul {

/// What a simulation saw that must not be, and a hash of all that happened, in order. One thread.
class SimulationFindings {
 public:
  void add(std::string text) {
    if (texts_.size() < kMax) texts_.push_back(std::move(text));
  }
  const std::vector<std::string>& texts() const { return texts_; }

  /// Makes a number part of the hash.
  void trace(uint64_t value) { hash_ = hash_u64(hash_ ^ value) + 0x9e3779b97f4a7c15ull; }
  uint64_t trace_hash() const { return hash_; }

 private:
  static constexpr size_t kMax = 20;
  std::vector<std::string> texts_;
  uint64_t hash_ = 0;
};

}  // namespace yeoul
