#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "yeoul/datastream/keyed_stream.h"
#include "yeoul/datastream/operator_factories.h"
#include "yeoul/datastream/window_assigners.h"
#include "yeoul/datastream/window_contents.h"
#include "yeoul/datastream/window_operator.h"

namespace yeoul {

/// A keyed stream cut into windows; reduce(), aggregate(), process() or apply() says what becomes of them.
/// Threads: one.
template <class T, class K, class Assigner, class TriggerType, class Evictor>
class WindowedStream : public FieldAggregates<WindowedStream<T, K, Assigner, TriggerType, Evictor>> {
 public:
  using W = typename Assigner::Window;

  WindowedStream(KeyedStream<T, K> stream, Assigner assigner, TriggerType trigger, Evictor evictor = {})
      : stream_(std::move(stream)),
        assigner_(std::move(assigner)),
        trigger_(std::move(trigger)),
        evictor_(std::move(evictor)) {
    static_assert(!Assigner::kMerging || TriggerType::kCanMerge,
                  "Yeoul: session windows merge, but this trigger cannot: it lacks `static constexpr bool kCanMerge = "
                  "true;`, with merge_state() and on_merge()");
  }

  /// When windows fire, instead of the assigner's own way.
  template <class NewTrigger>
  WindowedStream<T, K, Assigner, NewTrigger, Evictor> trigger(NewTrigger trigger) const {
    WindowedStream<T, K, Assigner, NewTrigger, Evictor> result(stream_, assigner_, std::move(trigger), evictor_);
    result.settings_ = settings_;
    return result;
  }
  /// Removes records before or after the function runs; windows keep all their records then.
  template <class NewEvictor>
  WindowedStream<T, K, Assigner, TriggerType, NewEvictor> evictor(NewEvictor evictor) const {
    WindowedStream<T, K, Assigner, TriggerType, NewEvictor> result(stream_, assigner_, trigger_, std::move(evictor));
    result.settings_ = settings_;
    return result;
  }
  /// How long after the watermark has passed its end a window still takes records; each fires it again.
  /// @throws user error 7116 where it is negative
  WindowedStream allowed_lateness(Duration lateness) const {
    static_assert(Assigner::kEventTime, "Yeoul: only windows of event time have late records");
    WindowedStream result = *this;
    result.settings_.allowed_lateness_ms = checked_millis("allowed lateness", lateness, 0);
    return result;
  }
  /// Records that come later still go to this side output of the result.
  WindowedStream side_output_late_data(const OutputTag<T>& tag) const {
    WindowedStream result = *this;
    result.settings_.late_tag = tag;
    return result;
  }

  /// One record per window: `T(const T&, const T&)`, applied as records come.
  template <class F>
  auto reduce(F function) const {
    static_assert(ReduceFunctionFor<F, T>,
                  "Yeoul: reduce() needs a function that takes two records and returns one of the same type");
    if constexpr (ReduceFunctionFor<F, T>) {
      return add("Window Reduce", ReducedContents<T, F>(std::move(function)), PassElements<T>());
    }
  }
  /// The same, with the result handed to a ProcessWindowFunction.
  template <class F, class Process>
  auto reduce(F function, Process process) const {
    static_assert(ReduceFunctionFor<F, T>,
                  "Yeoul: reduce() needs a function that takes two records and returns one of the same type");
    if constexpr (ReduceFunctionFor<F, T> && check_process<T, Process>()) {
      return add("Window Reduce", ReducedContents<T, F>(std::move(function)), called(std::move(process)));
    }
  }
  /// One result per window of an AggregateFunction, to which records are added as they come.
  template <class F>
  auto aggregate(F function) const {
    if constexpr (check_aggregate<F>()) {
      return add("Window Aggregate", AggregatedContents<F>(std::move(function)), PassElements<typename F::Output>());
    }
  }
  /// The same, with the result handed to a ProcessWindowFunction.
  template <class F, class Process>
  auto aggregate(F function, Process process) const {
    if constexpr (check_aggregate<F>()) {
      if constexpr (check_process<typename F::Output, Process>()) {
        return add("Window Aggregate", AggregatedContents<F>(std::move(function)), called(std::move(process)));
      }
    }
  }
  /// A ProcessWindowFunction that gets all records of the window.
  template <class Process>
  auto process(Process process) const {
    if constexpr (check_process<T, Process>()) {
      return add("Window Process", ListedContents<T>(), called(std::move(process)));
    }
  }
  /// A function `void(const K& key, const W& window, const std::vector<T>& elements, Collector<Out>& out)`, also as a
  /// class's method apply(). For a generic one name the type: `apply<Out>(…)`.
  template <class Named = void, class F>
  auto apply(F function) const {
    using Out = typename decltype(apply_output<Named, F>())::type;
    constexpr bool kFits = [] {
      if constexpr (std::is_void_v<Out>) {
        return false;
      } else {
        return WindowFunctionFor<F, K, W, T, Out>;
      }
    }();
    static_assert(
        kFits,
        "Yeoul: apply() needs a function `void(const K& key, const W& window, const std::vector<T>& elements, "
        "Collector<Out>& out)`");
    if constexpr (kFits) return add("Window Apply", ListedContents<T>(), CallApply<Out, F>(std::move(function)));
  }

 private:
  template <class, class, class, class, class>
  friend class WindowedStream;

  // Each refuses, in words, what does not fit.
  template <class F>
  static constexpr bool check_aggregate() {
    static_assert(IsAggregateFunction<F>,
                  "Yeoul: aggregate() needs an object of a class that derives from AggregateFunction<In, Acc, Out>");
    if constexpr (IsAggregateFunction<F>) {
      constexpr bool kFits = std::is_same_v<typename F::Input, T>;
      static_assert(kFits, "Yeoul: aggregate(): the function's In is not the type of the stream's records");
      return kFits;
    } else {
      return false;
    }
  }
  /// @tparam E  the type of what the window holds
  template <class E, class Process>
  static constexpr bool check_process() {
    constexpr bool kIsFunction = requires { typename Process::Output; };
    static_assert(
        kIsFunction,
        "Yeoul: a window's process function is an object of a class that derives from "
        "ProcessWindowFunction<In, Out, K, W> (after window_all(): ProcessAllWindowFunction<In, Out, W>); for "
        "a lambda use apply()");
    if constexpr (!kIsFunction) {
      return false;
    } else if constexpr (std::is_same_v<K, NoKey>) {
      constexpr bool kFits = std::is_base_of_v<ProcessAllWindowFunction<E, typename Process::Output, W>, Process>;
      static_assert(kFits,
                    "Yeoul: window_all() needs a class that derives from ProcessAllWindowFunction<In, Out, W> with In "
                    "what the window holds and W the assigner's window");
      return kFits;
    } else {
      constexpr bool kFits = std::is_base_of_v<ProcessWindowFunction<E, typename Process::Output, K, W>, Process>;
      static_assert(kFits,
                    "Yeoul: the ProcessWindowFunction<In, Out, K, W> does not fit: In is what the window holds, K "
                    "the type of the stream's keys, W the assigner's window (TimeWindow or GlobalWindow)");
      return kFits;
    }
  }
  template <class Process>
  static auto called(Process process) {
    if constexpr (std::is_same_v<K, NoKey>) {
      return CallProcessAll<Process>(std::move(process));
    } else {
      return CallProcess<Process>(std::move(process));
    }
  }

  template <class Contents, class Function>
  auto add(std::string name, Contents contents, Function function) const {
    if constexpr (std::is_same_v<Evictor, NoEvictor>) {
      return add_operator(std::move(name), std::move(contents), std::move(function));
    } else {
      return add_operator(std::move(name), EvictedContents<T, Contents, Evictor>(std::move(contents), evictor_),
                          std::move(function));
    }
  }
  template <class Contents, class Function>
  auto add_operator(std::string name, Contents contents, Function function) const {
    using Op = WindowOperator<K, T, Assigner, TriggerType, Contents, Function>;
    check_record_type<typename Function::Output>();
    auto tags = std::make_shared<ConnectedTags>();
    DataStream<typename Function::Output> result = stream_.template add_with_tags<typename Function::Output>(
        std::move(name), tags,
        keyed_operator_factory<Op>(std::shared_ptr<const ConnectedTags>(tags), stream_.extractor(), assigner_, trigger_,
                                   std::move(contents), std::move(function), settings_));
    if constexpr (std::is_same_v<K, NoKey>) result.set_not_parallel();
    return result;
  }

  KeyedStream<T, K> stream_;
  Assigner assigner_;
  TriggerType trigger_;
  Evictor evictor_;
  WindowSettings<T> settings_;
};

}  // namespace yeoul
