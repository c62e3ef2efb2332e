#include "yeoul/runtime/job.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "yeoul/runtime/job_master.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

std::vector<std::string> lines_of_range(int64_t first, size_t count) {
  return sorted_lines(number_lines(*number_range(first, count)));
}

/// Source with splits of 0…99 and 100…199, one operator, a sink.
struct Pipeline {
  std::shared_ptr<TestSource> source = std::make_shared<TestSource>(
      std::vector<BatchPtr>{number_range(0, 100), number_range(100, 100)}, number_splitter());
  std::shared_ptr<TestSink> sink = std::make_shared<TestSink>(number_lines);
  StreamGraph graph;

  Pipeline(int source_parallelism, Partitioning first, int parallelism, Partitioning second, int sink_parallelism) {
    const int s = graph.add_source("source", "source", source_parallelism, source);
    const int o = graph.add_operator("add", "add", parallelism, 1, factory_of<AddOperator>(1000));
    const int k = graph.add_sink("sink", "sink", sink_parallelism, sink);
    graph.connect(first == Partitioning::kForward ? forward(s, o) : partitioned(s, o, first));
    graph.connect(second == Partitioning::kForward ? forward(o, k) : partitioned(o, k, second));
  }
};

TEST(Job, RunsAChainOnThreads) {
  Pipeline pipeline(1, Partitioning::kForward, 1, Partitioning::kForward, 1);
  const auto job = run_job(pipeline.graph, {.name = "chain", .batch_records_max = 7}, {});
  EXPECT_EQ(job->wait(), JobStatus::kFinished);
  EXPECT_EQ(sorted_lines(pipeline.sink->lines()), lines_of_range(1000, 200));
  EXPECT_EQ(pipeline.sink->num_final_prepares(), 1);
  const JobProgress progress = job->progress();
  EXPECT_EQ(progress.records_in, 200);
  EXPECT_EQ(progress.records_out, 200);
  EXPECT_EQ(progress.watermark, kMaxWatermark);
}

TEST(Job, ExchangesDeliverEveryRecordOnce) {
  for (const Partitioning first : {Partitioning::kHash, Partitioning::kRebalance}) {
    Pipeline pipeline(2, first, 3, Partitioning::kRebalance, 2);
    const auto job = run_job(pipeline.graph, {.batch_records_max = 5, .channel_bytes_max = 64}, {});
    EXPECT_EQ(job->wait(), JobStatus::kFinished);
    EXPECT_EQ(sorted_lines(pipeline.sink->lines()), lines_of_range(1000, 200));
  }
}

TEST(Job, BroadcastDeliversToEverySubtask) {
  Pipeline pipeline(1, Partitioning::kBroadcast, 3, Partitioning::kForward, 3);
  const auto job = run_job(pipeline.graph, {.batch_records_max = 5}, {});
  EXPECT_EQ(job->wait(), JobStatus::kFinished);
  EXPECT_EQ(pipeline.sink->lines().size(), 600u);
}

TEST(Job, CancelsFromAnyThread) {
  Pipeline pipeline(2, Partitioning::kHash, 2, Partitioning::kForward, 2);
  pipeline.source->set_limit(10);
  const auto job = run_job(pipeline.graph, {}, {});
  EXPECT_LT(job->wait(0), JobStatus::kCanceled);
  job->cancel();
  EXPECT_EQ(job->wait(), JobStatus::kCanceled);
  EXPECT_EQ(job->failure(), nullptr);
  EXPECT_EQ(pipeline.sink->num_final_prepares(), 0);
}

TEST(Job, CancelsUnderBackpressure) {
  Pipeline pipeline(2, Partitioning::kHash, 2, Partitioning::kRebalance, 1);
  pipeline.sink->set_room(false);
  const auto job = run_job(pipeline.graph, {.batch_records_max = 2, .channel_bytes_max = 8}, {});
  job->cancel();
  EXPECT_EQ(job->wait(), JobStatus::kCanceled);
  EXPECT_TRUE(pipeline.sink->lines().empty());
}

TEST(Job, FailureNamesTheOperatorAndItsSubtask) {
  class Fails final : public Operator {
    void process_batch(int, const BatchPtr&, OperatorOutput&) override { throw user_error(3001, "bad row"); }
  };
  Pipeline pipeline(1, Partitioning::kForward, 1, Partitioning::kForward, 1);
  pipeline.graph.nodes()[1].operator_factory = factory_of<Fails>();
  const auto job = run_job(pipeline.graph,
                           {.restart = {.type = RestartSettings::Type::kFixedDelay, .attempts = 5, .delay_ms = 1}}, {});
  EXPECT_EQ(job->wait(), JobStatus::kFailed);
  EXPECT_EQ(job->progress().restarts, 0);  // bad data stays bad
  try {
    std::rethrow_exception(job->failure());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 3001);
    EXPECT_EQ(error.message(), "'add' (subtask 1/1): bad row");
  }
}

TEST(Job, StepsWithoutThreads) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Pipeline pipeline(2, Partitioning::kHash, 2, Partitioning::kRebalance, 1);
    FakeClock clock;
    FakeFileSystem files;
    SteppedJob job(pipeline.graph, {.batch_records_max = 9, .channel_bytes_max = 100}, clock, files, nullptr, seed);
    job.run_until_idle();
    EXPECT_EQ(job.status(), JobStatus::kFinished) << "seed " << seed;
    EXPECT_EQ(sorted_lines(pipeline.sink->lines()), lines_of_range(1000, 200));
  }
}

TEST(Job, RefusesGraphsThatAreWrong) {
  Pipeline pipeline(1, Partitioning::kForward, 2, Partitioning::kRebalance, 1);
  EXPECT_THROW(run_job(pipeline.graph, {}, {}), Error);
  Pipeline too_parallel(1, Partitioning::kRebalance, 4, Partitioning::kRebalance, 1);
  try {
    run_job(too_parallel.graph, {.max_parallelism = 3}, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7010);
  }
}

/// A source whose clients have names, and a sink that needs checkpoints.
class NamedSource final : public Source {
 public:
  NamedSource(std::string prefix, bool bounded) : prefix_(std::move(prefix)), source_({}, number_splitter(), bounded) {}
  bool bounded() const override { return source_.bounded(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    return source_.create_enumerator(context, restored);
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    return source_.create_reader(std::move(context));
  }
  std::string client_id_prefix() const override { return prefix_; }

 private:
  std::string prefix_;
  TestSource source_;
};
class CarefulSink final : public Sink {
 public:
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return sink_.create_writer(std::move(context));
  }
  bool relies_on_checkpoints() const override { return true; }

 private:
  TestSink sink_{number_lines};
};

/// What making a job of two sources into one sink says.
std::string warnings_of(const std::string& first, const std::string& second, bool bounded, const JobConfig& config,
                        const std::string& second_name = "b") {
  StreamGraph graph;
  const int a = graph.add_source("a", "a", 1, std::make_shared<NamedSource>(first, bounded));
  const int b = graph.add_source(second_name, "b", 1, std::make_shared<NamedSource>(second, bounded));
  const int add = graph.add_operator("add", "add", 1, 2, factory_of<AddOperator>(1));
  const int sink = graph.add_sink("sink", "sink", 1, std::make_shared<CarefulSink>());
  graph.connect(forward(a, add));
  graph.connect(forward(b, add, 1));
  graph.connect(forward(add, sink));
  FakeFileSystem files;
  testing::internal::CaptureStderr();
  make_job(graph, config, {.files = &files}, nullptr);
  return testing::internal::GetCapturedStderr();
}

TEST(Job, WarnsOfSourcesThatBrokersCannotTellApart) {
  const std::string shared = warnings_of("g", "g", true, {});
  EXPECT_NE(shared.find("'a' and 'b' are known to their brokers by the same client ids, 'g-"), std::string::npos)
      << shared;
  EXPECT_NE(shared.find("'client.id.prefix'"), std::string::npos);
  EXPECT_EQ(std::count(shared.begin(), shared.end(), '\n'), 1);
  EXPECT_EQ(warnings_of("g", "h", true, {}), "");
  EXPECT_EQ(warnings_of("", "", true, {}), "");
  EXPECT_EQ(warnings_of("g", "g", true, {}, "a"), "") << "a table that is read twice";
}

TEST(Job, WarnsOfSinksThatNeedCheckpointsWhereThereAreNone) {
  const std::string without = warnings_of("", "", false, {});
  EXPECT_NE(without.find("'sink' is to deliver at least once, but the job makes no checkpoints"), std::string::npos)
      << without;
  EXPECT_EQ(warnings_of("", "", false, {.checkpoint_interval_ms = 1'000}), "");
  EXPECT_EQ(warnings_of("", "", true, {}), "") << "all of it is delivered by its end";
}

TEST(JobGraph, RefusesMoreChannelsThanCanBeMeant) {
  const Pipeline large(1000, Partitioning::kRebalance, 1000, Partitioning::kForward, 1000);
  EXPECT_EQ(JobGraph(large.graph, 0).vertices().size(), 2u);
  const Pipeline too_large(1001, Partitioning::kHash, 1000, Partitioning::kForward, 1000);
  try {
    const JobGraph graph(too_large.graph, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7010);
    EXPECT_NE(error.message().find("lower 'parallelism.default'"), std::string::npos) << error.message();
  }
}

TEST(JobGraph, ChainsForwardEdgesOfOneInput) {
  Pipeline pipeline(2, Partitioning::kForward, 2, Partitioning::kRebalance, 1);
  const JobGraph graph(pipeline.graph, 0);
  ASSERT_EQ(graph.vertices().size(), 2u);
  EXPECT_EQ(graph.vertices()[0].name, "source -> add");
  EXPECT_EQ(graph.vertices()[1].name, "sink");
  EXPECT_EQ(graph.max_parallelism(), 128);
}

}  // namespace
}  // namespace yeoul
