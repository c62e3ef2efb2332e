#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <random>

namespace yeoul {

/// Whether and when a job that failed starts again: Flink's 'restart-strategy.*' with its defaults. What only the user
/// can mend never starts again (D18).
struct RestartSettings {
  enum class Type : uint8_t {
    kUnset,  ///< exponential-delay when checkpoints are made, else none
    kNone,
    kFixedDelay,
    kExponentialDelay,
    kFailureRate,
  };
  Type type = Type::kUnset;  ///< restart-strategy.type

  int attempts = 1;         ///< restart-strategy.fixed-delay.attempts
  int64_t delay_ms = 1000;  ///< restart-strategy.fixed-delay.delay

  // restart-strategy.exponential-delay.*
  int64_t initial_backoff_ms = 1000;
  int64_t max_backoff_ms = 60'000;
  double backoff_multiplier = 1.5;
  int64_t reset_backoff_threshold_ms = 3'600'000;  ///< after so long without a failure the delay is the first again
  double jitter_factor = 0.1;
  int attempts_before_reset_backoff = std::numeric_limits<int>::max();

  // restart-strategy.failure-rate.*
  int max_failures_per_interval = 1;
  int64_t failure_rate_interval_ms = 60'000;
  int64_t failure_rate_delay_ms = 1000;
};

/// Decides for one job. Threads: one.
class RestartStrategy {
 public:
  /// @param with_checkpoints  what kUnset means
  /// @param seed  of the jitter
  RestartStrategy(RestartSettings settings, bool with_checkpoints, uint32_t seed);

  /// The job has failed. @return milliseconds until it starts again; nothing: it does not
  std::optional<int64_t> on_failure(int64_t now_ms);
  /// The most restarts there can be without a rest between them; nothing: no limit.
  std::optional<int> attempts_max() const;

 private:
  std::optional<int64_t> exponential_delay(int64_t now_ms);
  std::optional<int64_t> failure_rate_delay(int64_t now_ms);

  RestartSettings settings_;
  int attempts_ = 0;
  double backoff_ms_;             ///< exponential-delay: of the next restart, without jitter
  int64_t restarted_at_ms_ = 0;   ///< exponential-delay: when the last restart was due
  std::deque<int64_t> failures_;  ///< failure-rate: times of the last ones
  std::minstd_rand random_;
};

}  // namespace yeoul
