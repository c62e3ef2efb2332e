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
        call1(record_at(inputs_.first(), next));
      } else {
        call2(record_at(inputs_.second(), next));
      }
    }
  }
  void call1(const RecordView<In1>& value) {
    if constexpr (std::is_base_of_v<CoMapFunction<In1, In2, Out>, F>) {
      collector_.collect(function_.F::map1(value));
    } else if constexpr (std::is_base_of_v<CoFlatMapFunction<In1, In2, Out>, F>) {
      function_.F::flat_map1(value, collector_);
    } else {
      function_.F::process_element1(value, context_, collector_);
    }
  }
  void call2(const RecordView<In2>& value) {
    if constexpr (std::is_base_of_v<CoMapFunction<In1, In2, Out>, F>) {
      collector_.collect(function_.F::map2(value));
    } else if constexpr (std::is_base_of_v<CoFlatMapFunction<In1, In2, Out>, F>) {
      function_.F::flat_map2(value, collector_);
    } else {
      function_.F::process_element2(value, context_, collector_);
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

/// Runs a KeyedCoProcessFunction.
template <class F>
class KeyedCoProcessOperator final : public FunctionOperator {
 public:
  using In1 = typename F::Input1;
  using In2 = typename F::Input2;
  using Out = typename F::Output;

  KeyedCoProcessOperator(std::shared_ptr<const ConnectedTags> tags, std::shared_ptr<const KeyExtractor<In1>> extractor1,
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
        function_.F::process_element1(record_at(inputs_.first(), next), context_, collector_);
      } else {
        function_.F::process_element2(record_at(inputs_.second(), next), context_, collector_);
      }
    }
  }
  void end_batch() override { inputs_.reset(); }
  void on_timer(TimeDomain domain, int64_t time, std::string_view) override {
    context_.set_timestamp(time);
    context_.set_time_domain(domain);
    collector_.set_timestamp(domain == TimeDomain::kEventTime ? time : kNoTimestamp);
    function_.F::on_timer(time, context_, collector_);
  }
  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  std::shared_ptr<const KeyExtractor<In1>> extractor1_;
  std::shared_ptr<const KeyExtractor<In2>> extractor2_;
  F function_;
  TimerContext<typename F::Key> context_;
  Collector<Out> collector_;
  TwoInputs<In1, In2> inputs_;
};

}  // namespace yeoul
