#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "yeoul/runtime/checkpoint_storage.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

/// Two sources, a keyed count and a pass-through, killed again and again at any step and restored at another
/// parallelism, from files that lose what was not synced. The external systems go on.
class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(static_cast<uint32_t>(seed)) {
    std::vector<int64_t> left;
    std::vector<int64_t> right;
    for (int64_t i = 0; i < 600; ++i) left.push_back(i % 20);
    for (int64_t i = 0; i < 300; ++i) right.push_back(20 + i % 10);
    left_ = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers(left), numbers(left)}, number_splitter());
    right_ = std::make_shared<TestSource>(std::vector<BatchPtr>{numbers(right)}, number_splitter());
  }

  /// Runs to the end through that many kills.
  void run(int num_kills) {
    for (int kill = 0;; ++kill) {
      const JobConfig config = this->config();
      if (!config.restore_path.empty()) ++num_restores_;
      SteppedJob job(graph(1 + draw(3)), config, clock_, files_, &backend_, random_());
      if (run_one(job, kill < num_kills ? draw(900) : -1)) return;
      job.kill();
      files_.crash();
    }
  }

  int num_restores() const { return num_restores_; }
  std::vector<std::string> counts() const { return sorted_lines(counts_->lines()); }
  std::vector<std::string> passed() const { return sorted_lines(passed_->lines()); }

 private:
  int draw(int end) { return static_cast<int>(random_() % static_cast<uint32_t>(end)); }

  StreamGraph graph(int parallelism) const {
    StreamGraph graph;
    const int l = graph.add_source("left", "left", parallelism, left_);
    const int r = graph.add_source("right", "right", 1, right_);
    const int c = graph.add_operator("count", "count", parallelism, 1, std::make_shared<CountOperatorFactory>());
    const int k = graph.add_sink("counts", "counts", parallelism, counts_);
    const int p = graph.add_sink("passed", "passed", parallelism, passed_);
    graph.connect(partitioned(l, c, Partitioning::kHash));
    graph.connect(partitioned(r, c, Partitioning::kHash));
    graph.connect(forward(c, k));
    graph.connect(forward(l, p));
    return graph;
  }

  JobConfig config() {
    return {.name = "job",
            .job_id = "1",
            .batch_records_max = 1 + draw(9),
            .channel_bytes_max = 1 + draw(300),
            .checkpoint_interval_ms = 3,
            .checkpoint_directory = "/state",
            .restore_path = find_latest_checkpoint(files_, "/state", "job").value_or("")};
  }

  /// True: the job finished before `max_steps` (< 0: no limit).
  bool run_one(SteppedJob& job, int max_steps) {
    int steps = 0;
    int pause = 1 + draw(50);
    for (;;) {
      job.run_until([&] {
        ++steps;
        return (max_steps >= 0 && steps > max_steps) || --pause == 0;
      });
      if (job.status() >= JobStatus::kCanceled) {
        EXPECT_EQ(job.status(), JobStatus::kFinished);
        return true;
      }
      if (max_steps >= 0 && steps > max_steps) return false;
      pause = 1 + draw(50);
      clock_.advance(draw(5));
    }
  }

  int num_restores_ = 0;
  std::minstd_rand random_;
  FakeClock clock_;
  FakeFileSystem files_;
  HashMapBackendFactory backend_;
  std::shared_ptr<TestSource> left_;
  std::shared_ptr<TestSource> right_;
  std::shared_ptr<TestSink> counts_ = std::make_shared<TestSink>(number_lines, true);
  std::shared_ptr<TestSink> passed_ = std::make_shared<TestSink>(number_lines, true);
};

TEST(Simulation, KillsAndRestoresChangeNothing) {
  Simulation oracle(0);
  oracle.run(0);
  ASSERT_EQ(oracle.counts().size(), 30u);
  ASSERT_EQ(oracle.passed().size(), 1200u);
  int num_restores = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Simulation simulation(seed);
    simulation.run(5);
    ASSERT_EQ(simulation.counts(), oracle.counts()) << "seed " << seed;
    ASSERT_EQ(simulation.passed(), oracle.passed()) << "seed " << seed;
    num_restores += simulation.num_restores();
  }
  EXPECT_GT(num_restores, 100);  // else it says nothing about checkpoints
}

}  // namespace
}  // namespace yeoul
