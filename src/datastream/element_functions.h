#pragma once

#include <concepts>
#include <type_traits>

#include "yeoul/datastream/collector.h"
#include "yeoul/datastream/row_view.h"
#include "yeoul/datastream/runtime_context.h"

namespace yeoul {

// What map(), filter(), flat_map() and reduce() take: a function, an object of any class with a method of that name, or
// of one of these classes (Flink's, their Rich… variants included). On a keyed stream a function with open() may keep
// states of the record's key; each subtask has its own copy. Threads: the task's.

/// One record out for each one in. A function on a stream of rows has Row as In and is given a RowView.
template <class In, class Out>
class MapFunction {
 public:
  using Input = In;
  using Output = Out;

  virtual ~MapFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual Out map(const RecordView<In>& value) = 0;
};

/// Any number of records out for each one in.
template <class In, class Out>
class FlatMapFunction {
 public:
  using Input = In;
  using Output = Out;

  virtual ~FlatMapFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void flat_map(const RecordView<In>& value, Collector<Out>& out) = 0;
};

/// Says which records pass.
template <class In>
class FilterFunction {
 public:
  using Input = In;

  virtual ~FilterFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual bool filter(const RecordView<In>& value) = 0;
};

/// Combines two records into one.
template <class T>
class ReduceFunction {
 public:
  using Input = T;

  virtual ~ReduceFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual T reduce(const T& a, const T& b) = 0;
};

/// True for functions that want to be opened.
template <class F>
concept FunctionWithOpen = requires(F& function, RuntimeContext& context) { function.open(context); };

// Methods are called by the function's class's name: `override` checks signatures and no virtual call is left.

/// Calls the function itself, or the method of that name as PyFlink's function classes have it.
template <class F, class T>
decltype(auto) call_map(F& function, const T& value) {
  if constexpr (std::is_invocable_v<F&, const T&>) {
    return function(value);
  } else {
    return function.F::map(value);
  }
}
template <class F, class T>
concept MapFunctionFor = std::is_invocable_v<F&, const T&> || requires(F& f, const T& value) { f.map(value); };

template <class F, class T>
decltype(auto) call_filter(F& function, const T& value) {
  if constexpr (std::is_invocable_v<F&, const T&>) {
    return function(value);
  } else {
    return function.F::filter(value);
  }
}
template <class F, class T>
concept FilterFunctionFor = std::is_invocable_r_v<bool, F&, const T&> || requires(F& f, const T& value) {
  { f.filter(value) } -> std::convertible_to<bool>;
};

template <class F, class T>
decltype(auto) call_reduce(F& function, const T& a, const T& b) {
  if constexpr (std::is_invocable_v<F&, const T&, const T&>) {
    return function(a, b);
  } else {
    return function.F::reduce(a, b);
  }
}
template <class F, class T>
concept ReduceFunctionFor = std::is_invocable_r_v<T, F&, const T&, const T&> || requires(F& f, const T& a, const T& b) {
  { f.reduce(a, b) } -> std::convertible_to<T>;
};

}  // namespace yeoul
