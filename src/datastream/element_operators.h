#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "yeoul/datastream/element_functions.h"
#include "yeoul/datastream/record_keys.h"

namespace yeoul {

/// One record out for each one in. The function is inlined into the loop over the batch.
template <class T, class Out, class F, class Keys>
class MapOperator final : public Operator {
 public:
  MapOperator(F function, Keys keys) : function_(std::move(function)), keys_(std::move(keys)) {}

  void open(OperatorContext& context) override {
    RuntimeContext runtime(context, keys_.open(context));
    open_function(function_, runtime);
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    const auto& from = batch_cast<T>(*batch);
    auto to = std::make_shared<Batch<Out>>();
    const size_t count = from.num_records();
    to->values.reserve(count);
    keys_.begin(from);
    for (size_t i = 0; i < count; ++i) {
      keys_.set_current(i);
      to->values.push_back(call_map(function_, record_at(from, i)));
    }
    keys_.end();
    to->timestamps = timestamps_of(from);
    output.emit(std::move(to));
  }

 private:
  F function_;
  Keys keys_;
};

/// Records that pass. A batch that passes whole is handed on as it is.
template <class T, class F, class Keys>
class FilterOperator final : public Operator {
 public:
  FilterOperator(F function, Keys keys) : function_(std::move(function)), keys_(std::move(keys)) {}

  void open(OperatorContext& context) override {
    RuntimeContext runtime(context, keys_.open(context));
    open_function(function_, runtime);
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    const auto& from = batch_cast<T>(*batch);
    kept_.clear();
    const size_t count = from.num_records();
    keys_.begin(from);
    for (uint32_t i = 0; i < count; ++i) {
      keys_.set_current(i);
      if (call_filter(function_, record_at(from, i))) kept_.push_back(i);
    }
    keys_.end();
    if (kept_.empty()) return;
    output.emit(kept_.size() == count ? batch : keep_records<T>(batch, kept_));
  }

 private:
  F function_;
  Keys keys_;
  std::vector<uint32_t> kept_;
};

/// Ways to write a flat_map: `void(const T&, Collector<Out>&)`, or a function that returns a list.
template <class F, class T, class Out>
concept CollectingFunctionFor = std::is_invocable_v<F&, const T&, Collector<Out>&> ||
                                requires(F& f, const T& value, Collector<Out>& out) { f.flat_map(value, out); };

template <class F, class T>
concept ListFunctionFor = std::is_invocable_v<F&, const T&> && requires(std::invoke_result_t<F&, const T&> list) {
  list.begin();
  list.end();
};

/// What a flat_map function emits: `Named`, or for void what its signature says; void where that cannot be found out.
template <class Named, class F, class T>
constexpr auto flat_map_output() {
  if constexpr (!std::is_void_v<Named>) {
    return std::type_identity<Named>();
  } else if constexpr (ListFunctionFor<F, T>) {
    return std::type_identity<std::decay_t<decltype(*std::declval<std::invoke_result_t<F&, const T&>>().begin())>>();
  } else if constexpr (requires { typename F::Output; }) {
    return std::type_identity<typename F::Output>();
  } else if constexpr (requires { &F::flat_map; }) {
    return collected_by<decltype(&F::flat_map), 1>();
  } else {
    return collected_by<F, 1>();
  }
}

/// Any number of records out for each one in. Stops between records while there is no room.
template <class T, class Out, class F, class Keys>
class FlatMapOperator final : public Operator {
 public:
  FlatMapOperator(F function, Keys keys) : function_(std::move(function)), keys_(std::move(keys)) {}

  void open(OperatorContext& context) override {
    records_max_ = static_cast<size_t>(context.batch_records_max());
    RuntimeContext runtime(context, keys_.open(context));
    open_function(function_, runtime);
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    batch_ = std::static_pointer_cast<const Batch<T>>(batch);
    next_ = 0;
    keys_.begin(*batch_);
    run(output);
  }
  bool resume(OperatorOutput& output) override { return run(output); }

 private:
  bool run(OperatorOutput& output) {
    if (!batch_) return true;
    while (next_ < batch_->num_records()) {
      if (collector_.size() >= records_max_) {
        collector_.flush(output);
        if (!output.has_room()) return false;
      }
      call(next_++);
    }
    keys_.end();
    collector_.flush(output);
    batch_.reset();
    return true;
  }
  void call(size_t record) {
    keys_.set_current(record);
    const RecordView<T>& value = record_at(*batch_, record);
    collector_.set_timestamp(timestamp_of(*batch_, record));
    if constexpr (ListFunctionFor<F, RecordView<T>>) {
      for (auto&& part : function_(value)) collector_.collect(std::forward<decltype(part)>(part));
    } else if constexpr (std::is_invocable_v<F&, const RecordView<T>&, Collector<Out>&>) {
      function_(value, collector_);
    } else {
      function_.F::flat_map(value, collector_);
    }
  }

  F function_;
  Keys keys_;
  Collector<Out> collector_;
  size_t records_max_ = 0;
  std::shared_ptr<const Batch<T>> batch_;
  size_t next_ = 0;
};

}  // namespace yeoul
