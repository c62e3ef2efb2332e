#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/testing/numbers.h"

namespace yeoul {

/// Adds a constant to each number.
class AddOperator final : public Operator {
 public:
  explicit AddOperator(int64_t addend) : addend_(addend) {}
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    auto sums = std::make_shared<Numbers>();
    for (const int64_t value : values_of(*batch)) sums->values.push_back(value + addend_);
    output.emit(std::move(sums));
  }

 private:
  int64_t addend_;
};

/// Sums up what it gets, per subtask, as operator state; emits the sum at the end of the input.
class SumOperator final : public Operator {
 public:
  void open(OperatorContext& context) override {
    const auto& lists = context.restored_operator_state().split_lists;
    const auto it = lists.find("sum");
    if (it == lists.end()) return;
    for (const std::string& element : it->second) sum_ += std::stoll(element);
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input, (void)output;
    for (const int64_t value : values_of(*batch)) sum_ += value;
  }
  void end_input(int input, OperatorOutput& output) override {
    (void)input;
    output.emit(numbers({sum_}));
    sum_ = 0;
  }
  OperatorState snapshot(int64_t checkpoint_id) override {
    (void)checkpoint_id;
    return {.split_lists = {{"sum", {std::to_string(sum_)}}}};
  }

 private:
  int64_t sum_ = 0;
};

/// Two inputs or more; passes numbers of input i on as 1000 * i + number, and notes watermarks.
class MergeOperator final : public Operator {
 public:
  explicit MergeOperator(std::vector<int64_t>* watermarks = nullptr) : watermarks_(watermarks) {}
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    auto merged = std::make_shared<Numbers>();
    for (const int64_t value : values_of(*batch)) merged->values.push_back(1000 * input + value);
    output.emit(std::move(merged));
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    if (watermarks_) watermarks_->push_back(watermark);
    output.emit_watermark(watermark);
  }

 private:
  std::vector<int64_t>* watermarks_;
};

/// Emits each number n as n, n+1, …, n+9, one batch each, while there is room, and goes on later.
class ExplodeOperator final : public Operator {
 public:
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input;
    for (const int64_t value : values_of(*batch)) {
      for (int64_t i = 0; i < 10; ++i) left_.push_back(value + i);
    }
    resume(output);
  }
  bool resume(OperatorOutput& output) override {
    while (next_ < left_.size()) {
      if (!output.has_room()) return false;
      output.emit(numbers({left_[next_++]}));
    }
    left_.clear();
    next_ = 0;
    return true;
  }

 private:
  std::vector<int64_t> left_;
  size_t next_ = 0;
};

/// Counts each number, which is its own key, in keyed state; emits 1000 * number + count at the end of the input.
class CountOperator final : public Operator {
 public:
  explicit CountOperator(std::string state) : state_(std::move(state)) {}
  void open(OperatorContext& context) override {
    backend_ = &context.keyed_state();
    counts_ = ValueCells<int64_t>(*backend_, {.name = state_, .value_type = "BIGINT"});
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input, (void)output;
    std::vector<Slot> slots(batch->num_records());
    backend_->resolve(number_keys(values_of(*batch)), true, slots);
    std::vector<int64_t*> cells(slots.size());
    counts_.cells(slots, cells);
    for (int64_t* cell : cells) ++*cell;
    backend_->end_batch();
  }
  void end_input(int input, OperatorOutput& output) override {
    (void)input;
    backend_->for_each_key([&](std::string_view key, Slot slot) {
      int64_t* cell = nullptr;
      counts_.cells({&slot, 1}, {&cell, 1});
      int64_t number;
      std::memcpy(&number, key.data(), sizeof number);
      output.emit(numbers({number * 1000 + *cell}));
    });
    backend_->end_batch();
  }

 private:
  std::string state_;
  KeyedStateBackend* backend_ = nullptr;
  ValueCells<int64_t> counts_;
};

class CountOperatorFactory final : public OperatorFactory {
 public:
  explicit CountOperatorFactory(std::string state = "count") : state_(std::move(state)) {}
  std::unique_ptr<Operator> create() const override { return std::make_unique<CountOperator>(state_); }
  bool keyed() const override { return true; }

 private:
  std::string state_;
};

}  // namespace yeoul
