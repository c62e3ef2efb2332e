#include <gtest/gtest.h>

#include <set>

#include "yeoul/runtime/source_watermarks.h"
#include "yeoul/runtime/watermark_combiner.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

TEST(WatermarkCombiner, TakesTheSmallestOfActiveChannels) {
  WatermarkCombiner combiner(2);
  EXPECT_FALSE(combiner.set_watermark(0, 10));
  EXPECT_TRUE(combiner.set_watermark(1, 7));
  EXPECT_EQ(combiner.watermark(), 7);
  EXPECT_TRUE(combiner.set_idle(1, true));
  EXPECT_EQ(combiner.watermark(), 10);
  EXPECT_FALSE(combiner.idle());
}

TEST(WatermarkCombiner, ReturningChannelCountsOnceItHasCaughtUp) {
  WatermarkCombiner combiner(2);
  combiner.set_idle(1, true);
  combiner.set_watermark(0, 10);
  EXPECT_FALSE(combiner.set_idle(1, false));
  EXPECT_FALSE(combiner.set_watermark(1, 5));
  EXPECT_TRUE(combiner.set_watermark(0, 20));  // not held back by the one that lags
  EXPECT_EQ(combiner.watermark(), 20);
  combiner.set_watermark(1, 21);
  EXPECT_TRUE(combiner.set_watermark(0, 30));
  EXPECT_EQ(combiner.watermark(), 21);
}

TEST(WatermarkCombiner, AllIdleEndsAtTheLargest) {
  WatermarkCombiner combiner(2);
  combiner.set_watermark(0, 10);
  combiner.set_watermark(1, 5);
  combiner.set_idle(0, true);
  EXPECT_TRUE(combiner.set_idle(1, true));
  EXPECT_TRUE(combiner.idle());
  EXPECT_EQ(combiner.watermark(), 10);
}

/// Collects what a source emits.
class Collector final : public OutputTarget {
 public:
  void batch(const BatchPtr& batch) override { lines.push_back(fmt::format("{}", fmt::join(values_of(*batch), ","))); }
  void watermark(int64_t watermark) override { lines.push_back(fmt::format("w{}", watermark)); }
  bool has_room() const override { return true; }
  std::vector<std::string> lines;
};

class SourceWatermarksTest : public testing::Test {
 protected:
  void emit(const std::string& split, std::vector<int64_t> values, int64_t now_ms = 0) {
    const auto batch = numbers(std::move(values));
    const SourceRun run{split, 0, static_cast<uint32_t>(batch->num_records())};
    watermarks().emit(batch, {&run, 1}, now_ms);
  }
  SourceWatermarks& watermarks() {
    if (!watermarks_) {
      output_.add_target("", &collector_);
      watermarks_.emplace(
          strategy_, output_, [this](bool idle) { collector_.lines.push_back(idle ? "idle" : "active"); }, 0);
    }
    return *watermarks_;
  }
  std::vector<std::string> take() { return std::exchange(collector_.lines, {}); }

  NumberWatermarks strategy_;
  NodeMetrics metrics_;
  std::string name_ = "source";
  NodeOutput output_{name_, metrics_};
  Collector collector_;
  std::optional<SourceWatermarks> watermarks_;
};

using Lines = std::vector<std::string>;

TEST_F(SourceWatermarksTest, SmallestOverSplits) {
  watermarks().add_split("a", 0);
  watermarks().add_split("b", 0);
  emit("a", {10, 5});
  watermarks().tick(0, true);
  EXPECT_EQ(take(), Lines{"10,5"});  // b has said nothing yet
  emit("b", {3});
  watermarks().tick(0, true);
  EXPECT_EQ(take(), (Lines{"3", "w3"}));
  watermarks().remove_split("b", 0);
  watermarks().tick(0, true);
  EXPECT_EQ(take(), Lines{"w10"});
}

TEST_F(SourceWatermarksTest, LateFoundSplitDoesNotGoBack) {
  watermarks().add_split("a", 0);
  emit("a", {10});
  watermarks().tick(0, true);
  watermarks().add_split("b", 0);
  emit("b", {1});
  watermarks().tick(0, true);
  EXPECT_EQ(take(), (Lines{"10", "w10", "1"}));
}

TEST_F(SourceWatermarksTest, IdleMeansCaughtUpAndNothingNew) {
  strategy_.idle_timeout_ms = 100;
  watermarks().add_split("a", 0);
  watermarks().add_split("b", 0);
  emit("a", {10}, 0);
  watermarks().tick(500, true);
  EXPECT_EQ(take(), Lines{"10"});  // b is only slow
  watermarks().set_caught_up("b", true, 500);
  watermarks().tick(599, true);
  EXPECT_EQ(take(), Lines{});
  watermarks().tick(600, true, /*asked=*/false);
  EXPECT_EQ(take(), Lines{});  // the reader was woken: b may have rows that found no room
  watermarks().tick(600, true);
  EXPECT_EQ(take(), Lines{"w10"});
  emit("a", {20}, 600);
  watermarks().set_caught_up("a", true, 600);
  watermarks().tick(1000, true);
  EXPECT_EQ(take(), (Lines{"20", "w20", "idle"}));
  emit("b", {15}, 1000);
  watermarks().tick(1000, true);
  EXPECT_EQ(take(), (Lines{"active", "15"}));
}

TEST_F(SourceWatermarksTest, OnEventCutsTheBatch) {
  strategy_.on_event = true;
  strategy_.splitter = number_splitter();
  watermarks().add_split("a", 0);
  emit("a", {1, 5, 4, 5, 7, 6});
  EXPECT_EQ(take(), (Lines{"1", "w1", "5", "w5", "4,5,7", "w7", "6"}));
}

/// Drops numbers at or below the watermark, as windows drop late rows, and notes them.
class LateOperator final : public Operator {
 public:
  explicit LateOperator(std::multiset<int64_t>* late) : late_(late) {}
  void process_batch(int input, const BatchPtr& batch, OperatorOutput& output) override {
    (void)input, (void)output;
    for (const int64_t value : values_of(*batch)) {
      if (value <= watermark_) late_->insert(value);
    }
  }
  void process_watermark(int64_t watermark, OperatorOutput& output) override {
    watermark_ = watermark;
    output.emit_watermark(watermark);
  }

 private:
  std::multiset<int64_t>* late_;
  int64_t watermark_ = kMinWatermark;
};

std::multiset<int64_t> late_numbers(bool on_event, int64_t batch_records_max) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 3000; ++i) values.push_back(i * 7919 % 1000 + i / 3);
  auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers(values)}, number_splitter());
  auto strategy = std::make_shared<NumberWatermarks>();
  strategy->on_event = on_event;
  strategy->splitter = number_splitter();
  std::multiset<int64_t> late;
  StreamGraph graph;
  const int s = graph.add_source("source", "source", 1, source, strategy);
  const int o = graph.add_operator("late", "late", 1, 1, factory_of<LateOperator>(&late));
  graph.connect(forward(s, o));
  FakeClock clock;
  FakeFileSystem files;
  SteppedJob job(graph, {.batch_records_max = batch_records_max}, clock, files);
  job.run_until_idle();
  EXPECT_EQ(job.status(), JobStatus::kFinished);
  return late;
}

TEST(Watermarks, SameRowsAreLateAtEveryBatchSize) {
  const auto on_event = late_numbers(true, 1);
  EXPECT_GT(on_event.size(), 100u);
  EXPECT_EQ(on_event, late_numbers(true, 10'000));
  EXPECT_EQ(on_event, late_numbers(true, 17));
  EXPECT_EQ(late_numbers(false, 1), late_numbers(false, 10'000));
}

TEST(Watermarks, TwoInputsTakeTheSmallestAndEndAtTheMaximum) {
  auto left = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers({10, 30})}, number_splitter());
  auto right = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers({20, 40})}, number_splitter());
  auto sink = std::make_shared<TestSink>(number_lines);
  std::vector<int64_t> watermarks;
  StreamGraph graph;
  const int l = graph.add_source("left", "left", 1, left, std::make_shared<NumberWatermarks>());
  const int r = graph.add_source("right", "right", 1, right, std::make_shared<NumberWatermarks>());
  const int m = graph.add_operator("merge", "merge", 1, 2, factory_of<MergeOperator>(&watermarks));
  const int k = graph.add_sink("sink", "sink", 1, sink);
  graph.connect(forward(l, m, 0));
  graph.connect(forward(r, m, 1));
  graph.connect(forward(m, k));
  FakeClock clock;
  FakeFileSystem files;
  left->set_limit(1);
  right->set_limit(1);
  SteppedJob job(graph, {}, clock, files);
  job.run_for(250);
  EXPECT_EQ(watermarks, std::vector<int64_t>{10});
  EXPECT_EQ(job.job().progress().watermark, 10);
  left->set_limit(2);
  job.run_for(250);
  EXPECT_EQ(watermarks, (std::vector<int64_t>{10, 20}));
  right->set_limit(2);
  job.run_until_idle();
  EXPECT_EQ(watermarks.back(), kMaxWatermark);
  EXPECT_EQ(job.status(), JobStatus::kFinished);
}

}  // namespace
}  // namespace yeoul
