// Counts the page views and the users of each region, three times: in SQL over a stream, in SQL whose result is a
// stream again, and by hand.
//
// What it shows: a stream of structs as a table, a query as a stream of structs, the kinds of its changes, event time
// on the way through both, and an INSERT from a stream into a table.

#include "yeoul/datastream/datastream.h"
#include "yeoul/table/stream_table_environment.h"

namespace {

struct PageView {
  std::string user;
  std::string region;
  int64_t at = 0;  // milliseconds

  // The names of the fields are the names of the columns. Their C++ types say what the columns' types are: std::string
  // is STRING NOT NULL, int64_t BIGINT NOT NULL, a std::optional<…> may be NULL.
  static constexpr auto fields() {
    return yeoul::describe("PageView", 1, yeoul::field("user", &PageView::user),
                           yeoul::field("region", &PageView::region), yeoul::field("at", &PageView::at));
  }
};

struct PerRegion {
  std::string region;
  int64_t pv = 0;
  int64_t uv = 0;

  static constexpr auto fields() {
    return yeoul::describe("PerRegion", 1, yeoul::field("region", &PerRegion::region),
                           yeoul::field("pv", &PerRegion::pv), yeoul::field("uv", &PerRegion::uv));
  }
};

// The same by hand: the states of a region are a number and the set of its users.
class CountByHand : public yeoul::KeyedProcessFunction<std::string, PageView, PerRegion> {
 public:
  void open(yeoul::RuntimeContext& context) override {
    count_ = context.get_state(yeoul::ValueStateDescriptor<PerRegion>{"count"});
    users_ = context.get_map_state(yeoul::MapStateDescriptor<std::string, bool>{"users"});
  }
  void process_element(const PageView& view, Context&, yeoul::Collector<PerRegion>& out) override {
    PerRegion count = count_.value().value_or(PerRegion{view.region});
    ++count.pv;
    if (!users_.contains(view.user)) {
      users_.put(view.user, true);
      ++count.uv;
    }
    count_.update(count);
    out.collect(count);
  }

 private:
  yeoul::ValueState<PerRegion> count_;
  yeoul::MapState<std::string, bool> users_;
};

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  // A query changes its result once per batch of rows. One row a batch shows every change, and costs accordingly.
  env.config().batch_records_max = 1;
  auto tables = yeoul::StreamTableEnvironment::create(env);

  const auto views =
      env.from_collection<PageView>(
             {{"ana", "Jeju", 1000}, {"bo", "Jeju", 2000}, {"ana", "Busan", 61'000}, {"ana", "Jeju", 62'000}})
          .assign_timestamps_and_watermarks(
              yeoul::WatermarkStrategy::for_monotonous_timestamps().with_timestamp_assigner(
                  [](const PageView& view) { return view.at; }));

  // The stream is a table now. Event time becomes a column only when it is asked for, and watermarks go on through the
  // table only with SOURCE_WATERMARK(), as in Flink.
  tables.create_temporary_view("page_views", views,
                               yeoul::TableSchema::new_builder()
                                   .column_by_metadata("rowtime", "TIMESTAMP_LTZ(3)")
                                   .watermark("rowtime", "SOURCE_WATERMARK()")
                                   .build());

  // A query that groups changes its rows, so its stream tells what becomes of each: +I, -U and +U, -D.
  const yeoul::Table per_region =
      tables.sql_query("SELECT region, COUNT(*) AS pv, COUNT(DISTINCT `user`) AS uv FROM page_views GROUP BY region");
  tables.to_changelog_stream<PerRegion>(per_region)
      .filter([](const yeoul::ChangelogRecord<PerRegion>& change) { return !is_retraction(change.kind); })
      .map([](const yeoul::ChangelogRecord<PerRegion>& change) { return change.value; })
      .print("sql");

  views.key_by([](const PageView& view) { return view.region; }).process(CountByHand()).print("by hand");

  // A query that only inserts rows is a plain stream. Its records have the event time of the rowtime column, so that
  // windows can follow; columns go to the fields of a tuple by place.
  using Seen = std::pair<std::string, int64_t>;
  tables.to_data_stream<Seen>(tables.sql_query("SELECT region, rowtime FROM page_views WHERE region = 'Jeju'"))
      .key_by([](const Seen& seen) { return seen.first; })
      .window(yeoul::TumblingEventTimeWindows::of(yeoul::Duration::of_minutes(1)))
      .reduce([](const Seen& a, const Seen& b) { return Seen(a.first, std::max(a.second, b.second)); })
      .print("last view of each minute");

  env.execute("streams and tables");

  // An INSERT is a job of its own and starts at once; it is made of what it reads and nothing else of the program.
  tables.execute_sql(
      "CREATE TABLE lines (region STRING, `at` BIGINT) WITH ('connector' = 'print', "
      "'print-identifier' = 'table')");
  tables.execute_sql("INSERT INTO lines SELECT region, `at` FROM page_views WHERE `user` = 'bo'").wait();
}
