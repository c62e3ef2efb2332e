#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "yeoul/datastream/element_functions.h"
#include "yeoul/datastream/key_extractor.h"

namespace yeoul {

/// The rolling reduce of a keyed stream: for each record its key's value so far. Keys of a batch are resolved at once.
template <class T, class F>
class ReduceOperator final : public Operator {
 public:
  ReduceOperator(std::shared_ptr<const KeyExtractor<T>> extractor, F function)
      : extractor_(std::move(extractor)), function_(std::move(function)) {}

  void open(OperatorContext& context) override {
    scope_.open(context.keyed_state());
    values_ = ValueCells<std::optional<T>>(scope_.backend(),
                                           ValueStateDescriptor<T>{std::string(ReservedStates::kReduced)}.stored());
    RuntimeContext runtime(context, &scope_);
    open_function(function_, runtime);
  }

  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    const auto& from = batch_cast<T>(*batch);
    scope_.begin(extractor_->keys(from));
    const std::span<const Slot> slots = scope_.slots();
    cells_.resize(slots.size());
    values_.cells(slots, cells_);
    auto to = std::make_shared<Batch<T>>();
    to->values.reserve(from.values.size());
    for (size_t i = 0; i < cells_.size(); ++i) {
      std::optional<T>& cell = *cells_[i];
      if (cell) {
        if constexpr (FunctionWithOpen<F>) scope_.set_current(i);
        cell = call_reduce(function_, *cell, from.values[i]);
      } else {
        cell = from.values[i];
      }
      to->values.push_back(*cell);
    }
    to->timestamps = from.timestamps;
    scope_.backend().end_batch();  // not the scope's end(): every key holds a value now, none is forgotten
    output.emit(std::move(to));
  }

 private:
  std::shared_ptr<const KeyExtractor<T>> extractor_;
  F function_;
  KeyedScope scope_;
  ValueCells<std::optional<T>> values_;
  std::vector<std::optional<T>*> cells_;
};

}  // namespace yeoul
