#include "yeoul/connectors/filesystem/filesystem.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>

#include "yeoul/connectors/filesystem/file_paths.h"
#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/raw/raw_format.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

using Lines = std::vector<std::string>;

/// A coordinator that runs its I/O at once.
class FakeEnumeratorContext final : public SplitEnumeratorContext {
 public:
  int parallelism() const override { return 1; }
  std::vector<int> registered_readers() const override { return {}; }
  void assign_splits(int subtask, std::vector<SourceSplit> splits) override {
    for (SourceSplit& split : splits) assigned[subtask].push_back(std::move(split));
  }
  void signal_no_more_splits(int subtask) override { no_more.push_back(subtask); }
  void send_event_to_reader(int, std::string) override {}
  void call_async(std::function<std::function<void()>()> io, int64_t period_ms) override {
    if (period_ms > 0) periodic = io;
    io()();
  }
  const Clock& clock() const override { return system_clock(); }

  std::map<int, std::vector<SourceSplit>> assigned;
  std::vector<int> no_more;
  std::function<std::function<void()>()> periodic;
};

class Rows final : public SourceOutput {
 public:
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override {
    EXPECT_EQ(runs.size(), 1u);
    for (std::string& line : row_lines(static_cast<const RowBatch&>(*batch))) lines.push_back(std::move(line));
  }
  void set_caught_up(std::string_view, bool) override {}
  void finish_split(std::string_view split) override {
    finished.push_back(std::filesystem::path(split).filename().string());
  }
  Lines lines;
  Lines finished;
};

class FilesystemTest : public testing::Test {
 protected:
  FilesystemTest() {
    formats_.add(make_json_format());
    formats_.add(make_raw_format());
    folder_ = testing::TempDir() + "yeoul_filesystem_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FilesystemTest() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& name, const std::string& text) const {
    const std::filesystem::path path = folder_ + "/" + name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }

  TableContext table(Schema schema, OptionMap options, std::vector<std::string> partition_keys = {}) const {
    options.try_emplace("connector", "filesystem");
    options.try_emplace("path", folder_);
    options.try_emplace("format", "json");
    return {.name = "t",
            .physical = std::move(schema),
            .partition_keys = std::move(partition_keys),
            .options = std::move(options),
            .formats = &formats_};
  }

  /// A reader with its enumerator, as a job of parallelism 1 has them.
  struct Job {
    Job(FilesystemTest& test, const TableContext& table, ScanRequest request, int64_t batch_records_max = 1024)
        : source(make_filesystem_connector()->create_table_source(table)->create_source(request)),
          enumerator(source->create_enumerator(coordinator, std::nullopt)),
          pool(test.pool_) {
      context.wake_up = [this] { wake.raise(); };
      context.request_split = [this] { requests = true; };
      context.io_pool = &pool;
      context.metrics = &metrics;
      context.batch_records_max = [batch_records_max] { return batch_records_max; };
      start();
      enumerator->start();
    }
    void start() {
      reader = source->create_reader(context);
      reader->start();
    }
    /// Stops and goes on from a snapshot.
    void restore() {
      if (auto splits = std::exchange(coordinator.assigned[0], {}); !splits.empty()) reader->add_splits(splits);
      const auto splits = reader->snapshot(1);
      const std::string state = enumerator->snapshot(1);
      reader.reset();
      enumerator = source->create_enumerator(coordinator, state);
      coordinator.assigned.clear();
      coordinator.no_more.clear();
      start();
      reader->add_splits(splits);
      enumerator->start();
    }
    PollResult poll() {
      if (std::exchange(requests, false)) enumerator->handle_split_request(0);
      if (auto splits = std::exchange(coordinator.assigned[0], {}); !splits.empty()) reader->add_splits(splits);
      if (!coordinator.no_more.empty()) reader->notify_no_more_splits();
      return reader->poll(rows);
    }
    void run() {
      for (;;) {
        const PollResult result = poll();
        if (result == PollResult::kEnd) return;
        if (result == PollResult::kNothing) wake.wait({}, 10'000);
      }
    }

    std::shared_ptr<const Source> source;
    FakeEnumeratorContext coordinator;
    std::unique_ptr<SplitEnumerator> enumerator;
    ThreadPool& pool;
    WakeUp wake;
    SourceMetrics metrics;
    SourceReaderContext context;
    std::unique_ptr<SourceReader> reader;
    bool requests = false;
    Rows rows;
  };

  Lines read(const TableContext& context, ScanRequest request) {
    Job job(*this, context, std::move(request));
    job.run();
    return job.rows.lines;
  }

  /// A sink's writer with a task around it.
  struct Writing {
    Writing(FilesystemTest& test, const TableContext& table, std::vector<std::string> states = {})
        : sink(make_filesystem_connector()->create_table_sink(table)->create_sink({})) {
      writer = sink->create_writer({.job_id = "job",
                                    .wake_up = [this] { wake.raise(); },
                                    .fail =
                                        [this](std::exception_ptr e) {
                                          error = e;
                                          failed = true;
                                          wake.raise();
                                        },
                                    .io_pool = &test.pool_,
                                    .metrics = &metrics,
                                    .restored_states = std::move(states)});
    }
    std::vector<std::string> prepare() {
      std::vector<std::string> out;
      std::atomic<bool> done = false;
      writer->begin_prepare(1, false, [&](std::vector<std::string> committables) {
        out = std::move(committables);
        done = true;
        wake.raise();
      });
      while (!done && !failed) wake.wait({}, 10'000);
      if (failed) std::rethrow_exception(error);
      return out;
    }
    void commit(const std::vector<std::string>& committables) const { sink->create_committer()->commit(committables); }

    std::shared_ptr<const Sink> sink;
    WakeUp wake;
    std::exception_ptr error;  ///< read once `failed` is set
    std::atomic<bool> failed = false;
    SinkMetrics metrics;
    std::unique_ptr<SinkWriter> writer;
  };

  Lines visible() const {
    Lines names;
    for (const FoundFile& file : find_files(folder_)) names.push_back(file.path.substr(folder_.size() + 1));
    return names;
  }

  FormatRegistry formats_;
  ThreadPool pool_{"io", 2};
  std::string folder_;
};

const Schema kNumber({{"a", LogicalType::integer()}});

TEST_F(FilesystemTest, ReadsAFolderInOrderOfNames) {
  put("b.json", "{\"a\":3}\n{\"a\":4}");
  put("a.json", "{\"a\":1}\r\n\n{\"a\":2}\n");
  put("sub/c.json", "{\"a\":5}\n");
  put("_hidden", "{\"a\":6}\n");
  put(".hidden/d.json", "{\"a\":7}\n");
  Job job(*this, table(kNumber, {}), {.columns = {0}});
  job.run();
  EXPECT_EQ(job.rows.lines, (Lines{"+I 1", "+I 2", "+I 3", "+I 4", "+I 5"}));
  EXPECT_EQ(job.rows.finished, (Lines{"a.json", "b.json", "c.json"}));
  EXPECT_EQ(job.metrics.records_in.value(), 6);
  EXPECT_EQ(job.metrics.bytes_in.value(), 18 + 15 + 8);
}

TEST_F(FilesystemTest, PathMayBeAFileOrAnAddress) {
  put("one two.json", "{\"a\":1}\n");
  EXPECT_EQ(read(table(kNumber, {{"path", folder_ + "/one two.json"}}), {.columns = {0}}), (Lines{"+I 1"}));
  EXPECT_EQ(read(table(kNumber, {{"path", "file://" + folder_ + "/one%20two.json"}}), {.columns = {0}}),
            (Lines{"+I 1"}));
  try {
    make_filesystem_connector()->create_table_source(table(kNumber, {{"path", "s3://bucket/x"}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 2010);
  }
  try {
    read(table(kNumber, {{"path", folder_ + "/nothing"}}), {.columns = {0}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 5001);
  }
}

TEST_F(FilesystemTest, EmptyFolderAndEmptyFileGiveNoRows) {
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}}), Lines{});
  put("empty.json", "");
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}}), Lines{});
}

TEST_F(FilesystemTest, LinesLongerThanAPiece) {
  const std::string filler(700'000, 'x');
  std::string text;
  for (int i = 0; i < 4; ++i) text += "{\"f\":\"" + filler + "\",\"a\":" + std::to_string(i) + "}\n";
  put("long.json", text);
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}}), (Lines{"+I 0", "+I 1", "+I 2", "+I 3"}));
}

TEST_F(FilesystemTest, RestoredAtEveryBatchGivesTheSameRows) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "{\"a\":" + std::to_string(i) + "}\n";
  put("a.json", text);
  put("b.json", "[{\"a\":20},{\"a\":21}]\n{\"a\":22}\n");
  const auto straight = read(table(kNumber, {}), {.columns = {0}});
  EXPECT_EQ(straight.size(), 23u);
  Job job(*this, table(kNumber, {}), {.columns = {0}}, 3);
  for (size_t emitted = 0;;) {
    const PollResult result = job.poll();
    if (result == PollResult::kEnd) break;
    if (result == PollResult::kNothing) job.wake.wait({}, 10'000);
    if (job.rows.lines.size() == emitted) continue;
    emitted = job.rows.lines.size();
    job.restore();
  }
  EXPECT_EQ(job.rows.lines, straight);
}

TEST_F(FilesystemTest, LimitIsPushedDown) {
  put("a.json", "{\"a\":1}\n[{\"a\":2},{\"a\":3}]\n{\"a\":4}\n");
  put("b.json", "{\"a\":5}\n");
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}, .limit = 2}), (Lines{"+I 1", "+I 2"}));
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}, .limit = 0}), Lines{});
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}, .limit = 9}), (Lines{"+I 1", "+I 2", "+I 3", "+I 4", "+I 5"}));
}

TEST_F(FilesystemTest, ABadLineNamesFileLineFieldAndByte) {
  put("a.json", "{\"a\":1}\n{\"a\":\"x\"}\n");
  try {
    read(table(kNumber, {}), {.columns = {0}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 3001);
    EXPECT_EQ(error.family(), ErrorFamily::kUser);
    EXPECT_EQ(error.message(), "table 't': file '" + folder_ +
                                   "/a.json' line 2: field 'a' at byte 5: this is no whole number (type INT): "
                                   "{\"a\":\"x\"}");
  }
  put("a.json", "{\"a\":1}\n{\"a\":\"x\"}\nno\n");
  Job job(*this, table(kNumber, {{"json.ignore-parse-errors", "true"}}), {.columns = {0}});
  job.run();
  EXPECT_EQ(job.rows.lines, (Lines{"+I 1", "+I ."}));
  EXPECT_EQ(job.metrics.records_skipped.value(), 2);
}

TEST_F(FilesystemTest, MetadataAndNoColumns) {
  put("a.json", "{\"a\":1}\n{\"a\":2}\n");
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {}, .metadata = {"file.name", "file.size"}}),
            (Lines{"+I a.json 16", "+I a.json 16"}));
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {}}).size(), 2u);
}

TEST_F(FilesystemTest, MonitoringFindsNewFilesOnce) {
  put("a.json", "{\"a\":1}\n");
  const TableContext context = table(kNumber, {{"source.monitor-interval", "1 s"}});
  Job job(*this, context, {.columns = {0}});
  EXPECT_FALSE(job.source->bounded());
  const auto until = [&](size_t rows) {
    while (job.rows.lines.size() < rows) {
      if (job.poll() == PollResult::kNothing) job.wake.wait({}, 10'000);
    }
    while (job.poll() == PollResult::kMore) {
    }
  };
  until(1);
  put("b.json", "{\"a\":2}\n");
  job.coordinator.periodic()();
  job.restore();
  until(2);
  EXPECT_EQ(job.rows.lines, (Lines{"+I 1", "+I 2"}));
}

TEST_F(FilesystemTest, FilesAppearWhenTheCheckpointCompletes) {
  Writing job(*this, table(kNumber, {}));
  job.writer->write(rows(kNumber, "+I 1\n+I 2"));
  EXPECT_EQ(visible(), Lines{});
  const auto first = job.prepare();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(visible(), Lines{});
  job.commit(first);
  EXPECT_EQ(visible(), (Lines{"part-job-0-0"}));
  job.commit(first);  // again after a restore: no harm
  EXPECT_TRUE(job.prepare().empty());
  EXPECT_EQ(job.metrics.records_out.value(), 2);
  EXPECT_EQ(read(table(kNumber, {}), {.columns = {0}}), (Lines{"+I 1", "+I 2"}));
  // A writer that was lost leaves a hidden file that its successor passes over.
  job.writer->write(rows(kNumber, "+I 3"));
  const std::string state = job.writer->snapshot(1);
  job.prepare();
  Writing next(*this, table(kNumber, {}), {state});
  next.writer->write(rows(kNumber, "+I 4"));
  next.commit(next.prepare());
  EXPECT_EQ(visible(), (Lines{"part-job-0-0", "part-job-0-2"}));
  std::filesystem::remove(folder_ + "/part-job-0-0");
  EXPECT_THROW(job.commit(first), Error);
}

TEST_F(FilesystemTest, ANullWithoutTextIsRefused) {
  const Schema schema({{"a", LogicalType::string()}});
  Writing job(*this, table(schema, {{"format", "raw"}}));
  job.writer->write(rows(schema, "+I x"));
  try {
    job.writer->write(rows(schema, "+I ."));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 3200);
    EXPECT_NE(error.message().find("table 't'"), std::string::npos) << error.message();
  }
}

TEST_F(FilesystemTest, LargeFilesRoll) {
  Writing job(*this, table(kNumber, {{"sink.rolling-policy.file-size", "1"}}));
  job.writer->write(rows(kNumber, "+I 1"));
  job.commit(job.prepare());
  job.writer->write(rows(kNumber, "+I 2"));
  job.commit(job.prepare());
  EXPECT_EQ(visible().size(), 2u);
}

TEST_F(FilesystemTest, PartitionsAreFolders) {
  const Schema schema({{"a", LogicalType::integer()}, {"p", LogicalType::string()}, {"q", LogicalType::integer()}});
  const TableContext context = table(schema, {}, {"p", "q"});
  Writing job(*this, context);
  job.writer->write(rows(schema, "+I 1 x 7\n+I 2 . 7\n+I 3 'a/b c' 8\n+I 4 x 7"));
  job.commit(job.prepare());
  Lines names = visible();
  for (std::string& name : names) name = std::filesystem::path(name).parent_path().string();
  EXPECT_EQ(names, (Lines{"p=__DEFAULT_PARTITION__/q=7", "p=a%2Fb c/q=8", "p=x/q=7"}));
  EXPECT_EQ(read(context, {.columns = {1, 0, 2}}), (Lines{"+I . 2 7", "+I 'a/b c' 3 8", "+I x 1 7", "+I x 4 7"}));
}

TEST_F(FilesystemTest, WrongOptionsFailBeforeAnythingRuns) {
  struct Case {
    OptionMap options;
    int code;
  };
  const Case cases[] = {{{{"pth", "x"}}, 2011},
                        {{{"json.ignore-parse-error", "true"}}, 2011},
                        {{{"format", "jsn"}}, 2020},
                        {{{"source.path.regex-pattern", "("}}, 2010},
                        {{{"source.monitor-interval", "soon"}}, 2010}};
  for (const Case& test : cases) {
    try {
      make_filesystem_connector()->create_table_source(table(kNumber, test.options));
      ADD_FAILURE() << test.options.begin()->first;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), test.code) << error.what();
    }
  }
}

}  // namespace
}  // namespace yeoul
