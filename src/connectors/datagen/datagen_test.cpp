#include "yeoul/connectors/datagen/datagen.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

class FakeClock final : public Clock {
 public:
  int64_t wall_ms() const override { return 1'704'067'200'000 + now_ns / 1'000'000; }
  int64_t steady_ns() const override { return now_ns; }
  int64_t now_ns = 5'000'000'000;
};

class FakeEnumeratorContext final : public SplitEnumeratorContext {
 public:
  explicit FakeEnumeratorContext(int parallelism) : parallelism_(parallelism) {}
  int parallelism() const override { return parallelism_; }
  std::vector<int> registered_readers() const override { return {}; }
  void assign_splits(int subtask, std::vector<SourceSplit> splits) override {
    for (SourceSplit& split : splits) assigned[subtask].push_back(std::move(split));
  }
  void signal_no_more_splits(int subtask) override { no_more.push_back(subtask); }
  void send_event_to_reader(int, std::string) override {}
  void call_async(std::function<std::function<void()>()>, int64_t) override {}
  const Clock& clock() const override { return clock_; }

  std::map<int, std::vector<SourceSplit>> assigned;
  std::vector<int> no_more;

 private:
  int parallelism_;
  FakeClock clock_;
};

class Rows final : public SourceOutput {
 public:
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override {
    EXPECT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].num_rows, batch->num_records());
    for (std::string& line : row_lines(static_cast<const RowBatch&>(*batch))) lines.push_back(std::move(line));
  }
  void set_caught_up(std::string_view, bool) override {}
  void finish_split(std::string_view split) override { finished.emplace_back(split); }

  std::vector<std::string> lines;
  std::vector<std::string> finished;
};

struct Harness {
  explicit Harness(const TableContext& table, ScanRequest request, int64_t batch_records_max = 1024) {
    source = make_datagen_connector()->create_table_source(table)->create_source(request);
    context.clock = &clock;
    context.wake_up = [] {};
    context.wake_up_at = [this](int64_t at) { wake_up_at = at; };
    context.batch_records_max = [batch_records_max] { return batch_records_max; };
  }
  std::unique_ptr<SourceReader> reader(std::vector<SourceSplit> splits) const {
    auto made = source->create_reader(context);
    made->add_splits(std::move(splits));
    made->notify_no_more_splits();
    return made;
  }
  std::vector<SourceSplit> splits(int parallelism, int subtask) const {
    FakeEnumeratorContext enumerator_context(parallelism);
    const auto enumerator = source->create_enumerator(enumerator_context, std::nullopt);
    enumerator->start();
    enumerator->add_reader(subtask);
    return enumerator_context.assigned[subtask];
  }

  FakeClock clock;
  SourceReaderContext context;
  std::shared_ptr<const Source> source;
  int64_t wake_up_at = -1;
};

TableContext table(Schema schema, OptionMap options) {
  options["connector"] = "datagen";
  return {.name = "gen", .physical = std::move(schema), .options = std::move(options)};
}

const OptionMap kSequence = {
    {"rows-per-second", "1000000"}, {"fields.n.kind", "sequence"}, {"fields.n.start", "10"}, {"fields.n.end", "14"}};
const Schema kNumber({{"n", LogicalType::bigint()}});

TEST(DatagenTest, SequenceEnds) {
  Harness harness(table(kNumber, kSequence), {.columns = {0}});
  EXPECT_TRUE(harness.source->bounded());
  const auto reader = harness.reader(harness.splits(1, 0));
  Rows rows;
  harness.clock.now_ns += 0;
  EXPECT_EQ(reader->poll(rows), PollResult::kMore);
  harness.clock.now_ns += 1'000'000;
  EXPECT_EQ(reader->poll(rows), PollResult::kMore);
  EXPECT_EQ(reader->poll(rows), PollResult::kEnd);
  EXPECT_EQ(rows.lines, (std::vector<std::string>{"+I 10", "+I 11", "+I 12", "+I 13", "+I 14"}));
  EXPECT_EQ(rows.finished, (std::vector<std::string>{"datagen-0"}));
}

TEST(DatagenTest, SubtasksShareASequence) {
  Harness harness(table(kNumber, kSequence), {.columns = {0}});
  Rows rows;
  for (int subtask = 0; subtask < 2; ++subtask) {
    const auto reader = harness.reader(harness.splits(2, subtask));
    reader->poll(rows);
    harness.clock.now_ns += 1'000'000;
    while (reader->poll(rows) != PollResult::kEnd) {
    }
  }
  EXPECT_EQ(rows.lines, (std::vector<std::string>{"+I 10", "+I 12", "+I 14", "+I 11", "+I 13"}));
}

TEST(DatagenTest, RestoredReaderGoesOnWithTheRowsItWouldHaveMade) {
  const Schema schema({{"n", LogicalType::bigint()}, {"s", LogicalType::string()}, {"x", LogicalType::double_()}});
  const TableContext context =
      table(schema, {{"number-of-rows", "40"}, {"fields.s.length", "6"}, {"rows-per-second", "1000000"}});
  Harness harness(context, {.columns = {0, 1, 2}}, 7);
  const auto whole_run = [&](bool restore) {
    auto reader = harness.reader(harness.splits(1, 0));
    Rows rows;
    for (int polls = 0; reader->poll(rows) != PollResult::kEnd; ++polls) {
      harness.clock.now_ns += 1'000'000;
      if (restore && polls == 2) reader = harness.reader(reader->snapshot(1));
    }
    return rows.lines;
  };
  const auto straight = whole_run(false);
  EXPECT_EQ(straight.size(), 40u);
  EXPECT_EQ(whole_run(true), straight);
}

TEST(DatagenTest, RateIsKept) {
  Harness harness(table(kNumber, {{"rows-per-second", "100"}}), {.columns = {0}});
  EXPECT_FALSE(harness.source->bounded());
  const auto reader = harness.reader(harness.splits(1, 0));
  Rows rows;
  EXPECT_EQ(reader->poll(rows), PollResult::kMore);
  EXPECT_EQ(reader->poll(rows), PollResult::kNothing);
  EXPECT_EQ(rows.lines.size(), 1u);
  EXPECT_EQ(harness.wake_up_at, harness.clock.now_ns + 10'000'000);
  for (int i = 0; i < 100; ++i) {
    harness.clock.now_ns = harness.wake_up_at;
    while (reader->poll(rows) == PollResult::kMore) {
    }
  }
  EXPECT_EQ(rows.lines.size(), 101u);
  harness.clock.now_ns += 60'000'000'000;  // a minute blocked downstream: one second's rows, not sixty's
  while (reader->poll(rows) == PollResult::kMore) {
  }
  EXPECT_EQ(rows.lines.size(), 201u);
}

TEST(DatagenTest, ValuesLieWithinTheirBounds) {
  const Schema schema({{"n", LogicalType::integer()},
                       {"d", LogicalType::decimal(6, 2)},
                       {"f", LogicalType::real()},
                       {"s", LogicalType::varchar(5)},
                       {"t", LogicalType::timestamp_ltz(3)},
                       {"a", LogicalType::array(LogicalType::tinyint())}});
  Harness harness(table(schema, {{"number-of-rows", "500"},
                                 {"rows-per-second", "1000000"},
                                 {"fields.n.min", "-3"},
                                 {"fields.n.max", "3"},
                                 {"fields.n.null-rate", "0.5"},
                                 {"fields.d.min", "-1.5"},
                                 {"fields.d.max", "1.5"},
                                 {"fields.f.max", "2"},
                                 {"fields.s.var-len", "true"},
                                 {"fields.t.max-past", "1 s"},
                                 {"fields.a.length", "2"},
                                 {"fields.a.element.min", "7"},
                                 {"fields.a.element.max", "7"}}),
                  {.columns = {0, 1, 2, 3, 4, 5}});
  class Check final : public SourceOutput {
   public:
    void emit(BatchPtr batch, std::span<const SourceRun>) override {
      const auto& rows = static_cast<const RowBatch&>(*batch);
      for (size_t row = 0; row < rows.num_rows; ++row) {
        if (rows.columns[0]->is_null(row)) {
          ++nulls;
        } else {
          seen.insert(rows.columns[0]->values<int32_t>()[row]);
        }
        EXPECT_LE(std::abs(static_cast<int64_t>(rows.columns[1]->values<int128>()[row])), 150);
        EXPECT_GE(rows.columns[2]->values<float>()[row], 0);
        EXPECT_LE(rows.columns[2]->values<float>()[row], 2);
        EXPECT_GE(rows.columns[3]->string_at(row).size(), 1u);
        EXPECT_LE(rows.columns[3]->string_at(row).size(), 5u);
        EXPECT_GE(rows.columns[4]->values<int64_t>()[row], 1'704'067'204'000);
        EXPECT_EQ(rows.columns[5]->offsets()[row + 1], static_cast<int32_t>(2 * row + 2));
        EXPECT_EQ(rows.columns[5]->child(0).values<int8_t>()[2 * row], 7);
      }
    }
    void set_caught_up(std::string_view, bool) override {}
    void finish_split(std::string_view) override {}
    int nulls = 0;
    std::set<int32_t> seen;
  } check;
  const auto reader = harness.reader(harness.splits(1, 0));
  reader->poll(check);
  harness.clock.now_ns += 999'000'000;
  reader->poll(check);
  EXPECT_EQ(check.seen, (std::set<int32_t>{-3, -2, -1, 0, 1, 2, 3}));
  EXPECT_GT(check.nulls, 150);
  EXPECT_LT(check.nulls, 350);
}

TEST(DatagenTest, OnlyTheColumnsAskedForAreMade) {
  const Schema schema({{"s", LogicalType::string()}, {"n", LogicalType::bigint()}});
  OptionMap options = kSequence;
  Harness harness(table(schema, options), {.columns = {1}, .limit = 1});
  const auto reader = harness.reader(harness.splits(1, 0));
  Rows rows;
  while (reader->poll(rows) != PollResult::kEnd) {
  }
  EXPECT_EQ(rows.lines, (std::vector<std::string>{"+I 10"}));
}

TEST(DatagenTest, WrongOptionsFailBeforeAnythingRuns) {
  struct Case {
    OptionMap options;
    int code;
  };
  const Case cases[] = {{{{"fields.n.mim", "1"}}, 2011},
                        {{{"fields.m.min", "1"}}, 2011},
                        {{{"rows-per-secnd", "1"}}, 2011},
                        {{{"fields.n.min", "x"}}, 2010},
                        {{{"fields.n.min", "2"}, {"fields.n.max", "1"}}, 2010},
                        {{{"fields.n.kind", "sequence"}}, 2010},
                        {{{"fields.n.kind", "other"}}, 2010},
                        {{{"number-of-rows", "0"}}, 2010},
                        {{{"fields.n.null-rate", "2"}}, 2010}};
  for (const Case& test : cases) {
    try {
      make_datagen_connector()->create_table_source(table(kNumber, test.options));
      ADD_FAILURE() << test.options.begin()->first;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), test.code) << error.what();
      EXPECT_TRUE(error.message().starts_with("table 'gen' (connector 'datagen')")) << error.what();
    }
  }
}

}  // namespace
}  // namespace yeoul
