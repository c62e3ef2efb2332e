#include <gtest/gtest.h>

#include "yeoul/table/table_kit_test.h"

namespace yeoul {
namespace {

struct Wide {
  double ratio = 0;
  int64_t id = 0;
  std::optional<std::string> note;
  static constexpr auto fields() {
    return describe("Wide", 1, field("ratio", &Wide::ratio), field("id", &Wide::id), field("note", &Wide::note));
  }
};

constexpr const char* kRows =
    "SELECT * FROM (VALUES (1, CAST(1.5 AS DECIMAL(3, 1)), 'a'), (2, CAST(2.5 AS DECIMAL(3, 1)), CAST(NULL AS "
    "STRING))) AS t(id, ratio, note)";

TEST(ToDataStream, ColumnsGoToFieldsByNameAndAreWidened) {
  Program program;
  const auto stream = program.tables.to_data_stream<Wide>(program.tables.sql_query(kRows));
  EXPECT_EQ(collect_texts(stream), (Texts{"Wide{ratio=1.5, id=1, note=a}", "Wide{ratio=2.5, id=2, note=null}"}));
}

TEST(ToDataStream, OneTableMayBecomeSeveralStreams) {
  Program program;
  const Table table = program.tables.sql_query(kRows);
  const auto stream = program.tables.to_data_stream<Wide>(table).union_(program.tables.to_data_stream<Wide>(table));
  EXPECT_EQ(collect_texts(stream).size(), 4u);
}

TEST(ToDataStream, RowsAreSeenThroughViews) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    const DataStream<Row> rows = program.tables.to_data_stream(program.tables.sql_query(kRows));
    const auto noted = rows.filter([](const RowView& row) { return !row.is_null(2); });
    EXPECT_EQ(collect_texts(noted.map([](const RowView& row) { return row.get<std::string>(2); })), (Texts{"a"}));
    const auto words = rows.flat_map([](const RowView& row, Collector<std::string>& out) {
      for (int32_t i = 0; i < row.get<int32_t>(0); ++i) {
        out.collect(fmt::format("{}{}", short_name(row.kind()), row.get<std::optional<std::string>>(2).value_or("-")));
      }
    });
    EXPECT_EQ(sorted_texts(collect_texts(words)), (Texts{"+I-", "+I-", "+Ia"})) << parallelism;
  }
}

/// The ids of a note so far, and that they are complete once a timer says so.
class NotesOfIds : public KeyedProcessFunction<std::string, Row, std::string> {
 public:
  void open(RuntimeContext& context) override { ids_ = context.get_list_state(ListStateDescriptor<int32_t>{"ids"}); }
  void process_element(const RowView& row, Context& context, Collector<std::string>&) override {
    ids_.add(row.get<int32_t>(0));
    context.timer_service().register_event_time_timer(1);
    context.output(kKinds, std::string(short_name(row.kind())));
  }
  void on_timer(int64_t, OnTimerContext& context, Collector<std::string>& out) override {
    out.collect(fmt::format("{} {}", context.get_current_key(), fmt::join(ids_.get(), ",")));
  }
  static const OutputTag<std::string> kKinds;

 private:
  ListState<int32_t> ids_;
};
const OutputTag<std::string> NotesOfIds::kKinds{"kinds"};

class ShowsRows : public ProcessFunction<Row, std::string> {
 public:
  void process_element(const RowView& row, Context&, Collector<std::string>& out) override {
    out.collect(fmt::format("{} of {}", row.get<int32_t>(0), row.num_columns()));
  }
};

TEST(ToDataStream, RowsAreProcessedByKey) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    const auto sql = "SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, 'c'), (5, 'a')) AS t(id, note)";
    const DataStream<Row> rows = program.tables.to_data_stream(program.tables.sql_query(sql));
    // A filter before it, so that not all rows of a batch live.
    const auto notes = rows.filter([](const RowView& row) { return row.get<int32_t>(0) != 4; })
                           .key_by([](const RowView& row) { return row.get<std::string>(1); })
                           .process(NotesOfIds());
    EXPECT_EQ(sorted_texts(collect_texts(notes.union_(notes.get_side_output(NotesOfIds::kKinds)))),
              (Texts{"+I", "+I", "+I", "+I", "a 1,3,5", "b 2"}))
        << parallelism;
    const DataStream<Row> again = program.tables.to_data_stream(program.tables.sql_query(sql));
    EXPECT_EQ(
        collect_texts(again.filter([](const RowView& row) { return row.get<int32_t>(0) > 3; }).process(ShowsRows())),
        (Texts{"4 of 2", "5 of 2"}))
        << parallelism;
  }
}

TEST(ToDataStream, RowViewsCheckTypes) {
  Program program;
  const DataStream<Row> rows = program.tables.to_data_stream(program.tables.sql_query(kRows));
  const auto wrong = rows.map([](const RowView& row) { return row.get<int64_t>(2); });
  EXPECT_NE(error_of([&] { wrong.execute_and_collect().to_vector(); }).find("cannot be read as int64_t"),
            std::string::npos);
  const DataStream<Row> again = program.tables.to_data_stream(program.tables.sql_query(kRows));
  const auto beyond = again.map([](const RowView& row) { return row.get<int64_t>(3); });
  EXPECT_NE(error_of([&] { beyond.execute_and_collect().to_vector(); }).find("no column 3"), std::string::npos);
}

TEST(ToDataStream, RowsBecomeATableAgain) {
  Program program;
  const DataStream<Row> rows = program.tables.to_data_stream(program.tables.sql_query(kRows));
  EXPECT_EQ(error_of([&] { program.tables.from_data_stream(rows); }).substr(0, 4), "7127");
  const auto schema =
      TableSchema::new_builder().column("a", "INT").column("b", "DECIMAL(3, 1)").column("c", "STRING").build();
  program.tables.create_temporary_view("again", rows, schema);
  const Table sums = program.tables.sql_query("SELECT a + 1, c FROM again WHERE c IS NOT NULL");
  using Out = std::pair<int32_t, std::string>;
  EXPECT_EQ(collect_texts(program.tables.to_data_stream<Out>(sums)), (Texts{"(2,a)"}));

  const auto wrong = TableSchema::new_builder().column("a", "BIGINT").build();
  const DataStream<Row> others = program.tables.to_data_stream(program.tables.sql_query(kRows));
  const auto stream = program.tables.to_data_stream<int64_t>(program.tables.from_data_stream(others, wrong));
  EXPECT_NE(error_of([&] { stream.execute_and_collect().to_vector(); }).find("declared as BIGINT"), std::string::npos);
}

TEST(ToDataStream, WhatDoesNotFitIsRefusedBeforeItRuns) {
  Program program;
  const auto error = [&](const char* sql) {
    return error_of([&] { program.tables.to_data_stream<Wide>(program.tables.sql_query(sql)); });
  };
  EXPECT_EQ(error("SELECT 1 AS id, 1.5 AS ratio"),
            "7122 field 'note' (std::optional<std::string>) of Wide has no column in the table, which has: id, ratio");
  EXPECT_EQ(error("SELECT 1 AS id, 1.5 AS ratio, 'x' AS note, TRUE AS more"),
            "7122 column 'more' (BOOLEAN NOT NULL) has no field in Wide, which has: ratio, id, note; leave it out of "
            "the query");
  EXPECT_EQ(error("SELECT '1' AS id, 1.5 AS ratio, 'x' AS note"),
            "7123 column 'id' is CHAR(1) NOT NULL, which field 'id' of Wide, a int64_t, cannot be made of: CAST it in "
            "the query");
  const auto narrow = [&] {
    program.tables.to_data_stream<int32_t>(program.tables.sql_query("SELECT CAST(1 AS BIGINT)"));
  };
  EXPECT_EQ(error_of(narrow).substr(0, 4), "7123");
  EXPECT_NE(error_of([&] { program.tables.sql_query("SELECT 1; SELECT 2"); }).find("one statement"), std::string::npos);
  EXPECT_NE(error_of([&] { program.tables.sql_query("DROP TABLE x"); }), "");
}

TEST(ToDataStream, EnvironmentsDoNotMix) {
  Program program;
  Program other;
  const auto code = [](const std::function<void()>& call) { return error_of(call).substr(0, 4); };
  const Table theirs = program.tables.sql_query(kRows);
  EXPECT_EQ(code([&] { other.tables.to_data_stream<Wide>(theirs); }), "7128");
  EXPECT_EQ(code([&] { other.tables.create_temporary_view("v", theirs); }), "7128");
  EXPECT_EQ(code([&] { other.tables.create_statement_set().add_insert("sink", theirs); }), "7128");
  const auto stream = program.env.from_collection(page_views(1)).name("views");
  EXPECT_EQ(error_of([&] { other.tables.create_temporary_view("v", stream); }),
            "7129 table v: stream 'views' belongs to another StreamExecutionEnvironment than this "
            "StreamTableEnvironment: give StreamTableEnvironment::create() the one that made the stream");
  EXPECT_EQ(code([&] { other.tables.from_data_stream(stream); }), "7129");
  EXPECT_EQ(code([&] { other.tables.from_changelog_stream(program.tables.to_data_stream(theirs)); }), "7129");
}

TEST(ToDataStream, ViewsHaveNames) {
  Program program;
  for (const char* name : {"", " "}) {
    const std::string error =
        error_of([&] { program.tables.create_temporary_view(name, program.env.from_sequence(1, 2)); });
    EXPECT_EQ(error, "7130 create_temporary_view(): the name is empty: give one by which queries name the view");
    EXPECT_EQ(error_of([&] { program.tables.create_temporary_view(name, program.tables.sql_query(kRows)); }), error);
  }
}

TEST(ToDataStream, UpdatesNeedAChangelogStream) {
  Program program;
  program.tables.create_temporary_view("page_views", program.env.from_collection(page_views(3)));
  const Table table = program.tables.sql_query("SELECT COUNT(*) FROM page_views");
  const std::string error = error_of([&] { program.tables.to_data_stream<int64_t>(table); });
  EXPECT_EQ(error.substr(0, 4), "1205");
  EXPECT_NE(error.find("to_changelog_stream()"), std::string::npos);
}

TEST(ToDataStream, NullIntoAPlainFieldNamesTheColumn) {
  Program program;
  const auto stream =
      program.tables.to_data_stream<std::tuple<int32_t, double, std::string>>(program.tables.sql_query(kRows));
  const std::string error = error_of([&] { stream.execute_and_collect().to_vector(); });
  EXPECT_NE(error.find("3300"), std::string::npos);
  EXPECT_NE(error.find("column 'note' (STRING), field 'f2' of std::tuple<int32_t, double, std::string>: it is NULL, "
                       "which std::string cannot be"),
            std::string::npos)
      << error;
}

TEST(ToDataStream, ARecordHasOneEventTime) {
  Program program;
  const auto schema = TableSchema::new_builder()
                          .column("at", "BIGINT")
                          .column_by_expression("seen", "TO_TIMESTAMP_LTZ(`at`, 3)")
                          .watermark("seen", "seen - INTERVAL '1' SECOND")
                          .build();
  program.tables.create_temporary_view("page_views", program.env.from_collection(page_views(2)), schema);
  using Out = std::pair<int64_t, int64_t>;
  const Table twice = program.tables.sql_query("SELECT seen, seen AS again FROM page_views");
  EXPECT_EQ(error_of([&] { program.tables.to_data_stream<Out>(twice); }).substr(0, 4), "1206");
  // What was cast is a plain timestamp.
  const Table once = program.tables.sql_query("SELECT seen, CAST(seen AS TIMESTAMP(3)) AS again FROM page_views");
  EXPECT_EQ(collect_texts(program.tables.to_data_stream<Out>(once)), (Texts{"(0,0)", "(10,10)"}));
}

}  // namespace
}  // namespace yeoul
