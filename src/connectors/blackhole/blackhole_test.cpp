#include "yeoul/connectors/blackhole/blackhole.h"

#include <gtest/gtest.h>

#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

TEST(BlackholeTest, CountsAndDrops) {
  const Schema schema({{"n", LogicalType::integer()}});
  const auto table = make_blackhole_connector()->create_table_sink(
      {.name = "out", .physical = schema, .options = {{"connector", "blackhole"}, {"sink.parallelism", "3"}}});
  EXPECT_EQ(table->parallelism(), 3);
  EXPECT_EQ(table->accepted_mode(ChangelogMode::all()), ChangelogMode::upsert());
  EXPECT_EQ(table->accepted_mode(ChangelogMode::insert_only()), ChangelogMode::insert_only());
  SinkMetrics metrics;
  const auto writer = table->create_sink({})->create_writer({.metrics = &metrics});
  writer->write(rows(schema, "+I 1\n-D 2"));
  EXPECT_EQ(metrics.records_out.value(), 2);
  EXPECT_TRUE(writer->has_room());
  bool prepared = false;
  writer->begin_prepare(1, true, [&](std::vector<std::string> committables) { prepared = committables.empty(); });
  EXPECT_TRUE(prepared);
}

}  // namespace
}  // namespace yeoul
