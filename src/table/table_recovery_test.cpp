#include <gtest/gtest.h>

#include <set>

#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/table/table_kit_test.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {
namespace {

/// A job stream -> table -> stream -> table -> stream whose source reads two splits step by step.
struct Pipeline {
  explicit Pipeline(int parallelism, std::shared_ptr<TestSink> test_sink = new_sink())
      : program(parallelism), sink(std::move(test_sink)) {
    std::vector<BatchPtr> splits;
    for (int split = 0; split < 2; ++split) {
      auto batch = std::make_shared<Batch<PageView>>();
      batch->values = page_views(60);
      for (PageView& view : batch->values) view.user += std::to_string(split);
      splits.push_back(std::move(batch));
    }
    source = std::make_shared<TestSource>(splits, splitter_of<PageView>());
    source->set_limit(0);
    StreamTableEnvironment& tables = program.tables;
    tables.create_temporary_view(
        "page_views",
        program.env.from_source<PageView>(source, WatermarkStrategy::no_watermarks(), "page_views").uid("source"));
    const auto kept =
        tables.to_data_stream<PageView>(tables.sql_query("SELECT * FROM page_views WHERE `user` <> 'user00'"));
    const auto marked = kept.map([](const PageView& view) { return PageView{view.user, view.region + "!", view.at}; });
    tables.create_temporary_view("marked", marked);
    const auto counts = tables.to_changelog_stream<RegionCount>(
        tables.sql_query("SELECT region, COUNT(*) AS pv, COUNT(DISTINCT `user`) AS uv FROM marked GROUP BY region"));
    add_stream_sink(counts.shared_state(), "Test", sink, counts.inputs()).uid("sink");
    JobConfig& config = program.env.config();
    config.job_id = "0123";
    config.checkpoint_interval_ms = 20;
    config.batch_records_max = 4;
    config.restart.type = RestartSettings::Type::kFixedDelay;
    config.restart.attempts = 3;
    config.restart.delay_ms = 5;
  }
  /// What it holds outlives a program, as an external system does.
  static std::shared_ptr<TestSink> new_sink() {
    using Change = ChangelogRecord<RegionCount>;
    return std::make_shared<TestSink>(
        [](const BatchBase& batch) { return texts_of(static_cast<const Batch<Change>&>(batch).values); }, true);
  }

  SteppedJob& start(uint64_t seed, FileSystem& files, const std::string& restore_path = "") {
    program.env.config().restore_path = restore_path;
    job = std::make_unique<SteppedJob>(program.env.get_stream_graph(), program.env.config(), clock, files, &backend,
                                       seed);
    return *job;
  }
  /// Reads up to that many records of each split.
  void read_to(size_t records) {
    source->set_limit(records);
    job->run_for(45, 5);
  }

  HashMapBackendFactory backend;
  FakeClock clock;
  Program program;
  std::shared_ptr<TestSource> source;
  std::shared_ptr<TestSink> sink;
  std::unique_ptr<SteppedJob> job;
};

/// The table that changelog lines make.
std::multiset<std::string> table_of(const Texts& lines) {
  std::multiset<std::string> rows;
  for (const std::string& line : lines) {
    const std::string row = line.substr(3);
    if (line[0] == '+') {
      rows.insert(row);
    } else {
      const auto at = rows.find(row);
      EXPECT_NE(at, rows.end()) << line;
      if (at != rows.end()) rows.erase(at);
    }
  }
  return rows;
}

const std::multiset<std::string> kExpected{"RegionCount{region=region0!, pv=38, uv=25}",
                                           "RegionCount{region=region1!, pv=39, uv=25}",
                                           "RegionCount{region=region2!, pv=38, uv=25}"};

TEST(TableRecovery, AfterAFailure) {
  for (const int parallelism : {1, 2}) {
    for (const size_t fail_at : {0, 13, 31, 52}) {
      Pipeline pipeline(parallelism);
      if (fail_at != 0) pipeline.source->fail_once_at(1, fail_at);
      FakeFileSystem files;
      SteppedJob& job = pipeline.start(fail_at, files);
      for (size_t limit = 10; limit <= 60; limit += 10) pipeline.read_to(limit);
      ASSERT_EQ(job.run_for(5000), JobStatus::kFinished) << job.failure_text();
      EXPECT_EQ(job.job().progress().restarts, fail_at == 0 ? 0 : 1);
      EXPECT_EQ(table_of(pipeline.sink->lines()), kExpected) << parallelism << " " << fail_at;
    }
  }
}

TEST(TableRecovery, InANewProgramAtAnotherParallelism) {
  FakeFileSystem files;
  const std::shared_ptr<TestSink> sink = Pipeline::new_sink();
  std::string checkpoint;
  {
    Pipeline first(1, sink);
    SteppedJob& job = first.start(1, files);
    first.read_to(30);
    const auto info = job.job().progress().last_checkpoint;
    ASSERT_TRUE(info.has_value());
    checkpoint = info->path;
    job.kill();
  }
  EXPECT_FALSE(sink->lines().empty());
  Pipeline second(2, sink);
  second.program.env.config().job_id = "4567";
  SteppedJob& job = second.start(2, files, checkpoint);
  second.read_to(60);
  ASSERT_EQ(job.run_for(5000), JobStatus::kFinished) << job.failure_text();
  EXPECT_EQ(table_of(sink->lines()), kExpected);
}

TEST(TableWatermarks, AreMadeByTheExpressionOfTheTable) {
  Program program(2);
  auto batch = std::make_shared<Batch<PageView>>();
  batch->values = page_views(500);
  const auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{batch, batch}, splitter_of<PageView>(), false);
  const auto views = program.env.from_source<PageView>(source, WatermarkStrategy::no_watermarks(), "page_views");
  const auto schema =
      TableSchema::new_builder().column("at", "TIMESTAMP(3)").watermark("at", "`at` - INTERVAL '1' SECOND").build();
  const auto times = program.tables.to_data_stream<int64_t>(program.tables.from_data_stream(views, schema));
  const auto sink = std::make_shared<TestSink>([](const BatchBase&) { return Texts(); });
  add_stream_sink(times.shared_state(), "Test", sink, times.inputs());
  HashMapBackendFactory backend;
  FakeClock clock;
  FakeFileSystem files;
  SteppedJob job(program.env.get_stream_graph(), program.env.config(), clock, files, &backend);
  job.run_for(500);
  EXPECT_EQ(job.job().progress().watermark, 3990);
  job.job().cancel();
  job.run_for(100);
}

}  // namespace
}  // namespace yeoul
