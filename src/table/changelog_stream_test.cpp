#include <gtest/gtest.h>

#include <set>

#include "yeoul/table/table_kit_test.h"

namespace yeoul {
namespace {

using UserCount = std::pair<std::string, int64_t>;
using Change = ChangelogRecord<UserCount>;

TEST(ChangelogStream, UpdatesOfAQuery) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    program.env.config().batch_records_max = 1;
    program.tables.create_temporary_view("words", program.env.from_collection<std::string>({"a", "b", "a"}));
    const Table counts = program.tables.sql_query("SELECT f0, COUNT(*) FROM words GROUP BY f0");
    EXPECT_EQ(sorted_texts(collect_texts(program.tables.to_changelog_stream<UserCount>(counts))),
              (Texts{"+I (a,1)", "+I (b,1)", "+U (a,2)", "-U (a,1)"}))
        << parallelism;
    const auto kinds = program.tables.to_changelog_stream(counts).map(
        [](const RowView& row) { return fmt::format("{} {}", short_name(row.kind()), row.get<int64_t>(1)); });
    EXPECT_EQ(sorted_texts(collect_texts(kinds)), (Texts{"+I 1", "+I 1", "+U 2", "-U 1"}));
  }
}

TEST(ChangelogStream, UpsertsHaveNoUpdateBefore) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    program.env.config().batch_records_max = 1;
    program.tables.create_temporary_view("words", program.env.from_collection<std::string>({"a", "b", "a", "a"}));
    const Table counts = program.tables.sql_query("SELECT f0 AS word, COUNT(*) AS n FROM words GROUP BY f0");
    const auto upserts = program.tables.to_changelog_stream<UserCount>(counts, ChangelogMode::upsert());
    EXPECT_EQ(sorted_texts(collect_texts(upserts)), (Texts{"+I (a,1)", "+I (b,1)", "+U (a,2)", "+U (a,3)"}));
    // What no longer passes a filter is taken away.
    program.tables.create_temporary_view("counts", counts);
    const Table few = program.tables.sql_query("SELECT word, n FROM counts WHERE n < 2");
    const auto kept = program.tables.to_changelog_stream<UserCount>(few, ChangelogMode::upsert());
    EXPECT_EQ(sorted_texts(collect_texts(kept)), (Texts{"+I (a,1)", "+I (b,1)", "-D (a,1)"})) << parallelism;
    const Table no_key = program.tables.sql_query("SELECT n FROM counts");
    EXPECT_EQ(
        error_of([&] { program.tables.to_changelog_stream<int64_t>(no_key, ChangelogMode::upsert()); }).substr(0, 4),
        "1207");
    const ChangelogMode no_updates = ChangelogMode::insert_only().with(RowKind::kDelete);
    EXPECT_EQ(error_of([&] { program.tables.to_changelog_stream<UserCount>(counts, no_updates); }).substr(0, 4),
              "1205");
  }
}

TEST(ChangelogStream, ChangesBecomeATable) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    program.env.config().batch_records_max = 1;
    const auto changes = program.env.from_collection<Change>({{RowKind::kInsert, {"a", 1}},
                                                              {RowKind::kInsert, {"b", 5}},
                                                              {RowKind::kUpdateBefore, {"a", 1}},
                                                              {RowKind::kUpdateAfter, {"a", 2}},
                                                              {RowKind::kDelete, {"b", 5}}});
    program.tables.create_temporary_view("counts", program.tables.from_changelog_stream(changes));
    const Table sum = program.tables.sql_query("SELECT SUM(f1) FROM counts");
    const auto rows = program.tables.to_changelog_stream<std::optional<int64_t>>(sum);
    const std::vector<ChangelogRecord<std::optional<int64_t>>> all = rows.execute_and_collect().to_vector();
    EXPECT_EQ(to_string(all.back()), "+U 2") << parallelism;
  }
}

TEST(ChangelogStream, UpsertsByAKey) {
  Program program;
  program.env.config().batch_records_max = 1;
  const auto changes = program.env.from_collection<Change>({{RowKind::kInsert, {"a", 1}},
                                                            {RowKind::kUpdateAfter, {"a", 2}},
                                                            {RowKind::kDelete, {"a", 0}},
                                                            {RowKind::kUpdateAfter, {"b", 3}}});
  const std::string no_key =
      error_of([&] { program.tables.from_changelog_stream(changes, {}, ChangelogMode::upsert()); });
  EXPECT_NE(no_key.find("PRIMARY KEY"), std::string::npos) << no_key;
  const auto schema =
      TableSchema::new_builder().column("name", "STRING NOT NULL").column("n", "BIGINT").primary_key({"name"}).build();
  const Table table = program.tables.from_changelog_stream(changes, schema, ChangelogMode::upsert());
  EXPECT_EQ(collect_texts(program.tables.to_changelog_stream<UserCount>(table)),
            (Texts{"+I (a,1)", "-U (a,1)", "+U (a,2)", "-D (a,2)", "+I (b,3)"}));
}

TEST(ChangelogStream, KindsMustBeThoseDeclared) {
  Program program;
  const auto changes = program.env.from_collection<Change>({{RowKind::kDelete, {"a", 1}}});
  const Table table = program.tables.from_changelog_stream(changes, {}, ChangelogMode::insert_only());
  const auto stream = program.tables.to_data_stream<UserCount>(table);
  const std::string error = error_of([&] { stream.execute_and_collect().to_vector(); });
  EXPECT_NE(error.find("kind -D"), std::string::npos) << error;
}

/// The pageviews job by hand: views and distinct users of a region, each time one of them changes.
class CountRegion : public KeyedProcessFunction<std::string, PageView, RegionCount> {
 public:
  void open(RuntimeContext& context) override {
    views_ = context.get_state(ValueStateDescriptor<int64_t>{"views"});
    num_users_ = context.get_state(ValueStateDescriptor<int64_t>{"num-users"});
    users_ = context.get_map_state(MapStateDescriptor<std::string, bool>{"users"});
  }
  void process_element(const PageView& view, Context&, Collector<RegionCount>& out) override {
    const int64_t views = views_.value().value_or(0) + 1;
    int64_t users = num_users_.value().value_or(0);
    views_.update(views);
    if (!users_.contains(view.user)) {
      users_.put(view.user, true);
      num_users_.update(++users);
    }
    out.collect({view.region, views, users});
  }

 private:
  ValueState<int64_t> views_;
  ValueState<int64_t> num_users_;
  MapState<std::string, bool> users_;
};

std::map<std::string, RegionCount> last_by_region(const std::vector<RegionCount>& counts) {
  std::map<std::string, RegionCount> last;
  for (const RegionCount& count : counts) last[count.region] = count;
  return last;
}

TEST(ChangelogStream, TheSameJobInSqlAndInCpp) {
  for (const int parallelism : {1, 2}) {
    Program program(parallelism);
    const auto views = program.env.from_collection(page_views(5000));
    const auto by_hand = last_by_region(views.key_by([](const PageView& view) { return view.region; })
                                            .process(CountRegion())
                                            .execute_and_collect()
                                            .to_vector());
    program.tables.create_temporary_view("page_views", views);
    const Table per_region = program.tables.sql_query(
        "SELECT region, COUNT(*) AS pv, COUNT(DISTINCT `user`) AS uv FROM page_views GROUP BY region");
    std::vector<RegionCount> updates;
    for (const auto& change : program.tables.to_changelog_stream<RegionCount>(per_region).execute_and_collect()) {
      if (!is_retraction(change.kind)) updates.push_back(change.value);
    }
    EXPECT_EQ(last_by_region(updates), by_hand) << parallelism;
    EXPECT_EQ(by_hand.at("region1").uv, 13);
  }
}

}  // namespace
}  // namespace yeoul
