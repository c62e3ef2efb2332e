#include "yeoul/runtime/restart_strategy.h"

#include <algorithm>

namespace yeoul {

RestartStrategy::RestartStrategy(RestartSettings settings, bool with_checkpoints, uint32_t seed)
    : settings_(settings), backoff_ms_(static_cast<double>(settings.initial_backoff_ms)), random_(seed) {
  if (settings_.type != RestartSettings::Type::kUnset) return;
  settings_.type = with_checkpoints ? RestartSettings::Type::kExponentialDelay : RestartSettings::Type::kNone;
}

std::optional<int64_t> RestartStrategy::on_failure(int64_t now_ms) {
  switch (settings_.type) {
    case RestartSettings::Type::kFixedDelay:
      return attempts_++ < settings_.attempts ? std::optional(settings_.delay_ms) : std::nullopt;
    case RestartSettings::Type::kExponentialDelay:
      return exponential_delay(now_ms);
    case RestartSettings::Type::kFailureRate:
      return failure_rate_delay(now_ms);
    default:
      return std::nullopt;
  }
}

std::optional<int> RestartStrategy::attempts_max() const {
  if (settings_.type == RestartSettings::Type::kFixedDelay) return settings_.attempts;
  const bool limited = settings_.type == RestartSettings::Type::kExponentialDelay &&
                       settings_.attempts_before_reset_backoff != std::numeric_limits<int>::max();
  return limited ? std::optional(settings_.attempts_before_reset_backoff) : std::nullopt;
}

std::optional<int64_t> RestartStrategy::exponential_delay(int64_t now_ms) {
  if (attempts_ > 0 && now_ms - restarted_at_ms_ >= settings_.reset_backoff_threshold_ms) {
    attempts_ = 0;
    backoff_ms_ = static_cast<double>(settings_.initial_backoff_ms);
  }
  if (attempts_ >= settings_.attempts_before_reset_backoff) return std::nullopt;
  ++attempts_;
  const auto least = static_cast<double>(settings_.initial_backoff_ms);
  const auto most = static_cast<double>(settings_.max_backoff_ms);
  std::uniform_real_distribution<double> jitter(-settings_.jitter_factor, settings_.jitter_factor);
  const double delay = std::clamp(backoff_ms_ * (1 + jitter(random_)), least, most);
  backoff_ms_ = std::min(backoff_ms_ * settings_.backoff_multiplier, most);
  restarted_at_ms_ = now_ms + static_cast<int64_t>(delay);
  return static_cast<int64_t>(delay);
}

std::optional<int64_t> RestartStrategy::failure_rate_delay(int64_t now_ms) {
  while (!failures_.empty() && now_ms - failures_.front() > settings_.failure_rate_interval_ms) failures_.pop_front();
  failures_.push_back(now_ms);
  if (failures_.size() > static_cast<size_t>(settings_.max_failures_per_interval)) return std::nullopt;
  return settings_.failure_rate_delay_ms;
}

}  // namespace yeoul
