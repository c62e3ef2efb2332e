#include "yeoul/runtime/timer_service.h"

#include <gtest/gtest.h>

#include <optional>

#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/operator_harness.h"

namespace yeoul {
namespace {

/// For each number n sets an event-time timer at n for key n modulo 10; emits the numbers of due timers.
class TimerOperator final : public Operator {
 public:
  void open(OperatorContext& context) override { timers_.emplace(backend(context), "timers"); }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input, (void)output;
    std::vector<int64_t> keys;
    for (const int64_t value : values_of(*batch)) keys.push_back(value % 10);
    const CanonicalKeys canonical = number_keys(keys);
    std::vector<Slot> slots(keys.size());
    backend_->resolve(canonical, true, slots);
    timers_->add(canonical, slots, values_of(*batch));
    backend_->end_batch();
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    watermark_ = watermark;
    resume(output);
  }
  bool resume(OperatorOutput& output) override {
    while (timers_->next_ms() <= watermark_) {
      if (!output.has_room()) return false;
      output.emit(numbers(timers_->take_due(watermark_, 2).times_ms));
    }
    output.emit_watermark(watermark_);
    return true;
  }

 private:
  KeyedStateBackend& backend(OperatorContext& context) { return *(backend_ = &context.keyed_state()); }

  KeyedStateBackend* backend_ = nullptr;
  std::optional<TimerService> timers_;
  int64_t watermark_ = kMinWatermark;
};

class TimerOperatorFactory final : public OperatorFactory {
 public:
  std::unique_ptr<Operator> create() const override { return std::make_unique<TimerOperator>(); }
  bool keyed() const override { return true; }
};

std::vector<std::vector<int64_t>> values(const std::vector<BatchPtr>& batches) {
  std::vector<std::vector<int64_t>> all;
  for (const BatchPtr& batch : batches) all.push_back(values_of(*batch));
  return all;
}

using Values = std::vector<std::vector<int64_t>>;

TEST(TimerService, FiresInBatchesByTime) {
  const HashMapBackendFactory backend;
  OperatorHarness harness(std::make_shared<TimerOperatorFactory>(), {.state_backend = &backend});
  harness.process(0, numbers({7, -3, 12, 7, 25}));
  harness.watermark(12);
  EXPECT_EQ(values(harness.take_batches()), (Values{{-3, 7}, {12}}));
  harness.watermark(24);
  EXPECT_EQ(values(harness.take_batches()), Values{});
  harness.watermark(kMaxWatermark - 1);
  EXPECT_EQ(values(harness.take_batches()), (Values{{25}}));
}

TEST(TimerService, GoesOnWhenThereIsRoom) {
  const HashMapBackendFactory backend;
  OperatorHarness harness(std::make_shared<TimerOperatorFactory>(), {.state_backend = &backend});
  harness.process(0, numbers({1, 2, 3}));
  harness.set_room(false);
  harness.watermark(5);
  EXPECT_TRUE(harness.take_batches().empty());
  harness.set_room(true);
  EXPECT_EQ(values(harness.take_batches()), (Values{{1, 2}, {3}}));
}

TEST(TimerService, TimersMoveWithTheirKeys) {
  const HashMapBackendFactory backend;
  HarnessSnapshot snapshot;
  {
    OperatorHarness harness(std::make_shared<TimerOperatorFactory>(), {.state_backend = &backend});
    harness.process(0, number_range(0, 10));
    harness.watermark(4);
    snapshot = harness.snapshot();
  }
  std::vector<int64_t> fired;
  for (int subtask = 0; subtask < 2; ++subtask) {
    OperatorHarness harness(std::make_shared<TimerOperatorFactory>(), snapshot,
                            {.subtask = subtask, .parallelism = 2, .state_backend = &backend});
    harness.watermark(100);
    for (const auto& batch : values(harness.take_batches())) fired.insert(fired.end(), batch.begin(), batch.end());
  }
  std::sort(fired.begin(), fired.end());
  EXPECT_EQ(fired, (std::vector<int64_t>{5, 6, 7, 8, 9}));
}

/// Sets timers at 5 in the namespaces "a" and "b" for each key, drops that in "a"; emits key, then size of namespace.
class NamespaceOperator final : public Operator {
 public:
  void open(OperatorContext& context) override {
    backend_ = &context.keyed_state();
    timers_.emplace(*backend_, "timers", true);
  }
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input, (void)output;
    const CanonicalKeys canonical = number_keys(values_of(*batch));
    std::vector<Slot> slots(canonical.size());
    backend_->resolve(canonical, true, slots);
    for (size_t i = 0; i < slots.size(); ++i) {
      const std::string_view key = canonical[i];
      const int64_t time = 5;
      for (const std::string_view name_space : {"a", "bb", "a"}) {
        timers_->add({&key, 1}, {&slots[i], 1}, {&time, 1}, {&name_space, 1});
      }
      const std::string_view dropped = "a";
      timers_->remove({&key, 1}, {&slots[i], 1}, {&time, 1}, {&dropped, 1});
      EXPECT_FALSE(timers_->empty(slots[i]));
    }
    backend_->end_batch();
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    const DueTimers due = timers_->take_due(watermark, 10);
    for (const std::string& name_space : due.namespaces) {
      output.emit(numbers({static_cast<int64_t>(name_space.size())}));
    }
    EXPECT_TRUE(watermark < 5 || timers_->empty());
  }

 private:
  KeyedStateBackend* backend_ = nullptr;
  std::optional<TimerService> timers_;
};

class NamespaceOperatorFactory final : public OperatorFactory {
 public:
  std::unique_ptr<Operator> create() const override { return std::make_unique<NamespaceOperator>(); }
  bool keyed() const override { return true; }
};

TEST(TimerService, KeepsNamespacesApart) {
  const HashMapBackendFactory backend;
  HarnessSnapshot snapshot;
  {
    OperatorHarness harness(std::make_shared<NamespaceOperatorFactory>(), {.state_backend = &backend});
    harness.process(0, numbers({1, 2}));
    snapshot = harness.snapshot();
    harness.watermark(5);
    EXPECT_EQ(values(harness.take_batches()), (Values{{2}, {2}}));
  }
  OperatorHarness restored(std::make_shared<NamespaceOperatorFactory>(), snapshot, {.state_backend = &backend});
  restored.watermark(5);
  EXPECT_EQ(values(restored.take_batches()), (Values{{2}, {2}}));
}

}  // namespace
}  // namespace yeoul
