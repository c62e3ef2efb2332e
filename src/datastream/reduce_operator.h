#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "yeoul/datastream/collector.h"
#include "yeoul/datastream/key_extractor.h"
#include "yeoul/datastream/runtime_context.h"

namespace yeoul {

/// The rolling reduce of a keyed stream: for each record its key's value so far. Keys of a batch are resolved at once.
template <class T, class F>
class ReduceOperator final : public Operator {
 public:
  ReduceOperator(std::shared_ptr<const KeyExtractor<T>> extractor, F function)
      : extractor_(std::move(extractor)), function_(std::move(function)) {}

  void open(OperatorContext& context) override {
    backend_ = &context.keyed_state();
    values_ = ValueCells<std::optional<T>>(*backend_, ValueStateDescriptor<T>{"reduced"}.stored());
    RuntimeContext runtime(context, nullptr);
    open_function(function_, runtime);
  }

  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    const auto& from = batch_cast<T>(*batch);
    const CanonicalKeys keys = extractor_->keys(from);
    slots_.resize(keys.size());
    cells_.resize(keys.size());
    backend_->resolve(keys, true, slots_);
    values_.cells(slots_, cells_);
    auto to = std::make_shared<Batch<T>>();
    to->values.reserve(from.values.size());
    for (size_t i = 0; i < cells_.size(); ++i) {
      std::optional<T>& cell = *cells_[i];
      if (cell) {
        cell = function_(*cell, from.values[i]);
      } else {
        cell = from.values[i];
      }
      to->values.push_back(*cell);
    }
    to->timestamps = from.timestamps;
    backend_->end_batch();
    output.emit(std::move(to));
  }

 private:
  std::shared_ptr<const KeyExtractor<T>> extractor_;
  F function_;
  KeyedStateBackend* backend_ = nullptr;
  ValueCells<std::optional<T>> values_;
  std::vector<Slot> slots_;
  std::vector<std::optional<T>*> cells_;
};

}  // namespace yeoul
