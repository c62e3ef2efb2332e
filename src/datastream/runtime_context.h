#pragma once

#include <string>
#include <utility>

#include "yeoul/datastream/keyed_states.h"
#include "yeoul/runtime/operator.h"

namespace yeoul {

/// What a function is told when it is opened, and where it takes its states from. Valid during open().
class RuntimeContext {
 public:
  /// @param scope  null: the stream is not keyed
  RuntimeContext(OperatorContext& context, KeyedScope* scope) : context_(context), scope_(scope) {}

  const std::string& get_task_name() const { return context_.operator_name(); }
  int get_index_of_this_subtask() const { return context_.subtask(); }
  int get_number_of_parallel_subtasks() const { return context_.parallelism(); }
  int get_max_number_of_parallel_subtasks() const { return context_.max_parallelism(); }

  /// Metrics of the function's own, e.g. `context.get_metrics_group().counter("refused")`: reported as those of its
  /// operator. References stay valid as long as the function.
  MetricGroup& get_metrics_group() { return context_.metric_group(); }

  // States of the current key. @throws user error 7111 for a name used twice, 7113 on a stream without keys,
  // 7131 for a name that is reserved
  template <class T>
  ValueState<T> get_state(const ValueStateDescriptor<T>& descriptor) {
    return ValueState<T>(scope_for(descriptor.name).template state<ValueStateHandle<T>>(descriptor.stored()));
  }
  template <class T>
  ListState<T> get_list_state(const ListStateDescriptor<T>& descriptor) {
    return ListState<T>(scope_for(descriptor.name).template state<ListStateHandle>(descriptor.stored()));
  }
  template <class K, class V>
  MapState<K, V> get_map_state(const MapStateDescriptor<K, V>& descriptor) {
    return MapState<K, V>(scope_for(descriptor.name).template state<MapStateHandle<V>>(descriptor.stored()));
  }
  template <class T>
  ReducingState<T> get_reducing_state(const ReducingStateDescriptor<T>& descriptor) {
    const ValueStateDescriptor<T> value{descriptor.name};
    return {scope_for(descriptor.name).template state<ValueStateHandle<T>>(value.stored()), descriptor.reduce};
  }
  template <class F>
  AggregatingState<typename F::Input, typename F::Output> get_aggregating_state(
      const AggregatingStateDescriptor<F>& descriptor) {
    using Accumulator = typename F::Accumulator;
    const ValueStateDescriptor<Accumulator> value{descriptor.name};
    return {scope_for(descriptor.name).template state<ValueStateHandle<Accumulator>>(value.stored()),
            descriptor.function};
  }

 private:
  /// @throws user errors 7113, 7131
  KeyedScope& scope_for(const std::string& state) const;

  OperatorContext& context_;
  KeyedScope* scope_;
};

/// Calls `function.open(context)` where the function has one.
template <class F>
void open_function(F& function, RuntimeContext& context) {
  if constexpr (requires { function.open(context); }) function.open(context);
}

}  // namespace yeoul
