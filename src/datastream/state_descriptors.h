#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "yeoul/state/api/keyed_state.h"

namespace yeoul {

/// The names of states that operators keep beside those of the user's function.
struct ReservedStates {
  static constexpr std::string_view kEventTimers = "_event-time-timers";
  static constexpr std::string_view kProcessingTimers = "_processing-time-timers";
  static constexpr std::string_view kReduced = "_reduced";
  static constexpr std::string_view kWindows = "window-contents";
  static constexpr bool contains(std::string_view name) {
    return name == kEventTimers || name == kProcessingTimers || name == kReduced || name == kWindows;
  }
};

/// Names a state with one value per key. The names of an operator's states must differ; a checkpoint keeps them.
template <class T>
struct ValueStateDescriptor {
  std::string name;
  StateDescriptor stored() const {
    return {.name = name, .value_type = TypeInfo<T>::name(), .codec_version = TypeInfo<T>::version()};
  }
};

/// Names a state with a list per key.
template <class T>
struct ListStateDescriptor {
  std::string name;
  StateDescriptor stored() const {
    return {.name = name,
            .kind = StateKind::kList,
            .value_type = TypeInfo<T>::name(),
            .codec_version = TypeInfo<T>::version()};
  }
};

/// Names a state with a map per key; for a broadcast stream, one map for the whole operator.
template <class K, class V>
struct MapStateDescriptor {
  std::string name;
  StateDescriptor stored() const {
    return {.name = name,
            .kind = StateKind::kMap,
            .value_type = TypeInfo<V>::name(),
            .map_key_type = TypeInfo<K>::name(),
            .codec_version = TypeInfo<K>::version() + TypeInfo<V>::version() - 1};
  }
};

/// Names a state that folds what is added into one value per key.
template <class T>
struct ReducingStateDescriptor {
  std::string name;
  std::function<T(const T&, const T&)> reduce;
};

/// How values of type In are summed up in an Acc, and what comes out at the end. Derive from it.
template <class In, class Acc, class Out>
class AggregateFunction {
 public:
  using Input = In;
  using Accumulator = Acc;
  using Output = Out;

  virtual ~AggregateFunction() = default;
  virtual Acc create_accumulator() const = 0;
  virtual void add(const In& value, Acc& accumulator) const = 0;
  virtual Out get_result(const Acc& accumulator) const = 0;
  /// Adds `from` to `into`; session windows need it.
  virtual void merge(Acc& into, const Acc& from) const = 0;
};

/// True for classes that derive from some AggregateFunction.
template <class F>
concept IsAggregateFunction = requires {
  typename F::Input;
  typename F::Accumulator;
  typename F::Output;
} && std::is_base_of_v<AggregateFunction<typename F::Input, typename F::Accumulator, typename F::Output>, F>;

/// Names a state that folds what is added by an AggregateFunction.
template <class F>
struct AggregatingStateDescriptor {
  static_assert(IsAggregateFunction<F>,
                "Yeoul: an AggregatingStateDescriptor needs a class that derives from AggregateFunction<In, Acc, Out>");
  static_assert(
      !std::is_abstract_v<F>,
      "Yeoul: the AggregateFunction lacks create_accumulator(), add(), get_result() or merge(), or has it with "
      "other parameters, or without const");
  std::string name;
  F function;
};

}  // namespace yeoul
