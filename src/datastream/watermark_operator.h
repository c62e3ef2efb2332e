#pragma once

#include <memory>
#include <utility>

#include "yeoul/datastream/watermark_source.h"
#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Refuses, in words, what is no strategy for records of type T.
template <class T, class Strategy>
constexpr bool check_strategy() {
  constexpr bool kIsStrategy = requires { Strategy::kByTimestamp; };
  static_assert(kIsStrategy,
                "Yeoul: a strategy is made by WatermarkStrategy, e.g. WatermarkStrategy::for_monotonous_timestamps()");
  if constexpr (kIsStrategy) {
    constexpr bool kFits = TimestampAssignerFor<std::decay_t<decltype(std::declval<Strategy>().assigner())>, T>;
    static_assert(
        kFits,
        "Yeoul: with_timestamp_assigner() needs a function that takes a record of this stream and returns its "
        "event time in milliseconds, e.g. [](const Click& click) { return click.at; }");
    return kFits;
  } else {
    return false;
  }
}

/// Calls what the operator below does by the wall clock, without templates. Threads: the task's.
class PeriodicCall {
 public:
  /// Calls `call` every `interval_ms` from now on; never for 0.
  void start(OperatorContext& context, int64_t interval_ms, std::function<void()> call);

 private:
  void schedule();

  OperatorContext* context_ = nullptr;
  int64_t interval_ms_ = 0;
  std::function<void()> call_;
};

/// Tells the operators behind one that no records come for a while, and that they come again. Threads: the task's.
class IdleTimer {
 public:
  /// Idle once `timeout_ms` have passed since records came, or since now; never for 0.
  void start(OperatorContext& context, int64_t timeout_ms);
  /// Records come.
  void active();

 private:
  void check_at(int64_t wall_ms);

  OperatorContext* context_ = nullptr;
  int64_t timeout_ms_ = 0;
  int64_t active_at_ms_ = 0;
  bool waiting_ = false;
  bool idle_ = false;
};

/// Gives records their event time and makes watermarks of it; those from before it end here, but for the last.
template <class T, class Strategy>
class WatermarkOperator final : public Operator {
 public:
  WatermarkOperator(Strategy strategy, int64_t interval_ms)
      : strategy_(std::move(strategy)), interval_ms_(interval_ms), generator_(make_generator(strategy_)) {}

  void open(OperatorContext& context) override {
    context_ = &context;
    if (Strategy::kHasWatermarks) watermark_calls_.start(context, interval_ms_, [this] { emit_periodic(); });
    idle_timer_.start(context, strategy_.idle_timeout_ms);
  }

  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    idle_timer_.active();
    BatchPtr from = batch;
    if constexpr (Strategy::kHasAssigner) {
      auto stamped = std::make_shared<Batch<T>>(batch_cast<T>(*batch));
      assign_timestamps(strategy_.assigner(), *stamped);
      from = std::move(stamped);
    }
    if constexpr (Strategy::kByTimestamp) {
      for (const int64_t timestamp : batch_cast<T>(*from).timestamps) {
        watermark_ = std::max(watermark_, strategy_.watermarks().watermark_of(timestamp));
      }
      output.emit(std::move(from));
    } else {
      emit_cut(from, output);
    }
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    if (watermark == kMaxWatermark) output.emit_watermark(watermark);
  }

 private:
  static auto make_generator(const Strategy& strategy) {
    if constexpr (Strategy::kByTimestamp) {
      return 0;
    } else {
      return strategy.watermarks().make();
    }
  }
  using Generator = decltype(make_generator(std::declval<const Strategy&>()));

  /// Records up to one at which the generator emits, then its watermark, and so on.
  void emit_cut(const BatchPtr& batch, OperatorOutput& output) {
    const auto& from = batch_cast<T>(*batch);
    std::vector<uint32_t> records;
    WatermarkOutput watermarks;
    for (uint32_t i = 0; i < from.values.size(); ++i) {
      records.push_back(i);
      generator_.on_event(from.values[i], timestamp_of(from, i), watermarks);
      const int64_t watermark = watermarks.take();
      if (watermark == kMinWatermark) continue;
      output.emit(splitter_.take(batch, std::exchange(records, {})));
      output.emit_watermark(watermark);
    }
    if (records.size() == from.values.size()) {
      output.emit(batch);
    } else if (!records.empty()) {
      output.emit(splitter_.take(batch, records));
    }
  }
  void emit_periodic() {
    if constexpr (!Strategy::kByTimestamp) {
      WatermarkOutput watermarks;
      generator_.on_periodic_emit(watermarks);
      watermark_ = std::max(watermark_, watermarks.take());
    }
    if (watermark_ > kMinWatermark) context_->output().emit_watermark(watermark_);
  }

  Strategy strategy_;
  int64_t interval_ms_;
  Generator generator_;
  TypedBatchSplitter<T> splitter_;
  OperatorContext* context_ = nullptr;
  PeriodicCall watermark_calls_;
  IdleTimer idle_timer_;
  int64_t watermark_ = kMinWatermark;
};

}  // namespace yeoul
