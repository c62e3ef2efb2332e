#pragma once

#include "yeoul/datastream/function_context.h"
#include "yeoul/datastream/row_view.h"
#include "yeoul/datastream/runtime_context.h"

namespace yeoul {

// A function on a stream of rows has Row as its input type and is given a RowView.

/// A function on a stream without keys; derive from it. Each subtask has its own copy. Threads: the task's.
template <class In, class Out>
class ProcessFunction {
 public:
  using Input = In;
  using Output = Out;
  using Context = FunctionContext;

  virtual ~ProcessFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process_element(const RecordView<In>& value, Context& context, Collector<Out>& out) = 0;
};

/// A function on a keyed stream, with states and timers of the record's key; derive from it. States are members, taken
/// from the RuntimeContext in open(). Each subtask has its own copy. Threads: the task's.
template <class K, class In, class Out>
class KeyedProcessFunction {
 public:
  using Key = K;
  using Input = In;
  using Output = Out;
  using Context = KeyedContext<K>;
  using OnTimerContext = TimerContext<K>;

  virtual ~KeyedProcessFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process_element(const RecordView<In>& value, Context& context, Collector<Out>& out) = 0;
  /// A timer that was set for the current key.
  virtual void on_timer(int64_t timestamp, OnTimerContext& context, Collector<Out>& out) {
    (void)timestamp, (void)context, (void)out;
  }
};

/// Two streams with one function, without keys.
template <class In1, class In2, class Out>
class CoProcessFunction {
 public:
  using Input1 = In1;
  using Input2 = In2;
  using Output = Out;
  using Context = FunctionContext;

  virtual ~CoProcessFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process_element1(const RecordView<In1>& value, Context& context, Collector<Out>& out) = 0;
  virtual void process_element2(const RecordView<In2>& value, Context& context, Collector<Out>& out) = 0;
};

/// Two streams of the same keys with one function that keeps states and timers for them.
template <class K, class In1, class In2, class Out>
class KeyedCoProcessFunction {
 public:
  using Key = K;
  using Input1 = In1;
  using Input2 = In2;
  using Output = Out;
  using Context = KeyedContext<K>;
  using OnTimerContext = TimerContext<K>;

  virtual ~KeyedCoProcessFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process_element1(const RecordView<In1>& value, Context& context, Collector<Out>& out) = 0;
  virtual void process_element2(const RecordView<In2>& value, Context& context, Collector<Out>& out) = 0;
  virtual void on_timer(int64_t timestamp, OnTimerContext& context, Collector<Out>& out) {
    (void)timestamp, (void)context, (void)out;
  }
};

/// Two streams mapped to one type; on keyed streams with states of the record's key.
template <class In1, class In2, class Out>
class CoMapFunction {
 public:
  using Input1 = In1;
  using Input2 = In2;
  using Output = Out;

  virtual ~CoMapFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual Out map1(const RecordView<In1>& value) = 0;
  virtual Out map2(const RecordView<In2>& value) = 0;
};

/// Two streams to any number of records of one type; on keyed streams with states of the record's key.
template <class In1, class In2, class Out>
class CoFlatMapFunction {
 public:
  using Input1 = In1;
  using Input2 = In2;
  using Output = Out;

  virtual ~CoFlatMapFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void flat_map1(const RecordView<In1>& value, Collector<Out>& out) = 0;
  virtual void flat_map2(const RecordView<In2>& value, Collector<Out>& out) = 0;
};

// What a class F derives from, for messages at compile time.
template <class F, class T>
concept ProcessFunctionFor =
    requires { typename F::Output; } && std::is_base_of_v<ProcessFunction<T, typename F::Output>, F>;
template <class F, class K, class T>
concept KeyedProcessFunctionFor =
    requires { typename F::Output; } && std::is_base_of_v<KeyedProcessFunction<K, T, typename F::Output>, F>;

}  // namespace yeoul
