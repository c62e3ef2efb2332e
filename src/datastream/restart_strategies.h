#pragma once

#include "yeoul/datastream/duration.h"
#include "yeoul/runtime/restart_strategy.h"

namespace yeoul {

/// What StreamExecutionEnvironment::set_restart_strategy() takes; the names are PyFlink's.
class RestartStrategies {
 public:
  static RestartSettings no_restart() { return {.type = RestartSettings::Type::kNone}; }
  /// Flink's default: exponential delay when checkpoints are made, none otherwise.
  static RestartSettings fall_back_restart() { return {}; }
  static RestartSettings fixed_delay_restart(int attempts, Duration delay) {
    return {.type = RestartSettings::Type::kFixedDelay, .attempts = attempts, .delay_ms = delay.to_millis()};
  }
  static RestartSettings exponential_delay_restart(Duration initial_backoff, Duration max_backoff,
                                                   double backoff_multiplier, Duration reset_backoff_threshold,
                                                   double jitter_factor) {
    return {.type = RestartSettings::Type::kExponentialDelay,
            .initial_backoff_ms = initial_backoff.to_millis(),
            .max_backoff_ms = max_backoff.to_millis(),
            .backoff_multiplier = backoff_multiplier,
            .reset_backoff_threshold_ms = reset_backoff_threshold.to_millis(),
            .jitter_factor = jitter_factor};
  }
  static RestartSettings failure_rate_restart(int failure_rate, Duration failure_interval, Duration delay) {
    return {.type = RestartSettings::Type::kFailureRate,
            .max_failures_per_interval = failure_rate,
            .failure_rate_interval_ms = failure_interval.to_millis(),
            .failure_rate_delay_ms = delay.to_millis()};
  }
};

}  // namespace yeoul
