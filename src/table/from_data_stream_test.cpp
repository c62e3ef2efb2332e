#include <gtest/gtest.h>

#include "yeoul/table/table_kit_test.h"

namespace yeoul {
namespace {

struct Place {
  std::string city;
  std::optional<double> height;
  bool operator==(const Place&) const = default;
  static constexpr auto fields() {
    return describe("Place", 1, field("city", &Place::city), field("height", &Place::height));
  }
};

struct Everything {
  bool yes = false;
  int8_t tiny = 0;
  int16_t small = 0;
  int32_t number = 0;
  int64_t big = 0;
  float real = 0;
  double precise = 0;
  int128 huge = 0;
  std::string text;
  std::vector<uint8_t> bytes;
  TimestampValue when;
  std::optional<std::string> maybe;
  std::vector<int32_t> list;
  std::map<std::string, int64_t> map;
  Place place;
  std::optional<Place> elsewhere;
  std::tuple<int32_t, std::string> pair;
  bool operator==(const Everything&) const = default;
  static constexpr auto fields() {
    using E = Everything;
    return describe("Everything", 1, field("yes", &E::yes), field("tiny", &E::tiny), field("small", &E::small),
                    field("number", &E::number), field("big", &E::big), field("real", &E::real),
                    field("precise", &E::precise), field("huge", &E::huge), field("text", &E::text),
                    field("bytes", &E::bytes), field("when", &E::when), field("maybe", &E::maybe),
                    field("list", &E::list), field("map", &E::map), field("place", &E::place),
                    field("elsewhere", &E::elsewhere), field("pair", &E::pair));
  }
};

Everything filled() {
  return {true,
          -1,
          2,
          -3,
          4,
          1.5F,
          -2.5,
          6,
          "일",
          {0, 255},
          {7, 8},
          "x",
          {1, -2},
          {{"a", 1}, {"b", 2}},
          {"Seoul", 38.0},
          Place{"Busan", std::nullopt},
          {9, "nine"}};
}

TEST(FromDataStream, FieldsAreColumns) {
  Program program;
  const Table table = program.tables.from_data_stream(program.env.from_collection<Everything>({{}}));
  EXPECT_EQ(table.get_schema().to_string(),
            "(`yes` BOOLEAN NOT NULL, `tiny` TINYINT NOT NULL, `small` SMALLINT NOT NULL, `number` INT NOT NULL, `big` "
            "BIGINT NOT NULL, `real` FLOAT NOT NULL, `precise` DOUBLE NOT NULL, `huge` DECIMAL(38, 0) NOT NULL, `text` "
            "STRING NOT NULL, `bytes` BYTES NOT NULL, `when` TIMESTAMP(9) NOT NULL, `maybe` STRING, `list` ARRAY<INT "
            "NOT NULL> NOT NULL, `map` MAP<STRING NOT NULL, BIGINT NOT NULL> NOT NULL, `place` ROW<`city` STRING NOT "
            "NULL, `height` DOUBLE> NOT NULL, `elsewhere` ROW<`city` STRING NOT NULL, `height` DOUBLE>, `pair` "
            "ROW<`f0` INT NOT NULL, `f1` STRING NOT NULL> NOT NULL)");
}

TEST(FromDataStream, ValuesOfAllTypesThereAndBack) {
  Program program;
  const std::vector<Everything> values{filled(), {}, filled()};
  const Table table = program.tables.from_data_stream(program.env.from_collection(values));
  EXPECT_EQ(program.tables.to_data_stream<Everything>(table).execute_and_collect().to_vector(), values);
}

TEST(FromDataStream, TuplesAndSingleValuesAreNumberedColumns) {
  Program program;
  using Pair = std::pair<std::string, int32_t>;
  program.tables.create_temporary_view("pairs", program.env.from_collection<Pair>({{"a", 1}, {"b", 2}}));
  program.tables.create_temporary_view("words", program.env.from_collection<std::string>({"to", "be"}));
  const Table doubled = program.tables.sql_query("SELECT f1 * 2, f0 FROM pairs");
  EXPECT_EQ(collect_texts(program.tables.to_data_stream<std::tuple<int32_t, std::string>>(doubled)),
            (Texts{"(2,a)", "(4,b)"}));
  const Table upper = program.tables.sql_query("SELECT UPPER(f0) FROM words");
  EXPECT_EQ(collect_texts(program.tables.to_data_stream<std::string>(upper)), (Texts{"TO", "BE"}));
}

TEST(FromDataStream, QueriesReadOnlyWhatTheyUse) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    const auto views = program.env.from_collection(page_views(1000)).rebalance();
    program.tables.create_temporary_view("page_views", views);
    EXPECT_NE(program.tables.explain_sql("SELECT `at` FROM page_views").find("fields=[at]"), std::string::npos);
    const Table late =
        program.tables.sql_query("SELECT `at` FROM page_views WHERE region = 'region1' AND `at` >= 9900");
    EXPECT_EQ(sorted_texts(collect_texts(program.tables.to_data_stream<int64_t>(late))),
              (Texts{"9920", "9950", "9980"}))
        << parallelism;
  }
}

TEST(FromDataStream, DeclaredColumnsRenameAndRetype) {
  Program program;
  const auto schema = TableSchema::new_builder()
                          .column("at", "TIMESTAMP_LTZ(3)")
                          .column("user", "STRING")
                          .column_by_expression("name", "UPPER(`user`)")
                          .build();
  program.tables.create_temporary_view("page_views", program.env.from_collection(page_views(2)), schema);
  EXPECT_EQ(program.tables.from_path("page_views").get_schema().to_string(),
            "(`at` TIMESTAMP_LTZ(3), `user` STRING, `name` STRING)");
  const Table table = program.tables.sql_query("SELECT name, `at` FROM page_views");
  using Out = std::tuple<std::string, int64_t>;
  EXPECT_EQ(collect_texts(program.tables.to_data_stream<Out>(table)), (Texts{"(USER0,0)", "(USER7,10)"}));

  const auto pairs = program.env.from_collection<std::pair<int64_t, std::string>>({{1, "a"}});
  const Table renamed = program.tables.from_data_stream(
      pairs, TableSchema::new_builder().column("n", "BIGINT").column("word", "STRING").build());
  EXPECT_EQ(renamed.get_schema().to_string(), "(`n` BIGINT, `word` STRING)");
}

TEST(FromDataStream, EventTimeAndWatermarksGoThrough) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    const auto schema = TableSchema::new_builder()
                            .column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)")
                            .watermark("rowtime", "SOURCE_WATERMARK()")
                            .build();
    program.tables.create_temporary_view("page_views", with_event_time(program.env.from_collection(page_views(40))),
                                         schema);
    const Table table = program.tables.sql_query("SELECT region, rowtime FROM page_views WHERE region <> 'region2'");
    using Seen = std::pair<std::string, int64_t>;
    // Windows close by the watermark, and put records by their event time.
    const auto counts =
        program.tables.to_data_stream<Seen>(table)
            .key_by([](const Seen& seen) { return seen.first; })
            .window(TumblingEventTimeWindows::of(Duration::of_millis(200)))
            .reduce([](const Seen& a, const Seen& b) { return Seen(a.first, std::max(a.second, b.second)); });
    EXPECT_EQ(sorted_texts(collect_texts(counts)),
              (Texts{"(region0,180)", "(region0,390)", "(region1,170)", "(region1,380)"}))
        << parallelism;
  }
}

class EchoTimes : public ProcessFunction<PageView, std::string> {
 public:
  void process_element(const PageView& view, Context& context, Collector<std::string>& out) override {
    out.collect(context.timestamp() == kNoTimestamp ? view.user : fmt::format("{}@{}", view.user, context.timestamp()));
  }
};

TEST(FromDataStream, RecordsHaveTheEventTimeOfTheRowtimeColumnOnly) {
  Program program;
  const auto views = with_event_time(program.env.from_collection(page_views(2)));
  const auto without = program.tables.to_data_stream<PageView>(program.tables.from_data_stream(views));
  EXPECT_EQ(collect_texts(without.process(EchoTimes())), (Texts{"user0", "user7"}));
  // The watermark's column is a rowtime, also a computed one; its watermarks are made by the expression.
  const auto schema = TableSchema::new_builder()
                          .column("user", "STRING")
                          .column("region", "STRING")
                          .column("at", "TIMESTAMP(3)")
                          .watermark("at", "`at` - INTERVAL '1' SECOND")
                          .build();
  const auto with = program.tables.to_data_stream<PageView>(program.tables.from_data_stream(views, schema));
  EXPECT_EQ(collect_texts(with.process(EchoTimes())), (Texts{"user0@0", "user7@10"}));
}

class EchoWatermarks : public ProcessFunction<PageView, std::string> {
 public:
  void process_element(const PageView&, Context& context, Collector<std::string>& out) override {
    const int64_t watermark = context.current_watermark();
    out.collect(watermark == kMinWatermark ? "none" : fmt::format("{}", watermark));
  }
};

TEST(FromDataStream, WatermarksPassWithSourceWatermarkOnly) {
  const auto watermarks = [](TableSchema::Builder schema) {
    Program program;
    const auto views = with_event_time(program.env.from_collection(page_views(3)));
    const Table table = program.tables.from_data_stream(views, schema.build());
    program.tables.create_temporary_view("page_views", table);
    const Table fields = program.tables.sql_query("SELECT `user`, region, `at` FROM page_views");
    return collect_texts(program.tables.to_data_stream<PageView>(fields).process(EchoWatermarks()));
  };
  auto with = TableSchema::new_builder();
  with.column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)");
  EXPECT_EQ(watermarks(with), (Texts{"none", "none", "none"}));
  with.watermark("rowtime", "SOURCE_WATERMARK()");
  EXPECT_EQ(watermarks(with), (Texts{"none", "-1", "9"}));
}

TEST(FromDataStream, RowtimeNeedsEventTime) {
  Program program;
  const auto schema = TableSchema::new_builder().column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)").build();
  const Table table = program.tables.from_data_stream(program.env.from_collection(page_views(2)), schema);
  const auto users =
      program.tables.to_data_stream(table).map([](const RowView& row) { return row.get<std::string>(0); });
  const std::string error = error_of([&] { users.execute_and_collect().to_vector(); });
  EXPECT_NE(error.find("column 'rowtime' is the event time"), std::string::npos) << error;
}

TEST(FromDataStream, ErrorsNameColumnAndField) {
  Program program;
  const auto views = program.env.from_collection(page_views(2));
  const auto error = [&](TableSchema::Builder& schema) {
    return error_of([&] { program.tables.create_temporary_view("page_views", views, schema.build()); });
  };
  auto unknown = TableSchema::new_builder();
  EXPECT_EQ(
      error(unknown.column("usr", "STRING")),
      "7120 table page_views of a stream: column 'usr' (STRING) has no field in PageView, which has: user, region, at");
  auto wrong = TableSchema::new_builder();
  EXPECT_EQ(
      error(wrong.column("at", "INT")),
      "7121 table page_views of a stream: column 'at' is declared as INT, but field 'at' of PageView is a int64_t, "
      "which is BIGINT NOT NULL");
  auto no_type = TableSchema::new_builder();
  EXPECT_NE(error(no_type.column("at", "INTT")), "");
  auto expression = TableSchema::new_builder();
  EXPECT_NE(error(expression.column_by_expression("x", "missing + 1")).find("missing"), std::string::npos);
  auto metadata = TableSchema::new_builder();
  EXPECT_NE(error(metadata.column_by_metadata("offset", "BIGINT")).find("it has: rowtime"), std::string::npos);
  // Nothing of these is left behind.
  program.tables.create_temporary_view("page_views", views);
  EXPECT_NE(error_of([&] { program.tables.create_temporary_view("page_views", views); }).find("page_views"),
            std::string::npos);
  program.tables.drop_temporary_view("page_views");
  EXPECT_NE(error_of([&] { program.tables.from_path("page_views"); }), "");
  const std::string by_hand = error_of([&] {
    program.tables.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'data-stream')");
    program.tables.from_path("t");
  });
  EXPECT_NE(by_hand.find("create_temporary_view()"), std::string::npos) << by_hand;
}

TEST(FromDataStream, InsertsAreJobsOfTheirOwn) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    program.tables.create_temporary_view("page_views", program.env.from_collection(page_views(100)));
    program.tables.execute_sql("CREATE TABLE sink (region STRING, n BIGINT) WITH ('connector' = 'blackhole')");
    TableResult insert =
        program.tables.execute_sql("INSERT INTO sink SELECT region, `at` FROM page_views WHERE region = 'region0'");
    insert.wait();
    EXPECT_EQ(insert.job()->progress().records_out, 34);
    // What the INSERT was made of is not part of the program's next job.
    EXPECT_EQ(error_of([&] { program.env.execute(); }).substr(0, 4), "7101");
  }
}

TEST(FromDataStream, StatementSetsAreOneJob) {
  Program program(2);
  program.tables.create_temporary_view("page_views", program.env.from_collection(page_views(100)));
  program.tables.execute_sql("CREATE TABLE sink (region STRING) WITH ('connector' = 'blackhole')");
  StatementSet set = program.tables.create_statement_set();
  set.add_insert_sql("INSERT INTO sink SELECT region FROM page_views WHERE region = 'region0'");
  set.add_insert("sink", program.tables.sql_query("SELECT DISTINCT region FROM page_views"));
  TableResult result = set.execute();
  result.wait();
  EXPECT_EQ(result.job()->progress().records_out, 37);

  set.add_insert_sql("INSERT INTO sink SELECT region FROM page_views");
  set.attach_as_data_stream();
  EXPECT_EQ(program.env.execute()->progress().records_out, 100);
}

}  // namespace
}  // namespace yeoul
