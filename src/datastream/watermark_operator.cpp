#include "yeoul/datastream/watermark_operator.h"

namespace yeoul {

void PeriodicCall::start(OperatorContext& context, int64_t interval_ms, std::function<void()> call) {
  context_ = &context;
  interval_ms_ = interval_ms;
  call_ = std::move(call);
  if (interval_ms_ > 0) schedule();
}

void PeriodicCall::schedule() {
  context_->register_processing_timer(context_->clock().wall_ms() + interval_ms_, [this] {
    call_();
    schedule();
  });
}

void IdleTimer::start(OperatorContext& context, int64_t timeout_ms) {
  context_ = &context;
  timeout_ms_ = timeout_ms;
  active();
}

void IdleTimer::active() {
  if (timeout_ms_ <= 0) return;
  active_at_ms_ = context_->clock().wall_ms();
  if (std::exchange(idle_, false)) context_->set_idle(false);
  if (!waiting_) check_at(active_at_ms_ + timeout_ms_);
}

void IdleTimer::check_at(int64_t wall_ms) {
  waiting_ = true;
  context_->register_processing_timer(wall_ms, [this] {
    waiting_ = false;
    const int64_t idle_at_ms = active_at_ms_ + timeout_ms_;
    if (context_->clock().wall_ms() < idle_at_ms) {
      check_at(idle_at_ms);
    } else {
      idle_ = true;
      context_->set_idle(true);
    }
  });
}

}  // namespace yeoul
