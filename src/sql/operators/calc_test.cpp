#include "yeoul/sql/operators/calc.h"

#include <gtest/gtest.h>

#include "yeoul/sql/operators/operator_runner_test.h"

namespace yeoul {
namespace {

const Schema kInput({{"id", LogicalType::integer()}, {"v", LogicalType::integer()}});

ExpressionPtr ref(int column) {
  return make_input_ref(column, LogicalType::integer());
}
ExpressionPtr literal(int64_t value) {
  return make_literal(LogicalType::integer().not_null(), Value(value));
}

TEST(Calc, Case066FiltersEachRowOfAnUpdateForItself) {
  OperatorRunner runner(make_calc({.condition = make_call(">", {ref(1), literal(20)}), .projection = {ref(0), ref(1)}}),
                        kInput);
  EXPECT_EQ(runner.run(R"(
                +I 1 10
                +I 2 20
                +I 3 30
                +I 4 40
                -U 1 10
                +U 1 11
                -U 2 20
                +U 2 25
                -D 3 30
                -U 4 40
                +U 4 .
                +I 5 50)"),
            lines(R"(
                +I 3 30
                +I 4 40
                +U 2 25
                -D 3 30
                -U 4 40
                +I 5 50)"));
  EXPECT_EQ(runner.run("+I 1 1"), lines(""));
}

TEST(Calc, ProjectsUnderASelectionAndKeepsTimestamps) {
  OperatorRunner runner(make_calc({.condition = make_call(">", {ref(1), literal(1)}),
                                   .projection = {make_call("+", {ref(0), literal(100)}), ref(1)}}),
                        kInput);
  const auto batch = rows(kInput, "+I 1 1\n+U 2 2\n+I 3 3\n-D 4 4");
  batch->timestamps = {10, 20, 30, 40};
  batch->selection = std::make_shared<const Selection>(Selection{0, 1, 3});
  const std::vector<RowBatchPtr> result = runner.run_to_batches(batch);
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(row_lines(*result[0]), lines("+U 102 2\n-D 104 4"));
  EXPECT_EQ(result[0]->timestamps, (std::vector<int64_t>{20, 40}));
}

TEST(Calc, SharesColumnsThatPassThrough) {
  OperatorRunner runner(make_calc({.condition = make_call(">", {ref(1), literal(0)}), .projection = {ref(1)}}), kInput);
  const auto batch = rows(kInput, "+I 1 1\n+I 2 2");
  const std::vector<RowBatchPtr> result = runner.run_to_batches(batch);
  ASSERT_EQ(result.size(), 1u);
  EXPECT_EQ(result[0]->columns[0], batch->columns[1]);
}

TEST(Calc, ARowWithoutAValueIsAUserError) {
  OperatorRunner runner(make_calc({.projection = {make_call("/", {ref(0), ref(1)})}}), kInput);
  EXPECT_EQ(runner.run("+I 6 2"), lines("+I 3"));
  try {
    runner.run("+I 6 0");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 3100);
  }
}

TEST(Calc, ARowThatTheConditionLeavesOutCannotFail) {
  OperatorRunner runner(
      make_calc({.condition = make_call("<>", {ref(1), literal(0)}), .projection = {make_call("/", {ref(0), ref(1)})}}),
      kInput);
  EXPECT_EQ(runner.run("+I 6 2\n+I 6 0"), lines("+I 3"));
}

}  // namespace
}  // namespace yeoul
