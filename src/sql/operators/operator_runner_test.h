#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/operator_harness.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {

/// The hashmap backend that lets a test look into the last backend it made.
class WatchedBackendFactory final : public StateBackendFactory {
 public:
  std::string_view identifier() const override { return "hashmap"; }
  std::unique_ptr<KeyedStateBackend> create(KeyGroupRange range, int max_parallelism) const override {
    auto backend = std::make_unique<HashMapBackend>(range, max_parallelism);
    last = backend.get();
    return backend;
  }
  mutable HashMapBackend* last = nullptr;
};

/// An operator with one input in one subtask: rows as text in, rows as text out.
class OperatorRunner {
 public:
  OperatorRunner(std::shared_ptr<const OperatorFactory> factory, Schema input)
      : factory_(std::move(factory)),
        input_(std::move(input)),
        harness_(std::make_unique<OperatorHarness>(factory_, HarnessOptions{.state_backend = &backends_})) {}

  /// What the operator emits for these rows, as one batch.
  std::vector<std::string> run(std::string_view text) { return run(rows(input_, text)); }
  std::vector<std::string> run(BatchPtr batch) {
    harness_->process(0, std::move(batch));
    return harness_->take_lines();
  }
  /// The same rows in batches of one.
  std::vector<std::string> run_one_by_one(std::string_view text) {
    const auto batch = rows(input_, text);
    for (size_t row = 0; row < batch->num_rows; ++row) harness_->process(0, slice(*batch, row, 1));
    return harness_->take_lines();
  }
  std::vector<RowBatchPtr> run_to_batches(BatchPtr batch) {
    harness_->process(0, std::move(batch));
    std::vector<RowBatchPtr> result;
    for (const BatchPtr& emitted : harness_->take_batches()) {
      result.push_back(std::static_pointer_cast<const RowBatch>(emitted));
    }
    return result;
  }
  std::vector<std::string> end_input() {
    harness_->end_input(0);
    return harness_->take_lines();
  }
  std::vector<std::string> prepare_barrier() {
    harness_->prepare_barrier();
    return harness_->take_lines();
  }
  std::vector<std::string> watermark(int64_t watermark) {
    harness_->watermark(watermark);
    return harness_->take_lines();
  }
  std::vector<std::string> advance_clock(int64_t ms) {
    harness_->advance_time(ms);
    return harness_->take_lines();
  }
  /// Takes a checkpoint, drops the operator, and starts a new one from it.
  void restore() {
    const HarnessSnapshot snapshot = harness_->snapshot();
    harness_ = std::make_unique<OperatorHarness>(factory_, snapshot, HarnessOptions{.state_backend = &backends_});
  }
  size_t num_keys() const { return backends_.last->num_keys(); }

 private:
  std::shared_ptr<const OperatorFactory> factory_;
  Schema input_;
  WatchedBackendFactory backends_;
  std::unique_ptr<OperatorHarness> harness_;
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
