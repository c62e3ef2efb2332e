#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "yeoul/datastream/function_operator.h"
#include "yeoul/datastream/key_extractor.h"
#include "yeoul/datastream/process_functions.h"

namespace yeoul {

/// What an operator with two inputs of types In1 and In2 holds of the batch at hand.
template <class In1, class In2>
class TwoInputs {
 public:
  void set(int input, const BatchPtr& batch) {
    first_ = input == 0 ? std::static_pointer_cast<const Batch<In1>>(batch) : nullptr;
    second_ = input == 0 ? nullptr : std::static_pointer_cast<const Batch<In2>>(batch);
  }
  void reset() { first_.reset(), second_.reset(); }
  bool is_first() const { return first_ != nullptr; }
  const Batch<In1>& first() const { return *first_; }
  const Batch<In2>& second() const { return *second_; }
  int64_t timestamp(size_t record) const {
    return first_ ? timestamp_of(*first_, record) : timestamp_of(*second_, record);
  }

 private:
  std::shared_ptr<const Batch<In1>> first_;
  std::shared_ptr<const Batch<In2>> second_;
};

/// Calls a Co…Function with a record of its first input.
template <class F, class Context>
void call_with_first(F& function, const RecordView<typename F::Input1>& value, Context& context,
                     Collector<typename F::Output>& out) {
  using In1 = typename F::Input1;
  using In2 = typename F::Input2;
  using Out = typename F::Output;
  if constexpr (std::is_base_of_v<CoMapFunction<In1, In2, Out>, F>) {
    out.collect(function.F::map1(value));
  } else if constexpr (std::is_base_of_v<CoFlatMapFunction<In1, In2, Out>, F>) {
    function.F::flat_map1(value, out);
  } else {
    function.F::process_element1(value, context, out);
  }
}

/// Calls a Co…Function with a record of its second input.
template <class F, class Context>
void call_with_second(F& function, const RecordView<typename F::Input2>& value, Context& context,
                      Collector<typename F::Output>& out) {
  using In1 = typename F::Input1;
  using In2 = typename F::Input2;
  using Out = typename F::Output;
  if constexpr (std::is_base_of_v<CoMapFunction<In1, In2, Out>, F>) {
    out.collect(function.F::map2(value));
  } else if constexpr (std::is_base_of_v<CoFlatMapFunction<In1, In2, Out>, F>) {
    function.F::flat_map2(value, out);
  } else {
    function.F::process_element2(value, context, out);
  }
}

/// Runs a CoMapFunction, a CoFlatMapFunction or a CoProcessFunction.
template <class F>
class CoOperator final : public FunctionOperator {
 public:
  using In1 = typename F::Input1;
  using In2 = typename F::Input2;
  using Out = typename F::Output;

  CoOperator(std::shared_ptr<const ConnectedTags> tags, F function)
      : FunctionOperator({}, std::move(tags)), function_(std::move(function)), context_(timers(), sides()) {}

 private:
  void open_functions(OperatorContext& context, RuntimeContext& runtime) override {
    (void)context;
    open_function(function_, runtime);
  }
  CanonicalKeys begin_batch(int input, const BatchPtr& batch) override {
    inputs_.set(input, batch);
    return {};
  }
  void process_records(size_t& next, size_t end) override {
    for (; next < end && !is_full(); ++next) {
      const int64_t timestamp = inputs_.timestamp(next);
      context_.set_timestamp(timestamp);
      collector_.set_timestamp(timestamp);
      if (inputs_.is_first()) {
        call_with_first(function_, record_at(inputs_.first(), next), context_, collector_);
      } else {
        call_with_second(function_, record_at(inputs_.second(), next), context_, collector_);
      }
    }
  }
  void end_batch() override { inputs_.reset(); }
  void on_timer(TimeDomain, int64_t, std::string_view) override {}
  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  F function_;
  FunctionContext context_;
  Collector<Out> collector_;
  TwoInputs<In1, In2> inputs_;
};

/// Runs a KeyedCoProcessFunction, or a CoMapFunction or CoFlatMapFunction on streams with keys of type K.
template <class K, class F>
class KeyedCoOperator final : public FunctionOperator {
 public:
  using In1 = typename F::Input1;
  using In2 = typename F::Input2;
  using Out = typename F::Output;

  KeyedCoOperator(std::shared_ptr<const ConnectedTags> tags, std::shared_ptr<const KeyExtractor<In1>> extractor1,
                  std::shared_ptr<const KeyExtractor<In2>> extractor2, F function)
      : FunctionOperator({.keyed = true}, std::move(tags)),
        extractor1_(std::move(extractor1)),
        extractor2_(std::move(extractor2)),
        function_(std::move(function)),
        context_(timers(), sides(), scope()) {}

 private:
  void open_functions(OperatorContext& context, RuntimeContext& runtime) override {
    (void)context;
    function_.open(runtime);
  }
  CanonicalKeys begin_batch(int input, const BatchPtr& batch) override {
    inputs_.set(input, batch);
    return inputs_.is_first() ? extractor1_->keys(inputs_.first()) : extractor2_->keys(inputs_.second());
  }
  void process_records(size_t& next, size_t end) override {
    for (; next < end && !is_full(); ++next) {
      const int64_t timestamp = inputs_.timestamp(next);
      scope().set_current(next);
      context_.set_timestamp(timestamp);
      collector_.set_timestamp(timestamp);
      if (inputs_.is_first()) {
        call_with_first(function_, record_at(inputs_.first(), next), context_, collector_);
      } else {
        call_with_second(function_, record_at(inputs_.second(), next), context_, collector_);
      }
    }
  }
  void end_batch() override { inputs_.reset(); }
  void on_timer(TimeDomain domain, int64_t time, std::string_view) override {
    if constexpr (requires { typename F::OnTimerContext; }) {  // the others set no timers
      context_.set_timestamp(time);
      context_.set_time_domain(domain);
      collector_.set_timestamp(domain == TimeDomain::kEventTime ? time : kNoTimestamp);
      function_.F::on_timer(time, context_, collector_);
    }
  }
  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  std::shared_ptr<const KeyExtractor<In1>> extractor1_;
  std::shared_ptr<const KeyExtractor<In2>> extractor2_;
  F function_;
  TimerContext<K> context_;
  Collector<Out> collector_;
  TwoInputs<In1, In2> inputs_;
};

}  // namespace yeoul
