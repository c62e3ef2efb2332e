#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "yeoul/datastream/collector.h"
#include "yeoul/datastream/function_context.h"
#include "yeoul/datastream/record_type.h"
#include "yeoul/datastream/runtime_context.h"

namespace yeoul {

/// What a window's function may ask. States that it takes in open() are those of the key, over all its windows
/// (Flink's global_state()). Valid during the call.
template <class W>
class WindowContext : public FunctionContext {
 public:
  using FunctionContext::FunctionContext;

  const W& window() const { return *window_; }
  void set_window(const W& window) { window_ = &window; }

 private:
  const W* window_ = nullptr;
};

/// Gets a window's records (or what they were reduced or aggregated to: one) when it fires; derive from it.
template <class In, class Out, class K, class W>
class ProcessWindowFunction {
 public:
  using Input = In;
  using Output = Out;
  using Key = K;
  using Window = W;
  using Context = WindowContext<W>;

  virtual ~ProcessWindowFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process(const K& key, Context& context, const std::vector<In>& elements, Collector<Out>& out) = 0;
  /// The window is dropped.
  virtual void clear(Context& context) { (void)context; }
};

/// The same for window_all().
template <class In, class Out, class W>
class ProcessAllWindowFunction {
 public:
  using Input = In;
  using Output = Out;
  using Window = W;
  using Context = WindowContext<W>;

  virtual ~ProcessAllWindowFunction() = default;
  virtual void open(RuntimeContext& context) { (void)context; }
  virtual void process(Context& context, const std::vector<In>& elements, Collector<Out>& out) = 0;
  virtual void clear(Context& context) { (void)context; }
};

// How the operator calls each kind of function: `Output`, open(), call() and clear().

/// No function: what the window holds is the result.
template <class T>
class PassElements {
 public:
  using Output = T;

  void open(RuntimeContext&) {}
  template <class K, class W>
  void call(const K&, WindowContext<W>&, const std::vector<T>& elements, Collector<T>& out) {
    for (const T& element : elements) out.collect(element);
  }
  template <class W>
  void clear(WindowContext<W>&) {}
};

/// A ProcessWindowFunction, called by its class's name.
template <class F>
class CallProcess {
 public:
  using Output = typename F::Output;
  using Context = typename F::Context;

  explicit CallProcess(F function) : function_(std::move(function)) {}
  void open(RuntimeContext& context) { function_.open(context); }
  template <class K>
  void call(const K& key, Context& context, const std::vector<typename F::Input>& elements, Collector<Output>& out) {
    function_.F::process(key, context, elements, out);
  }
  void clear(Context& context) { function_.F::clear(context); }

 private:
  F function_;
};

/// A ProcessAllWindowFunction.
template <class F>
class CallProcessAll {
 public:
  using Output = typename F::Output;
  using Context = typename F::Context;

  explicit CallProcessAll(F function) : function_(std::move(function)) {}
  void open(RuntimeContext& context) { function_.open(context); }
  template <class K>
  void call(const K&, Context& context, const std::vector<typename F::Input>& elements, Collector<Output>& out) {
    function_.F::process(context, elements, out);
  }
  void clear(Context& context) { function_.F::clear(context); }

 private:
  F function_;
};

/// A function `void(const K&, const W&, const std::vector<T>&, Collector<Out>&)`, also as a class's method apply().
template <class Out, class F>
class CallApply {
 public:
  using Output = Out;

  explicit CallApply(F function) : function_(std::move(function)) {}
  void open(RuntimeContext& context) { open_function(function_, context); }
  template <class K, class W, class T>
  void call(const K& key, WindowContext<W>& context, const std::vector<T>& elements, Collector<Out>& out) {
    if constexpr (std::is_invocable_v<F&, const K&, const W&, const std::vector<T>&, Collector<Out>&>) {
      function_(key, context.window(), elements, out);
    } else {
      function_.apply(key, context.window(), elements, out);
    }
  }
  template <class W>
  void clear(WindowContext<W>&) {}

 private:
  F function_;
};

/// Ways to write a function for apply().
template <class F, class K, class W, class T, class Out>
concept WindowFunctionFor = std::is_invocable_v<F&, const K&, const W&, const std::vector<T>&, Collector<Out>&> ||
                            requires(F& f, const K& key, const W& window, const std::vector<T>& elements,
                                     Collector<Out>& out) { f.apply(key, window, elements, out); };

/// What an apply() function emits: `Named`, or for void what its signature says; void where that cannot be found out.
template <class Named, class F>
constexpr auto apply_output() {
  if constexpr (!std::is_void_v<Named>) {
    return std::type_identity<Named>();
  } else if constexpr (requires { &F::apply; }) {
    return collected_by<decltype(&F::apply), 3>();
  } else {
    return collected_by<F, 3>();
  }
}

}  // namespace yeoul
