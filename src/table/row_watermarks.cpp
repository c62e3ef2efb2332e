#include "yeoul/table/row_watermarks.h"

#include <algorithm>

#include "yeoul/datastream/operator_factories.h"
#include "yeoul/datastream/watermark_operator.h"

namespace yeoul {
namespace {

class RowWatermarks final : public Operator {
 public:
  RowWatermarks(std::shared_ptr<const SourceWatermarkStrategy> strategy, int64_t interval_ms)
      : strategy_(std::move(strategy)), interval_ms_(interval_ms) {}

  void open(OperatorContext& context) override {
    context_ = &context;
    emit_calls_.start(context, interval_ms_, [this] { emit(context_->output()); });
    idle_timer_.start(context, strategy_->idle_timeout_ms);
  }
  void process_batch(int, const BatchPtr& batch, OperatorOutput& output) override {
    idle_timer_.active();
    strategy_->candidates(*batch, candidates_);
    for (const int64_t candidate : candidates_) watermark_ = std::max(watermark_, candidate);
    output.emit(batch);
    if (strategy_->on_event) emit(output);
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    if (watermark == kMaxWatermark) output.emit_watermark(watermark);
  }

 private:
  void emit(OperatorOutput& output) {
    if (watermark_ > kMinWatermark) output.emit_watermark(watermark_);
  }

  std::shared_ptr<const SourceWatermarkStrategy> strategy_;
  int64_t interval_ms_;
  OperatorContext* context_ = nullptr;
  PeriodicCall emit_calls_;
  IdleTimer idle_timer_;
  std::vector<int64_t> candidates_;
  int64_t watermark_ = kMinWatermark;
};

}  // namespace

std::shared_ptr<const OperatorFactory> make_row_watermarks(std::shared_ptr<const SourceWatermarkStrategy> strategy,
                                                           int64_t interval_ms) {
  return operator_factory<RowWatermarks>(std::move(strategy), interval_ms);
}

}  // namespace yeoul
