#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "yeoul/datastream/evictors.h"
#include "yeoul/datastream/state_descriptors.h"

namespace yeoul {

// What a window keeps of its records: `Accumulator` in state, and `Element`, a list of which its function gets;
// with_no_elements() is for a window all of whose records were evicted.

/// One value, reduced as records come.
template <class T, class F>
class ReducedContents {
 public:
  using Accumulator = T;
  using Element = T;

  explicit ReducedContents(F function) : function_(std::move(function)) {}
  void add(std::optional<T>& held, const T& value, int64_t) {
    if (held) {
      held = call_reduce(function_, *held, value);
    } else {
      held = value;
    }
  }
  void merge(std::optional<T>& into, std::optional<T>&& from) {
    if (!from) return;
    into = into ? call_reduce(function_, *into, *from) : std::move(*from);
  }
  template <class W, class Call>
  void with_elements(std::optional<T>& held, const W&, Call&& call) {
    element_.assign(1, *held);
    call(std::as_const(element_));
  }
  /// No record makes no value.
  template <class Call>
  void with_no_elements(Call&&) {}

 private:
  F function_;
  std::vector<T> element_;
};

/// One accumulator, to which records are added as they come.
template <class F>
class AggregatedContents {
 public:
  using Accumulator = typename F::Accumulator;
  using Element = typename F::Output;

  explicit AggregatedContents(F function) : function_(std::move(function)) {}
  void add(std::optional<Accumulator>& held, const typename F::Input& value, int64_t) {
    if (!held) held = function_.F::create_accumulator();
    function_.F::add(value, *held);
  }
  void merge(std::optional<Accumulator>& into, std::optional<Accumulator>&& from) {
    if (!from) return;
    if (into) {
      function_.F::merge(*into, *from);
    } else {
      into = std::move(*from);
    }
  }
  template <class W, class Call>
  void with_elements(std::optional<Accumulator>& held, const W&, Call&& call) {
    element_.clear();
    element_.push_back(function_.F::get_result(*held));
    call(std::as_const(element_));
  }
  /// The result of an accumulator to which nothing was added.
  template <class Call>
  void with_no_elements(Call&& call) {
    element_.clear();
    element_.push_back(function_.F::get_result(function_.F::create_accumulator()));
    call(std::as_const(element_));
  }

 private:
  F function_;
  std::vector<Element> element_;
};

/// All records, in order of arrival.
template <class T>
class ListedContents {
 public:
  using Accumulator = std::vector<T>;
  using Element = T;

  void add(std::optional<Accumulator>& held, const T& value, int64_t) {
    if (!held) held.emplace();
    held->push_back(value);
  }
  void merge(std::optional<Accumulator>& into, std::optional<Accumulator>&& from) {
    if (!from) return;
    if (into) {
      into->insert(into->end(), std::make_move_iterator(from->begin()), std::make_move_iterator(from->end()));
    } else {
      into = std::move(*from);
    }
  }
  template <class W, class Call>
  void with_elements(std::optional<Accumulator>& held, const W&, Call&& call) {
    call(std::as_const(*held));
  }
  template <class Call>
  void with_no_elements(Call&& call) {
    const Accumulator none;
    call(none);
  }
};

/// All records with their times, for an evictor; what is left after it goes through the contents that would stand here
/// without it.
template <class T, class Inner, class Evictor>
class EvictedContents {
 public:
  using Accumulator = std::vector<TimestampedValue<T>>;
  using Element = typename Inner::Element;

  EvictedContents(Inner inner, Evictor evictor) : inner_(std::move(inner)), evictor_(std::move(evictor)) {}
  void add(std::optional<Accumulator>& held, const T& value, int64_t timestamp) {
    if (!held) held.emplace();
    held->push_back({value, timestamp});
  }
  void merge(std::optional<Accumulator>& into, std::optional<Accumulator>&& from) {
    if (!from) return;
    if (into) {
      into->insert(into->end(), std::make_move_iterator(from->begin()), std::make_move_iterator(from->end()));
    } else {
      into = std::move(*from);
    }
  }
  template <class W, class Call>
  void with_elements(std::optional<Accumulator>& held, const W& window, Call&& call) {
    evictor_.evict_before(*held, window);
    std::optional<typename Inner::Accumulator> left;
    for (const auto& element : *held) inner_.add(left, element.value, element.timestamp);
    if (left) {
      inner_.with_elements(left, window, call);
    } else {
      inner_.with_no_elements(call);
    }
    evictor_.evict_after(*held, window);
    if (held->empty()) held.reset();
  }

 private:
  Inner inner_;
  Evictor evictor_;
};

}  // namespace yeoul
