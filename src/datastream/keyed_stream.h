#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "yeoul/datastream/data_stream.h"
#include "yeoul/datastream/evictors.h"
#include "yeoul/datastream/field_aggregates.h"
#include "yeoul/datastream/reduce_operator.h"
#include "yeoul/datastream/window_assigners.h"

namespace yeoul {

template <class T, class K, class Assigner, class TriggerType, class Evictor>
class WindowedStream;
template <class T1, class T2, class K>
class KeyedConnectedStreams;

/// A stream of records T dealt out by keys K. Threads: one.
template <class T, class K>
class KeyedStream : public DataStream<T>, public FieldAggregates<KeyedStream<T, K>> {
 public:
  using KeyType = K;

  KeyedStream(std::shared_ptr<EnvironmentState> state, std::vector<StreamInput> inputs,
              std::shared_ptr<const KeyExtractor<T>> extractor)
      : DataStream<T>(std::move(state), hashed(std::move(inputs), extractor)), extractor_(std::move(extractor)) {}

  // As on a stream without keys; a function with open() takes states of the record's key from its RuntimeContext there.
  template <class F>
  auto map(F function) const {
    return this->add_map(std::move(function), keys_for<F>());
  }
  template <class F>
  DataStream<T> filter(F function) const {
    return this->add_filter(std::move(function), keys_for<F>());
  }
  template <class Named = void, class F>
  auto flat_map(F function) const {
    return this->template add_flat_map<Named>(std::move(function), keys_for<F>());
  }

  /// Each record's key's value so far: `T(const T& so_far, const T& next)`, or a ReduceFunction.
  template <class F>
  DataStream<T> reduce(F function) const {
    check_not_rows<T>();
    static_assert(ReduceFunctionFor<F, T>,
                  "Yeoul: reduce() needs a function that takes two records and returns one of the same type, e.g. "
                  "[](const Count& a, const Count& b) { return Count{a.word, a.count + b.count}; }");
    if constexpr (ReduceFunctionFor<F, T>) {
      return this->template add<T>("Keyed Reduce",
                                   keyed_operator_factory<ReduceOperator<T, F>>(extractor_, std::move(function)));
    }
  }

  /// A KeyedProcessFunction: states and timers of each key, side outputs.
  template <class F>
  auto process(F function) const {
    static_assert(KeyedProcessFunctionFor<F, K, T>,
                  "Yeoul: process() on a keyed stream needs an object of a class that derives from "
                  "KeyedProcessFunction<K, In, Out>, with K the type of the stream's keys and In that of its records");
    if constexpr (KeyedProcessFunctionFor<F, K, T>) {
      using Out = typename F::Output;
      check_output_type<Out>();
      auto tags = std::make_shared<ConnectedTags>();
      return this->template add_with_tags<Out>(
          "KeyedProcess", tags,
          keyed_operator_factory<KeyedProcessOperator<K, T, F>>(std::shared_ptr<const ConnectedTags>(tags), extractor_,
                                                                std::move(function)));
    }
  }
  /// Windows of an assigner; needs "yeoul/datastream/windowed_stream.h".
  template <class Assigner>
  auto window(Assigner assigner) const {
    check_not_rows<T>();
    auto trigger = assigner.default_trigger();
    return WindowedStream<T, K, Assigner, decltype(trigger), NoEvictor>(*this, std::move(assigner), std::move(trigger));
  }
  /// Every `size` records of a key. @throws user error 7116 for less than 1
  auto count_window(int64_t size) const {
    checked_count("a count window", size, 1);
    return window(GlobalWindows::create()).trigger(PurgingTrigger::of(CountTrigger::of(size)));
  }
  /// The last `size` records of a key, at every `slide` of them. @throws user error 7116 for less than 1
  auto count_window(int64_t size, int64_t slide) const {
    checked_count("a count window", size, 1);
    checked_count("a count window with a slide", slide, 1);
    return window(GlobalWindows::create()).evictor(CountEvictor::of(size)).trigger(CountTrigger::of(slide));
  }
  /// Two streams of the same keys, or this one and a broadcast one, before one function.
  template <class Other>
  auto connect(const Other& other) const {
    return other.connected_to(*this);
  }
  template <class First>
  KeyedConnectedStreams<First, T, K> connected_to(const KeyedStream<First, K>& first) const {
    return {first, *this};
  }
  template <class First>
  void connected_to(const DataStream<First>&) const {
    static_assert(!std::is_same_v<First, First>,
                  "Yeoul: connect() joins two keyed streams with keys of the same type, or two streams without keys");
  }

  const std::shared_ptr<const KeyExtractor<T>>& extractor() const { return extractor_; }

 private:
  /// Only functions with open() can ask for states; the others do without the keys.
  template <class F>
  auto keys_for() const {
    if constexpr (FunctionWithOpen<F>) {
      return WithKeys<T>(extractor_);
    } else {
      return WithoutKeys();
    }
  }
  static std::vector<StreamInput> hashed(std::vector<StreamInput> inputs,
                                         const std::shared_ptr<const KeyExtractor<T>>& extractor) {
    for (StreamInput& input : inputs) {
      input.partitioning = Partitioning::kHash;
      input.partitioning_chosen = true;
      input.key_selector = extractor;
      input.partitioner = nullptr;
    }
    return inputs;
  }

  std::shared_ptr<const KeyExtractor<T>> extractor_;
};

}  // namespace yeoul
