#pragma once

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "yeoul/datastream/broadcast_state.h"
#include "yeoul/datastream/co_operators.h"

namespace yeoul {

/// The context of a function that may read broadcast maps, on top of `Base`.
template <class Base>
class ReadingBroadcast : public Base {
 public:
  template <class... Args>
  explicit ReadingBroadcast(BroadcastStates& states, Args&... args) : Base(args...), states_(states) {}

  template <class K, class V>
  ReadOnlyBroadcastState<K, V> get_broadcast_state(const MapStateDescriptor<K, V>& descriptor) {
    return ReadOnlyBroadcastState<K, V>(states_.map(descriptor));
  }

 private:
  BroadcastStates& states_;
};

/// The context of a function that changes broadcast maps.
class BroadcastContext : public FunctionContext {
 public:
  BroadcastContext(BroadcastStates& states, FunctionTimerService& timers, SideOutputs& sides)
      : FunctionContext(timers, sides), states_(states) {}

  template <class K, class V>
  BroadcastState<K, V> get_broadcast_state(const MapStateDescriptor<K, V>& descriptor) {
    return BroadcastState<K, V>(states_.map(descriptor));
  }

 private:
  BroadcastStates& states_;
};

/// A stream without keys beside a broadcast one; derive from it.
template <class In, class Broadcast, class Out>
class BroadcastProcessFunction {
 public:
  using Input1 = In;
  using Input2 = Broadcast;
  using Output = Out;
  using ReadOnlyContext = ReadingBroadcast<FunctionContext>;
  using Context = BroadcastContext;
  static constexpr bool kKeyed = false;

  virtual ~BroadcastProcessFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process_element(const RecordView<In>& value, ReadOnlyContext& context, Collector<Out>& out) = 0;
  virtual void process_broadcast_element(const RecordView<Broadcast>& value, Context& context, Collector<Out>& out) = 0;
};

/// A keyed stream beside a broadcast one; derive from it. Only the keyed side has states and timers of a key.
template <class K, class In, class Broadcast, class Out>
class KeyedBroadcastProcessFunction {
 public:
  using Key = K;
  using Input1 = In;
  using Input2 = Broadcast;
  using Output = Out;
  using ReadOnlyContext = ReadingBroadcast<KeyedContext<K>>;
  using OnTimerContext = WithTimeDomain<ReadingBroadcast<KeyedContext<K>>>;
  using Context = BroadcastContext;
  static constexpr bool kKeyed = true;

  virtual ~KeyedBroadcastProcessFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process_element(const RecordView<In>& value, ReadOnlyContext& context, Collector<Out>& out) = 0;
  virtual void process_broadcast_element(const RecordView<Broadcast>& value, Context& context, Collector<Out>& out) = 0;
  virtual void on_timer(int64_t timestamp, OnTimerContext& context, Collector<Out>& out) {
    (void)timestamp, (void)context, (void)out;
  }
};

/// Runs a BroadcastProcessFunction or a KeyedBroadcastProcessFunction; `Maps` are the BroadcastMaps it may use.
template <class F, class... Maps>
class BroadcastOperator final : public FunctionOperator {
 public:
  using In = typename F::Input1;
  using Broadcast = typename F::Input2;
  using Out = typename F::Output;

  /// @param extractor  null for a stream without keys
  BroadcastOperator(std::shared_ptr<const ConnectedTags> tags, std::shared_ptr<const KeyExtractor<In>> extractor,
                    F function, Maps... maps)
      : FunctionOperator({.keyed = F::kKeyed}, std::move(tags)),
        extractor_(std::move(extractor)),
        function_(std::move(function)),
        states_({std::make_shared<Maps>(std::move(maps))...}),
        element_context_(make_element_context()),
        broadcast_context_(states_, timers(), sides()) {}

  OperatorState snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    return snapshot_broadcast(states_.handles());
  }

 private:
  static auto context_type() {
    if constexpr (F::kKeyed) {
      return std::type_identity<typename F::OnTimerContext>();
    } else {
      return std::type_identity<typename F::ReadOnlyContext>();
    }
  }
  using ElementContext = typename decltype(context_type())::type;
  auto make_element_context() {
    if constexpr (F::kKeyed) {
      return ElementContext(states_, timers(), sides(), scope());
    } else {
      return ElementContext(states_, timers(), sides());
    }
  }

  void open_functions(OperatorContext& context, RuntimeContext& runtime) override {
    restore_broadcast(states_.handles(), context.restored_operator_state());
    function_.open(runtime);
  }
  CanonicalKeys begin_batch(int input, const BatchPtr& batch) override {
    inputs_.set(input, batch);
    return inputs_.is_first() && extractor_ ? extractor_->keys(inputs_.first()) : CanonicalKeys{};
  }
  void process_records(size_t& next, size_t end) override {
    for (; next < end && !is_full(); ++next) {
      const int64_t timestamp = inputs_.timestamp(next);
      collector_.set_timestamp(timestamp);
      if (inputs_.is_first()) {
        scope().set_current(next);
        element_context_.set_timestamp(timestamp);
        function_.F::process_element(record_at(inputs_.first(), next), element_context_, collector_);
      } else {
        broadcast_context_.set_timestamp(timestamp);
        function_.F::process_broadcast_element(record_at(inputs_.second(), next), broadcast_context_, collector_);
      }
    }
  }
  void end_batch() override { inputs_.reset(); }
  void on_timer(TimeDomain domain, int64_t time, std::string_view) override {
    if constexpr (F::kKeyed) {
      element_context_.set_timestamp(time);
      element_context_.set_time_domain(domain);
      collector_.set_timestamp(domain == TimeDomain::kEventTime ? time : kNoTimestamp);
      function_.F::on_timer(time, element_context_, collector_);
    }
  }
  size_t num_collected() const override { return collector_.size(); }
  void flush_collected(OperatorOutput& output) override { collector_.flush(output); }

  std::shared_ptr<const KeyExtractor<In>> extractor_;
  F function_;
  BroadcastStates states_;
  ElementContext element_context_;
  BroadcastContext broadcast_context_;
  Collector<Out> collector_;
  TwoInputs<In, Broadcast> inputs_;
};

}  // namespace yeoul
