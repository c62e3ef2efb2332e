#include <gtest/gtest.h>

#include "yeoul/runtime/source_watermarks.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

constexpr int64_t kDriftMs = 10;

std::shared_ptr<NumberWatermarks> aligned_watermarks(int64_t idle_timeout_ms = 0) {
  auto strategy = std::make_shared<NumberWatermarks>();
  strategy->alignment_group = "group";
  strategy->alignment_max_drift_ms = kDriftMs;
  strategy->alignment_update_interval_ms = 50;
  strategy->idle_timeout_ms = idle_timeout_ms;
  return strategy;
}

class Ignore final : public OutputTarget {
 public:
  void batch(const BatchPtr&) override {}
  void watermark(int64_t) override {}
  bool has_room() const override { return true; }
};

/// The splits of one reader, without a job.
class SplitAlignmentTest : public testing::Test {
 protected:
  SplitAlignmentTest() { output_.add_target("", &ignore_); }
  void add(const std::string& split) { watermarks_.add_split(split, 0); }
  void emit(const std::string& split, int64_t value, int64_t now_ms = 0) {
    const SourceRun run{split, 0, 1};
    watermarks_.emit(numbers({value}), {&run, 1}, now_ms);
  }
  /// "+a" for a split that goes on, "-a" for one that is paused.
  std::vector<std::string> align(int64_t now_ms = 0, bool resume = true) {
    std::vector<std::string> lines;
    const SourceWatermarks::Alignment alignment = watermarks_.align(now_ms, resume);
    for (const std::string& id : alignment.pause) lines.push_back("-" + id);
    for (const std::string& id : alignment.resume) lines.push_back("+" + id);
    return sorted_lines(lines);
  }

  Ignore ignore_;
  std::string name_ = "source";
  NodeMetrics metrics_;
  NodeOutput output_{name_, metrics_};
  std::shared_ptr<NumberWatermarks> strategy_ = aligned_watermarks(/*idle_timeout_ms=*/100);
  SourceWatermarks watermarks_{*strategy_, output_, [](bool) {}, 0};
};

using Strings = std::vector<std::string>;

TEST_F(SplitAlignmentTest, SplitsOfOneReaderWaitForEachOther) {
  add("a"), add("b");
  emit("a", 5);
  EXPECT_TRUE(watermarks_.needs_alignment());
  EXPECT_EQ(align(), Strings{"-a"});  // b has said nothing yet
  EXPECT_FALSE(watermarks_.needs_alignment());
  emit("b", 1);
  EXPECT_EQ(align(0, false), Strings());
  EXPECT_EQ(align(), Strings{"+a"});
  emit("a", 11);
  EXPECT_EQ(align(), Strings());
  emit("a", 12);
  EXPECT_EQ(align(), Strings{"-a"});
  EXPECT_FALSE(watermarks_.all_paused());
}

TEST_F(SplitAlignmentTest, AndForTheOtherReadersOfTheGroup) {
  add("a"), add("b");
  emit("a", 100), emit("b", 200);
  watermarks_.set_others_watermark(50);
  EXPECT_EQ(align(), (Strings{"-a", "-b"}));
  EXPECT_TRUE(watermarks_.all_paused());
  watermarks_.set_others_watermark(90);
  EXPECT_EQ(align(), Strings{"+a"});
  watermarks_.set_others_watermark(kMaxWatermark);
  EXPECT_EQ(align(), Strings());  // a is still behind
  emit("a", 195);
  EXPECT_EQ(align(), Strings{"+b"});
}

TEST_F(SplitAlignmentTest, IdleSplitsHoldNobodyBackAndPausedOnesDoNotBecomeIdle) {
  add("a"), add("b");
  emit("a", 100), emit("b", 1);
  EXPECT_EQ(align(), Strings{"-a"});
  watermarks_.set_caught_up("a", true, 0);
  watermarks_.set_caught_up("b", true, 0);
  watermarks_.tick(100, true);
  EXPECT_EQ(watermarks_.alignment_watermark(), 100);  // b is idle, a is paused only
  EXPECT_EQ(align(100), Strings{"+a"});
  watermarks_.tick(250, true);
  EXPECT_EQ(watermarks_.alignment_watermark(), kMaxWatermark);
}

TEST_F(SplitAlignmentTest, APausedSplitThatIsRemovedIsForgotten) {
  add("a"), add("b");
  emit("a", 100), emit("b", 1);
  EXPECT_EQ(align(), Strings{"-a"});
  watermarks_.remove_split("a", 0);
  EXPECT_FALSE(watermarks_.all_paused());
  watermarks_.remove_split("b", 0);
  EXPECT_FALSE(watermarks_.all_paused());
  EXPECT_EQ(watermarks_.alignment_watermark(), kMaxWatermark);
}

/// Two sources of one group, each with a reader of its own.
class GroupTest : public testing::Test {
 protected:
  SteppedJob& start(int64_t idle_timeout_ms = 0, int parallelism = 1) {
    StreamGraph graph;
    const auto add = [&](const char* name, const std::shared_ptr<TestSource>& source,
                         const std::shared_ptr<TestSink>& sink) {
      const int s = graph.add_source(name, name, parallelism, source, aligned_watermarks(idle_timeout_ms));
      const int k = graph.add_sink("sink", std::string(name) + "-sink", parallelism, sink);
      graph.connect(forward(s, k));
    };
    add("fast", fast_, fast_sink_);
    add("slow", slow_, slow_sink_);
    job_.emplace(graph, JobConfig{.batch_records_max = 1}, clock_, files_);
    return *job_;
  }
  int64_t last_fast() const {
    int64_t last = -1;
    for (const std::string& line : fast_sink_->lines()) last = std::max<int64_t>(last, std::stoll(line));
    return last;
  }

  std::shared_ptr<TestSource> fast_ =
      std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 1000)}, number_splitter());
  std::shared_ptr<TestSource> slow_ =
      std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 1000)}, number_splitter());
  std::shared_ptr<TestSink> fast_sink_ = std::make_shared<TestSink>(number_lines);
  std::shared_ptr<TestSink> slow_sink_ = std::make_shared<TestSink>(number_lines);
  FakeClock clock_;
  FakeFileSystem files_;
  std::optional<SteppedJob> job_;
};

TEST_F(GroupTest, TheFastSourceWaitsForTheSlowOne) {
  slow_->set_limit(1);
  SteppedJob& job = start();
  for (size_t limit = 1; limit <= 100; limit += 33) {
    slow_->set_limit(limit);
    job.run_for(300);
    // The slow one stands at limit - 1; the fast one is at most the drift and one batch ahead.
    EXPECT_EQ(last_fast(), static_cast<int64_t>(limit) - 1 + kDriftMs + 1);
  }
  slow_->set_limit(1000);
  EXPECT_EQ(job.run_for(60'000), JobStatus::kFinished);
  EXPECT_EQ(fast_sink_->lines().size(), 1000u);
  EXPECT_EQ(slow_sink_->lines().size(), 1000u);
}

TEST_F(GroupTest, ASourceThatHasEndedHoldsNobodyBack) {
  slow_ = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 3)}, number_splitter());
  EXPECT_EQ(start().run_for(60'000), JobStatus::kFinished);
  EXPECT_EQ(last_fast(), 999);
}

TEST_F(GroupTest, AnIdleSourceHoldsNobodyBack) {
  slow_ = std::make_shared<TestSource>(std::vector<BatchPtr>{number_range(0, 3)}, number_splitter(), false);
  SteppedJob& job = start(/*idle_timeout_ms=*/1000);
  job.run_for(800);
  EXPECT_EQ(last_fast(), 2 + kDriftMs + 1);
  job.run_for(1000);
  EXPECT_EQ(last_fast(), 999);
}

TEST_F(GroupTest, ReadersWithoutSplitsHoldNobodyBack) {
  SteppedJob& job = start(0, /*parallelism=*/3);
  EXPECT_EQ(job.run_for(60'000), JobStatus::kFinished);
  EXPECT_EQ(last_fast(), 999);
}

}  // namespace
}  // namespace yeoul
