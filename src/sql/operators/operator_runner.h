#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {

/// Runs one operator in one subtask for tests: rows as text in, rows as text out, a clock that the test moves.
class OperatorRunner final : public OperatorContext, public OperatorOutput, public Clock {
 public:
  OperatorRunner(std::shared_ptr<const OperatorFactory> factory, Schema input)
      : factory_(std::move(factory)), input_(std::move(input)) {
    start();
  }

  /// The rows that the operator emits for these, as one batch.
  std::vector<std::string> run(std::string_view text) { return run(rows(input_, text)); }
  std::vector<std::string> run(const BatchPtr& batch) {
    operator_->process_batch(0, batch, *this);
    return take_lines();
  }
  /// The same rows in batches of one.
  std::vector<std::string> run_one_by_one(std::string_view text) {
    const auto batch = rows(input_, text);
    for (size_t row = 0; row < batch->num_rows; ++row) operator_->process_batch(0, slice(*batch, row, 1), *this);
    return take_lines();
  }
  std::vector<std::string> end_input() {
    operator_->end_input(0, *this);
    return take_lines();
  }
  std::vector<std::string> prepare_barrier() {
    operator_->prepare_barrier(*this);
    return take_lines();
  }
  std::vector<std::string> watermark(int64_t watermark) {
    operator_->process_watermark(watermark, *this);
    return take_lines();
  }
  std::vector<std::string> advance_clock(int64_t ms) {
    now_ += ms;
    while (!timers_.empty() && timers_.begin()->first <= now_) {
      const auto fire = timers_.begin()->second;
      timers_.erase(timers_.begin());
      fire();
    }
    return take_lines();
  }
  /// Stores the keyed state, drops the operator, and starts a new one from what was stored.
  void restore() {
    const auto snapshot = backend_->snapshot();
    start();
    std::vector<std::string> unmatched;
    for (int group = 0; group < kMaxParallelism; ++group) {
      backend_->restore_group(group, snapshot->write_group(group), snapshot->descriptors(), unmatched);
    }
  }
  size_t num_keys() const { return backend_->num_keys(); }

  int subtask() const override { return 0; }
  int parallelism() const override { return 1; }
  int max_parallelism() const override { return kMaxParallelism; }
  const std::string& operator_name() const override { return name_; }
  const Clock& clock() const override { return *this; }
  KeyedStateBackend& keyed_state() override { return *backend_; }
  const OperatorState& restored_operator_state() const override { return operator_state_; }
  void register_processing_timer(int64_t at_ms, std::function<void()> fire) override {
    timers_.emplace(at_ms, std::move(fire));
  }
  OperatorOutput& output() override { return *this; }
  int64_t batch_records_max() const override { return 1024; }

  void emit(BatchPtr batch) override {
    for (std::string& line : row_lines(static_cast<const RowBatch&>(*batch))) lines_.push_back(std::move(line));
  }
  void emit_side(std::string_view, BatchPtr) override {}
  void emit_watermark(int64_t watermark) override { lines_.push_back(fmt::format("watermark {}", watermark)); }
  bool has_room() const override { return true; }

  int64_t wall_ms() const override { return now_; }
  int64_t steady_ns() const override { return now_ * 1000000; }

 private:
  static constexpr int kMaxParallelism = 128;

  void start() {
    operator_.reset();
    backend_ = HashMapBackendFactory().create({0, kMaxParallelism - 1}, kMaxParallelism);
    operator_ = factory_->create();
    operator_->open(*this);
  }
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

  std::shared_ptr<const OperatorFactory> factory_;
  Schema input_;
  std::string name_ = "TestOperator";
  OperatorState operator_state_;
  std::unique_ptr<KeyedStateBackend> backend_;
  std::unique_ptr<Operator> operator_;
  std::multimap<int64_t, std::function<void()>> timers_;
  std::vector<std::string> lines_;
  int64_t now_ = 0;
};

/// The lines of a text, blanks in front cut off, empty ones left out.
inline std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    if (!line.empty()) result.emplace_back(line);
  }
  return result;
}

}  // namespace yeoul
