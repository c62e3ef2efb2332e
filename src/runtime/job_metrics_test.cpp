#include "yeoul/runtime/job_metrics.h"

#include <gtest/gtest.h>

#include <map>

#include "yeoul/runtime/job.h"
#include "yeoul/testing/fake_clock.h"
#include "yeoul/testing/fake_file_system.h"
#include "yeoul/testing/number_operators.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

/// Values by "<scope>.<name>", summed over subtasks and operators.
std::map<std::string, double> sums(const MetricReport& report) {
  std::map<std::string, double> sums;
  for (const MetricValue& metric : report) sums[metric.scope->name + "." + metric.name] += metric.value;
  return sums;
}

/// Values of one operator, summed over subtasks.
std::map<std::string, double> of_operator(const MetricReport& report, const std::string& name) {
  MetricReport mine;
  for (const MetricValue& metric : report) {
    for (const auto& [variable, value] : metric.scope->variables) {
      if (variable == "operator_name" && value == name) mine.push_back(metric);
    }
  }
  return sums(mine);
}

struct MetricsPipeline {
  std::shared_ptr<TestSource> source = std::make_shared<TestSource>(
      std::vector<BatchPtr>{number_range(0, 100), number_range(100, 100)}, number_splitter());
  std::shared_ptr<TestSink> sink = std::make_shared<TestSink>(number_lines);
  StreamGraph graph;

  MetricsPipeline() {
    const int s = graph.add_source("source", "source", 2, source);
    const int o = graph.add_operator("add", "add", 2, 1, factory_of<AddOperator>(1000));
    const int k = graph.add_sink("sink", "sink", 1, sink);
    graph.connect(partitioned(s, o, Partitioning::kHash));
    graph.connect(partitioned(o, k, Partitioning::kRebalance));
  }
};

TEST(JobMetrics, CountsEachRecordOnceWhereverItPasses) {
  MetricsPipeline pipeline;
  const auto job = run_job(pipeline.graph, {.name = "counted", .batch_records_max = 7}, {});
  ASSERT_EQ(job->wait(), JobStatus::kFinished);
  const MetricReport report = job->metrics();
  for (const char* name : {"source", "add", "sink"}) {
    const auto values = of_operator(report, name);
    EXPECT_EQ(values.at("taskmanager.job.task.operator.numRecordsIn"), 200) << name;
    EXPECT_EQ(values.at("taskmanager.job.task.operator.numRecordsOut"), 200) << name;
    EXPECT_GT(values.at("taskmanager.job.task.operator.numRecordsInPerSecond"), 0) << name;
  }
  EXPECT_EQ(of_operator(report, "sink").at("taskmanager.job.task.operator.numRecordsSend"), 200);
  EXPECT_EQ(of_operator(report, "sink").at("taskmanager.job.task.operator.currentInputWatermark"), kMaxWatermark);
  EXPECT_EQ(sums(report).at("taskmanager.job.task.numRecordsIn"), 600);
  EXPECT_EQ(sums(report).at("jobmanager.job.numRestarts"), 0);
  EXPECT_EQ(report.front().scope->variables.at(2), (std::pair<std::string, std::string>("job_name", "counted")));
}

TEST(JobMetrics, CountsCheckpoints) {
  MetricsPipeline pipeline;
  pipeline.source->set_limit(50);
  FakeClock clock;
  FakeFileSystem files;
  SteppedJob job(pipeline.graph, {.checkpoint_interval_ms = 100, .tolerable_failed_checkpoints = 10}, clock, files,
                 nullptr, 1);
  job.run_for(350);
  auto values = sums(job.job().metrics());
  EXPECT_EQ(values.at("jobmanager.job.numberOfCompletedCheckpoints"), 3);
  EXPECT_EQ(values.at("jobmanager.job.numberOfFailedCheckpoints"), 0);
  EXPECT_EQ(values.at("jobmanager.job.lastCompletedCheckpointId"), 3);
  EXPECT_GT(values.at("jobmanager.job.lastCheckpointSize"), 0);
  EXPECT_EQ(values.at("jobmanager.job.totalNumberOfCheckpoints"), 3);
  EXPECT_EQ(values.at("jobmanager.job.uptime"), 350);
  pipeline.source->set_limit(1000);
  job.run_for(1000);
  EXPECT_EQ(job.status(), JobStatus::kFinished);
  values = sums(job.job().metrics());
  EXPECT_EQ(values.at("jobmanager.job.numberOfInProgressCheckpoints"), 0);
  EXPECT_EQ(values.at("jobmanager.job.numberOfCompletedCheckpoints"),
            values.at("jobmanager.job.totalNumberOfCheckpoints"));
}

TEST(JobMetrics, ATaskWithoutRoomBehindItIsBackpressured) {
  MetricsPipeline pipeline;
  pipeline.sink->set_room(false);
  const auto job = run_job(pipeline.graph, {.batch_records_max = 2, .channel_bytes_max = 8}, {});
  const auto backpressured = [&] { return sums(job->metrics()).at("taskmanager.job.task.isBackPressured"); };
  while (backpressured() < 5) job->wait(1);  // all tasks: the sink waits for its writer
  job->wait(5);
  const JobProgress progress = job->progress();
  ASSERT_EQ(progress.backpressured.size(), 5u);
  EXPECT_EQ(progress.backpressured[0].name, "source");
  for (const TimeSpent& time : progress.backpressured) EXPECT_GE(time.ns, 5'000'000) << time.name;
  job->cancel();
  EXPECT_EQ(job->wait(), JobStatus::kCanceled);
  EXPECT_EQ(backpressured(), 0);
}

TEST(TaskTimes, AddsUpEachUse) {
  TaskTimes times;
  times.switch_to(TaskTimes::kBusy, 100);
  times.switch_to(TaskTimes::kIdle, 130);
  times.switch_to(TaskTimes::kBackpressured, 150);
  TaskTimes::Reading reading = times.read(157);
  EXPECT_EQ(reading.busy_ns, 30);
  EXPECT_EQ(reading.idle_ns, 20);
  EXPECT_EQ(reading.backpressured_ns, 7);
  EXPECT_TRUE(reading.backpressured);
  times.switch_to(TaskTimes::kStopped, 160);
  reading = times.read(1000);
  EXPECT_EQ(reading.busy_ns + reading.idle_ns + reading.backpressured_ns, 60);
}

}  // namespace
}  // namespace yeoul
