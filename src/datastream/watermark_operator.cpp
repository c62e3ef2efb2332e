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

}  // namespace yeoul
