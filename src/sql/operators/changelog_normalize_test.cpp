#include "yeoul/sql/operators/changelog_normalize.h"

#include <gtest/gtest.h>

#include "yeoul/sql/operators/drop_update_before.h"
#include "yeoul/sql/operators/operator_runner_test.h"

namespace yeoul {
namespace {

const Schema kSchema({{"id", LogicalType::integer().not_null()}, {"v", LogicalType::integer()}});

TEST(ChangelogNormalize, Case090Duplicates) {
  constexpr std::string_view kRows = R"(
      +I 1 5
      +I 1 5
      -U 1 5
      +U 1 6
      -U 1 5
      +U 1 6
      -D 2 5
      -D 1 6
      -D 1 6
      -U 3 1
      +U 3 2)";
  const auto expected = lines("+I 1 5\n-U 1 5\n+U 1 6\n-D 1 6\n+I 3 2");
  OperatorRunner drop(make_drop_update_before(), kSchema);
  std::string upserts;
  for (const std::string& line : drop.run(kRows)) upserts += line + "\n";
  const auto factory = make_changelog_normalize({.input = kSchema, .keys = {0}});
  OperatorRunner whole(factory, kSchema);
  EXPECT_EQ(whole.run(upserts), expected);
  EXPECT_EQ(whole.num_keys(), 1u);
  OperatorRunner one_by_one(factory, kSchema);
  EXPECT_EQ(one_by_one.run_one_by_one(upserts), expected);
}

TEST(ChangelogNormalize, DeletesCarryTheLastRow) {
  OperatorRunner runner(make_changelog_normalize({.input = kSchema, .keys = {0}, .generate_update_before = false}),
                        kSchema);
  EXPECT_EQ(runner.run("+U 1 5\n+U 1 6\n-D 1 .\n+U 1 7\n-D 9 ."), lines("+I 1 5\n+U 1 6\n-D 1 6\n+I 1 7"));
  runner.restore();
  EXPECT_EQ(runner.run("+U 1 7"), lines(""));
  EXPECT_EQ(runner.run("-D 1 ."), lines("-D 1 7"));
  EXPECT_EQ(runner.num_keys(), 0u);
}

TEST(ChangelogNormalize, KeepsTimestampsOfTheRowThatCausedAChange) {
  OperatorRunner runner(make_changelog_normalize({.input = kSchema, .keys = {0}}), kSchema);
  const auto batch = rows(kSchema, "+U 1 5\n+U 1 5\n+U 1 6");
  batch->timestamps = {10, 20, 30};
  const std::vector<RowBatchPtr> batches = runner.run_to_batches(batch);
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(batches[0]->timestamps, (std::vector<int64_t>{10, 30, 30}));
}

TEST(DropUpdateBefore, LeavesTheOthersAlone) {
  OperatorRunner runner(make_drop_update_before(), kSchema);
  EXPECT_EQ(runner.run("+I 1 1\n-U 1 1\n+U 1 2\n-D 1 2"), lines("+I 1 1\n+U 1 2\n-D 1 2"));
  EXPECT_EQ(runner.run("-U 1 1"), lines(""));
  EXPECT_EQ(runner.run("+I 1 1"), lines("+I 1 1"));
}

}  // namespace
}  // namespace yeoul
