#include "yeoul/runtime/restart_strategy.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

using RestartType = RestartSettings::Type;

TEST(RestartStrategy, UnsetIsExponentialDelayWithCheckpointsAndNoneWithout) {
  EXPECT_EQ(RestartStrategy({}, false, 1).on_failure(0), std::nullopt);
  RestartStrategy strategy({.jitter_factor = 0}, true, 1);
  for (const int64_t expected : {1000, 1500, 2250, 3375, 5062, 7593, 11390, 17085, 25628, 38443, 57665, 60000, 60000}) {
    EXPECT_EQ(strategy.on_failure(0), expected);
  }
  EXPECT_EQ(strategy.attempts_max(), std::nullopt);
}

TEST(RestartStrategy, ExponentialDelayJitters) {
  RestartStrategy strategy(
      {.type = RestartType::kExponentialDelay, .initial_backoff_ms = 10'000, .backoff_multiplier = 2}, true, 7);
  EXPECT_GE(*strategy.on_failure(0), 10'000);  // never less than the first
  const int64_t second = *strategy.on_failure(0);
  EXPECT_GE(second, 18'000);
  EXPECT_LE(second, 22'000);
  EXPECT_NE(second, 20'000);
}

TEST(RestartStrategy, ExponentialDelayBeginsAgainAfterARest) {
  RestartStrategy strategy({.type = RestartType::kExponentialDelay,
                            .reset_backoff_threshold_ms = 10'000,
                            .jitter_factor = 0,
                            .attempts_before_reset_backoff = 2},
                           true, 1);
  EXPECT_EQ(strategy.on_failure(0), 1000);
  EXPECT_EQ(strategy.on_failure(10'999), 1500);  // restarted at 1000: 9999 ms of rest
  EXPECT_EQ(strategy.on_failure(12'499 + 10'000), 1000);
  EXPECT_EQ(strategy.on_failure(24'000), 1500);
  EXPECT_EQ(strategy.on_failure(26'000), std::nullopt);
}

TEST(RestartStrategy, FailureRate) {
  RestartStrategy strategy(
      {.type = RestartType::kFailureRate, .max_failures_per_interval = 2, .failure_rate_delay_ms = 5}, false, 1);
  EXPECT_EQ(strategy.on_failure(0), 5);
  EXPECT_EQ(strategy.on_failure(50'000), 5);
  EXPECT_EQ(strategy.on_failure(60'001), 5);  // the first is out of the minute
  EXPECT_EQ(strategy.on_failure(60'002), std::nullopt);
}

TEST(RestartStrategy, FixedDelay) {
  RestartStrategy strategy({.type = RestartType::kFixedDelay, .attempts = 2, .delay_ms = 7}, true, 1);
  EXPECT_EQ(strategy.on_failure(0), 7);
  EXPECT_EQ(strategy.on_failure(0), 7);
  EXPECT_EQ(strategy.on_failure(1'000'000), std::nullopt);
  EXPECT_EQ(RestartStrategy({.type = RestartType::kNone}, true, 1).on_failure(0), std::nullopt);
}

}  // namespace
}  // namespace yeoul
