#pragma once

#include <memory>
#include <utility>

#include "yeoul/datastream/function_operator.h"
#include "yeoul/datastream/key_extractor.h"
#include "yeoul/datastream/process_functions.h"

namespace yeoul {

// The functions are called by their class's name: without a virtual call, and inlined where the compiler sees fit.

/// Runs a ProcessFunction.
template <class In, class F>
class ProcessOperator final : public FunctionOperator {
 public:
  using Out = typename F::Output;

  ProcessOperator(std::shared_ptr<const ConnectedTags> tags, F function)
      : FunctionOperator({}, std::move(tags)), function_(std::move(function)), context_(timers(), sides()) {}

 private:
  void open_functions(OperatorContext& context, RuntimeContext& runtime) override {
    (void)context;
    function_.open(runtime);
  }
  CanonicalKeys begin_batch(int input, const BatchPtr& batch) override {
    (void)input;
    batch_ = std::static_pointer_cast<const Batch<In>>(batch);
    return {};
  }
  void process_records(size_t& next, size_t end) override {
    for (; next < end && !is_full(); ++next) {
      const int64_t timestamp = timestamp_of(*batch_, next);
      context_.set_timestamp(timestamp);
      collector_.set_timestamp(timestamp);
      function_.F::process_element(record_at(*batch_, next), context_, collector_);
    }
  }
  void end_batch() override { batch_.reset(); }
  void on_timer(TimeDomain, int64_t, std::string_view) override {}
  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  F function_;
  FunctionContext context_;
  Collector<Out> collector_;
  std::shared_ptr<const Batch<In>> batch_;
};

/// Runs a KeyedProcessFunction.
template <class K, class In, class F>
class KeyedProcessOperator final : public FunctionOperator {
 public:
  using Out = typename F::Output;

  KeyedProcessOperator(std::shared_ptr<const ConnectedTags> tags, std::shared_ptr<const KeyExtractor<In>> extractor,
                       F function)
      : FunctionOperator({.keyed = true}, std::move(tags)),
        extractor_(std::move(extractor)),
        function_(std::move(function)),
        context_(timers(), sides(), scope()) {}

 private:
  void open_functions(OperatorContext& context, RuntimeContext& runtime) override {
    (void)context;
    function_.open(runtime);
  }
  CanonicalKeys begin_batch(int input, const BatchPtr& batch) override {
    (void)input;
    batch_ = std::static_pointer_cast<const Batch<In>>(batch);
    return extractor_->keys(*batch_);
  }
  void process_records(size_t& next, size_t end) override {
    for (; next < end && !is_full(); ++next) {
      const int64_t timestamp = timestamp_of(*batch_, next);
      scope().set_current(next);
      context_.set_timestamp(timestamp);
      collector_.set_timestamp(timestamp);
      function_.F::process_element(record_at(*batch_, next), context_, collector_);
    }
  }
  void end_batch() override { batch_.reset(); }
  void on_timer(TimeDomain domain, int64_t time, std::string_view) override {
    const int64_t timestamp = domain == TimeDomain::kEventTime ? time : kNoTimestamp;
    context_.set_timestamp(time);
    context_.set_time_domain(domain);
    collector_.set_timestamp(timestamp);
    function_.F::on_timer(time, context_, collector_);
  }
  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  std::shared_ptr<const KeyExtractor<In>> extractor_;
  F function_;
  TimerContext<K> context_;
  Collector<Out> collector_;
  std::shared_ptr<const Batch<In>> batch_;
};

}  // namespace yeoul
