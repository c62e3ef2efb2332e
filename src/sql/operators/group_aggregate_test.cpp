#include "yeoul/sql/operators/group_aggregate.h"

#include <gtest/gtest.h>

#include "yeoul/sql/operators/operator_runner_test.h"

// Changelogs marked with a case number are Apache Flink's own answers.

namespace yeoul {
namespace {

AggregateCall call(AggregateKind function, std::vector<int> arguments, LogicalType type, bool distinct = false,
                   int filter = -1) {
  return {.function = function,
          .arguments = std::move(arguments),
          .distinct = distinct,
          .filter = filter,
          .type = std::move(type),
          .name = "a"};
}
AggregateCall count_all() {
  return call(AggregateKind::kCountStar, {}, LogicalType::bigint().not_null());
}
AggregateCall count(int column, bool distinct = false, int filter = -1) {
  return call(AggregateKind::kCount, {column}, LogicalType::bigint().not_null(), distinct, filter);
}
AggregateCall sum(int column, LogicalType type, bool distinct = false) {
  return call(AggregateKind::kSum, {column}, std::move(type), distinct);
}
AggregateCall avg(int column, LogicalType type, bool distinct = false) {
  return call(AggregateKind::kAvg, {column}, std::move(type), distinct);
}
AggregateCall min(int column, LogicalType type) {
  return call(AggregateKind::kMin, {column}, std::move(type));
}
AggregateCall max(int column, LogicalType type) {
  return call(AggregateKind::kMax, {column}, std::move(type));
}

/// Runs the rows as Flink does, whole and one by one, which must give the same; returns the changelog.
std::vector<std::string> run_per_row(GroupAggregateSpec spec, std::string_view text) {
  spec.emission = AggregateEmission::kPerRow;
  const auto factory = make_group_aggregate(spec);
  const std::vector<std::string> whole = OperatorRunner(factory, spec.input).run(text);
  EXPECT_EQ(OperatorRunner(factory, spec.input).run_one_by_one(text), whole);
  return whole;
}

std::vector<std::string> run_folded(GroupAggregateSpec spec, std::string_view text) {
  return OperatorRunner(make_group_aggregate(spec), spec.input).run(text);
}

/// The rows that a changelog leaves, sorted.
std::vector<std::string> table_of(const std::vector<std::string>& changelog) {
  std::vector<std::string> table;
  for (const std::string& line : changelog) {
    const std::string row = line.substr(3);
    if (line[0] == '+') {
      table.push_back(row);
      continue;
    }
    const auto found = std::find(table.begin(), table.end(), row);
    EXPECT_NE(found, table.end()) << "took back what was not there: " << line;
    if (found != table.end()) table.erase(found);
  }
  std::sort(table.begin(), table.end());
  return table;
}

const Schema kKvd({{"k", LogicalType::string()}, {"v", LogicalType::integer()}, {"d", LogicalType::decimal(2, 1)}});
constexpr std::string_view kKvdRows = R"(
    +I a 1 1.5
    +I b 2 .
    +I a 3 2.5
    +I . 4 4.0
    +I a 1 1.5
    +I b . 0.5
    +I . 5 9.9)";

const Schema kCdc({{"id", LogicalType::integer()},
                   {"k", LogicalType::string()},
                   {"v", LogicalType::integer()},
                   {"m", LogicalType::decimal(10, 2)}});
constexpr std::string_view kCdcRows = R"(
    +I 1 x 10 1.10
    +I 2 x 20 2.20
    +I 3 y 30 3.30
    +I 4 . 40 .
    -U 1 x 10 1.10
    +U 1 x 11 1.11
    -U 2 x 20 2.20
    +U 2 y 25 2.25
    -D 3 y 30 3.30
    -U 4 . 40 .
    +U 4 . . 4.40
    +I 5 z 50 5.50
    -D 1 x 11 1.11
    -U 5 z 50 5.50
    +U 5 z 50 5.50
    -D 5 z 50 5.50
    +I 6 y 25 6.60
    +I 1 x 100 1.00)";

TEST(GroupAggregate, Case002Global) {
  EXPECT_EQ(
      run_per_row({.input = kKvd,
                   .calls = {count_all(), count(1), sum(1, LogicalType::integer()), avg(1, LogicalType::integer()),
                             min(2, LogicalType::decimal(2, 1)), max(0, LogicalType::string())}},
                  kKvdRows),
      lines(R"(
                +I 1 1 1 1 1.5 a
                -U 1 1 1 1 1.5 a
                +U 2 2 3 1 1.5 b
                -U 2 2 3 1 1.5 b
                +U 3 3 6 2 1.5 b
                -U 3 3 6 2 1.5 b
                +U 4 4 10 2 1.5 b
                -U 4 4 10 2 1.5 b
                +U 5 5 11 2 1.5 b
                -U 5 5 11 2 1.5 b
                +U 6 5 11 2 0.5 b
                -U 6 5 11 2 0.5 b
                +U 7 6 16 2 0.5 b)"));
}

TEST(GroupAggregate, Case004Distinct) {
  EXPECT_EQ(run_per_row({.input = kKvd,
                         .keys = {0},
                         .calls = {count(1, true), sum(1, LogicalType::integer(), true),
                                   avg(2, LogicalType::decimal(38, 6), true)}},
                        kKvdRows),
            lines(R"(
                +I a 1 1 1.500000
                +I b 1 2 .
                -U a 1 1 1.500000
                +U a 2 4 2.000000
                +I . 1 4 4.000000
                -U b 1 2 .
                +U b 1 2 0.500000
                -U . 1 4 4.000000
                +U . 2 9 6.950000)"));
}

TEST(GroupAggregate, Case006Filter) {
  const Schema input({{"k", LogicalType::string()},
                      {"v", LogicalType::integer()},
                      {"d", LogicalType::decimal(2, 1)},
                      {"v > 1", LogicalType::boolean()},
                      {"v > 100", LogicalType::boolean()},
                      {"d IS NOT NULL", LogicalType::boolean()},
                      {"v IS NULL", LogicalType::boolean()}});
  EXPECT_EQ(run_per_row({.input = input,
                         .keys = {0},
                         .calls = {call(AggregateKind::kCountStar, {}, LogicalType::bigint().not_null(), false, 3),
                                   call(AggregateKind::kSum, {1}, LogicalType::integer(), false, 4), count(1, true, 5),
                                   call(AggregateKind::kMax, {2}, LogicalType::decimal(2, 1), false, 6)}},
                        R"(
                +I a 1 1.5 FALSE FALSE TRUE FALSE
                +I b 2 . TRUE FALSE FALSE FALSE
                +I a 3 2.5 TRUE FALSE TRUE FALSE
                +I . 4 4.0 TRUE FALSE TRUE FALSE
                +I a 1 1.5 FALSE FALSE TRUE FALSE
                +I b . 0.5 . . TRUE TRUE
                +I . 5 9.9 TRUE FALSE TRUE FALSE)"),
            lines(R"(
                +I a 0 . 1 .
                +I b 1 . 0 .
                -U a 0 . 1 .
                +U a 1 . 2 .
                +I . 1 . 1 .
                -U b 1 . 0 .
                +U b 1 . 0 0.5
                -U . 1 . 1 .
                +U . 2 . 2 .)"));
}

TEST(GroupAggregate, Case032ZeroAndNanAsKeys) {
  const Schema input({{"d", LogicalType::double_()}});
  EXPECT_EQ(run_per_row({.input = input, .keys = {0}, .calls = {count_all()}}, R"(
                +I NaN
                +I NaN
                +I 0.0
                +I -0.0
                +I Infinity
                +I -0.0)"),
            lines(R"(
                +I NaN 1
                -U NaN 1
                +U NaN 2
                +I 0.0 1
                +I -0.0 1
                +I Infinity 1
                -U -0.0 1
                +U -0.0 2)"));
}

TEST(GroupAggregate, Case034BooleansAndTextsAreOrdered) {
  const Schema input({{"b", LogicalType::boolean()}, {"s", LogicalType::string()}});
  EXPECT_EQ(run_per_row({.input = input,
                         .calls = {min(0, LogicalType::boolean()), max(0, LogicalType::boolean()),
                                   min(1, LogicalType::string()), max(1, LogicalType::string())}},
                        "+I TRUE B\n+I FALSE a\n+I . é\n+I TRUE Z"),
            lines(R"(
                +I TRUE TRUE B B
                -U TRUE TRUE B B
                +U FALSE TRUE B a
                -U FALSE TRUE B a
                +U FALSE TRUE B é)"));
}

TEST(GroupAggregate, Case036SumKeepsItsType) {
  const std::vector<LogicalType> types = {LogicalType::tinyint(),    LogicalType::smallint(), LogicalType::integer(),
                                          LogicalType::bigint(),     LogicalType::real(),     LogicalType::double_(),
                                          LogicalType::decimal(5, 2)};
  std::vector<RowField> fields;
  GroupAggregateSpec spec;
  for (const LogicalType& type : types) {
    const bool decimal = type.is(TypeRoot::kDecimal);
    spec.calls.push_back(sum(static_cast<int>(fields.size()), decimal ? LogicalType::decimal(38, 2) : type));
    fields.push_back({fmt::format("c{}", fields.size()), type});
  }
  spec.input = Schema(fields);
  EXPECT_EQ(run_per_row(spec, "+I 1 1 1 1 1.0 1.0 1.00\n+I 2 2 2 2 2.0 2.0 2.00\n+I 2 2 2 2 2.0 2.0 2.00"), lines(R"(
                +I 1 1 1 1 1.0 1.0 1.00
                -U 1 1 1 1 1.0 1.0 1.00
                +U 3 3 3 3 3.0 3.0 3.00
                -U 3 3 3 3 3.0 3.0 3.00
                +U 5 5 5 5 5.0 5.0 5.00)"));
}

TEST(GroupAggregate, Cases038040042060EdgesOfNumbers) {
  const Schema ints({{"v", LogicalType::integer()}});
  EXPECT_EQ(run_per_row({.input = ints, .calls = {avg(0, LogicalType::integer())}}, "+I -1\n+I -2\n+I -9"),
            lines("+I -1\n-U -1\n+U -4"));

  const Schema longs({{"v", LogicalType::bigint()}});
  EXPECT_EQ(run_per_row({.input = longs, .calls = {sum(0, LogicalType::bigint()), avg(0, LogicalType::bigint())}},
                        "+I 9223372036854775807\n+I 1"),
            lines(R"(
                +I 9223372036854775807 9223372036854775807
                -U 9223372036854775807 9223372036854775807
                +U -9223372036854775808 -4611686018427387904)"));

  const Schema bytes({{"v", LogicalType::tinyint()}});
  EXPECT_EQ(run_per_row({.input = bytes, .calls = {avg(0, LogicalType::tinyint())}}, "+I 127\n+I 1"),
            lines("+I 127\n-U 127\n+U 64"));

  const Schema decimals({{"v", LogicalType::decimal(38, 0)}});
  EXPECT_EQ(run_per_row({.input = decimals, .calls = {sum(0, LogicalType::decimal(38, 0))}},
                        "+I 99999999999999999999999999999999999999\n+I 1\n+I 5"),
            lines(R"(
                +I 99999999999999999999999999999999999999
                -U 99999999999999999999999999999999999999
                +U .
                -U .
                +U 5)"));
}

TEST(GroupAggregate, Case048SumOfNulls) {
  EXPECT_EQ(run_per_row({.input = kKvd, .keys = {0}, .calls = {sum(1, LogicalType::integer())}},
                        "+I a . .\n+I a . .\n+I a 0 ."),
            lines("+I a .\n-U a .\n+U a 0"));
}

TEST(GroupAggregate, Case062NanStaysOnceFirst) {
  const Schema input({{"d", LogicalType::double_()}});
  const GroupAggregateSpec spec{.input = input,
                                .calls = {min(0, LogicalType::double_()), max(0, LogicalType::double_())}};
  EXPECT_EQ(run_per_row(spec, "+I NaN\n+I 1.0\n+I 3.0"), lines(R"(
                +I NaN NaN
                -U NaN NaN
                +U NaN NaN
                -U NaN NaN
                +U NaN NaN)"));
  EXPECT_EQ(run_per_row(spec, "+I 1.0\n+I NaN\n+I 3.0"), lines("+I 1.0 1.0\n-U 1.0 1.0\n+U 1.0 3.0"));
}

TEST(GroupAggregate, Case068Retract) {
  EXPECT_EQ(
      run_per_row({.input = kCdc,
                   .keys = {1},
                   .calls = {count_all(), count(2), sum(2, LogicalType::integer()), avg(2, LogicalType::integer())},
                   .input_retracts = true},
                  kCdcRows),
      lines(R"(
                +I x 1 1 10 10
                -U x 1 1 10 10
                +U x 2 2 30 15
                +I y 1 1 30 30
                +I . 1 1 40 40
                -U x 2 2 30 15
                +U x 1 1 20 20
                -U x 1 1 20 20
                +U x 2 2 31 15
                -U x 2 2 31 15
                +U x 1 1 11 11
                -U y 1 1 30 30
                +U y 2 2 55 27
                -U y 2 2 55 27
                +U y 1 1 25 25
                -D . 1 1 40 40
                +I . 1 0 . .
                +I z 1 1 50 50
                -D x 1 1 11 11
                -D z 1 1 50 50
                +I z 1 1 50 50
                -D z 1 1 50 50
                -U y 1 1 25 25
                +U y 2 2 50 25
                +I x 1 1 100 100)"));
}

TEST(GroupAggregate, Case070RetractGlobalMinMax) {
  const std::vector<std::string> changelog =
      run_per_row({.input = kCdc,
                   .calls = {count_all(), sum(3, LogicalType::decimal(38, 2)), avg(3, LogicalType::decimal(38, 6)),
                             min(2, LogicalType::integer()), max(2, LogicalType::integer())},
                   .input_retracts = true},
                  kCdcRows);
  std::vector<std::string> results;
  for (const std::string& line : changelog) {
    if (line[0] == '+') results.push_back(line);
  }
  EXPECT_EQ(changelog.size(), 2 * results.size() - 1);
  EXPECT_EQ(results, lines(R"(
                +I 1 1.10 1.100000 10 10
                +U 2 3.30 1.650000 10 20
                +U 3 6.60 2.200000 10 30
                +U 4 6.60 2.200000 10 40
                +U 3 5.50 2.750000 20 40
                +U 4 6.61 2.203333 11 40
                +U 3 4.41 2.205000 11 40
                +U 4 6.66 2.220000 11 40
                +U 3 3.36 1.680000 11 40
                +U 2 3.36 1.680000 11 25
                +U 3 7.76 2.586667 11 25
                +U 4 13.26 3.315000 11 50
                +U 3 12.15 4.050000 25 50
                +U 2 6.65 3.325000 25 25
                +U 3 12.15 4.050000 25 50
                +U 2 6.65 3.325000 25 25
                +U 3 13.25 4.416667 25 25
                +U 4 14.25 3.562500 25 100)"));
}

TEST(GroupAggregate, Case072ToZeroAndBack) {
  const Schema input({{"id", LogicalType::integer()}, {"v", LogicalType::integer()}});
  EXPECT_EQ(
      run_per_row(
          {.input = input, .keys = {0}, .calls = {count_all(), sum(1, LogicalType::integer())}, .input_retracts = true},
          "+I 1 5\n-D 1 5\n+I 2 .\n-U 2 .\n+U 2 7\n-D 2 7\n+I 1 9\n-D 1 9"),
      lines(R"(
                +I 1 1 5
                -D 1 1 5
                +I 2 1 .
                -D 2 1 .
                +I 2 1 7
                -D 2 1 7
                +I 1 1 9
                -D 1 1 9)"));
}

TEST(GroupAggregate, Case074SelectDistinct) {
  EXPECT_EQ(run_per_row({.input = kCdc, .keys = {1}, .input_retracts = true}, kCdcRows),
            lines("+I x\n+I y\n+I .\n-D .\n+I .\n+I z\n-D x\n-D z\n+I z\n-D z\n+I x"));
}

TEST(GroupAggregate, Case088DeleteWithoutInsert) {
  const Schema input({{"id", LogicalType::integer()}, {"v", LogicalType::integer()}});
  EXPECT_EQ(run_per_row({.input = input,
                         .calls = {count_all(), sum(1, LogicalType::integer()), count(1, true)},
                         .input_retracts = true},
                        "-D 1 5\n+I 1 6\n+I 2 7\n-D 2 8\n-U 2 9\n+U 2 10\n+I 1 1"),
            lines(R"(
                +I 1 6 1
                -U 1 6 1
                +U 2 13 2
                -U 2 13 2
                +U 1 5 2
                -D 1 5 2
                +I 1 10 1
                -U 1 10 1
                +U 2 11 2)"));
}

TEST(GroupAggregate, Case092RetractDistinctFilter) {
  const Schema input({{"k", LogicalType::string()}, {"v", LogicalType::integer()}, {"f", LogicalType::boolean()}});
  EXPECT_EQ(run_per_row({.input = input,
                         .keys = {0},
                         .calls = {count(1, true, 2), sum(1, LogicalType::integer(), true)},
                         .input_retracts = true},
                        R"(
                +I x 10 FALSE
                +I x 20 TRUE
                +I y 30 TRUE
                +I . 40 TRUE
                -U x 10 FALSE
                +U x 11 TRUE
                -U x 20 TRUE
                +U y 25 TRUE
                -D y 30 TRUE
                -U . 40 TRUE
                +U . . .
                +I z 50 TRUE
                -D x 11 TRUE
                -U z 50 TRUE
                +U z 50 TRUE
                -D z 50 TRUE
                +I y 25 TRUE
                +I x 100 TRUE)"),
            lines(R"(
                +I x 0 10
                -U x 0 10
                +U x 1 30
                +I y 1 30
                +I . 1 40
                -U x 1 30
                +U x 1 20
                -U x 1 20
                +U x 2 31
                -U x 2 31
                +U x 1 11
                -U y 1 30
                +U y 2 55
                -U y 2 55
                +U y 1 25
                -D . 1 40
                +I . 0 .
                +I z 1 50
                -D x 1 11
                -D z 1 50
                +I z 1 50
                -D z 1 50
                +I x 1 100)"));
}

TEST(GroupAggregate, WithoutUpdateBeforeOnlyTheNewRowIsEmitted) {
  EXPECT_EQ(run_per_row({.input = kKvd, .keys = {0}, .calls = {count_all()}, .generate_update_before = false},
                        "+I a 1 .\n+I a 2 .\n+I b 3 ."),
            lines("+I a 1\n+U a 2\n+I b 1"));
}

TEST(GroupAggregate, FoldsTheUpdatesOfABatch) {
  const GroupAggregateSpec spec{
      .input = kKvd, .keys = {0}, .calls = {count_all(), count(1, true), sum(1, LogicalType::integer())}};
  OperatorRunner runner(make_group_aggregate(spec), kKvd);
  EXPECT_EQ(runner.run(kKvdRows), lines("+I a 3 2 5\n+I b 2 1 2\n+I . 2 2 9"));
  EXPECT_EQ(runner.run("+I b 3 .\n+I a 3 .\n+I b 3 ."), lines("-U b 2 1 2\n+U b 4 2 8\n-U a 3 2 5\n+U a 4 2 8"));
  EXPECT_EQ(runner.num_keys(), 3u);
}

TEST(GroupAggregate, FoldedRetractionsCancelOut) {
  const GroupAggregateSpec spec{
      .input = kKvd, .keys = {0}, .calls = {count_all(), max(1, LogicalType::integer())}, .input_retracts = true};
  OperatorRunner runner(make_group_aggregate(spec), kKvd);
  EXPECT_EQ(runner.run("+I a 1 .\n-D a 1 .\n-D b 1 .\n-D c 9 .\n+I c 3 ."), lines("+I c 1 3"));
  EXPECT_EQ(runner.num_keys(), 1u);
  EXPECT_EQ(runner.run("-U c 3 .\n+U c 3 ."), lines(""));
  EXPECT_EQ(runner.run("+I c 7 .\n-D c 3 ."), lines("-U c 1 3\n+U c 1 7"));
  EXPECT_EQ(runner.run("-D c 7 ."), lines("-D c 1 7"));
  EXPECT_EQ(runner.num_keys(), 0u);
}

TEST(GroupAggregate, MiniBatchFlushesBySizeTimeWatermarkBarrierAndEnd) {
  const GroupAggregateSpec spec{.input = kKvd,
                                .keys = {0},
                                .calls = {count_all()},
                                .generate_update_before = false,
                                .emission = AggregateEmission::kMiniBatch,
                                .mini_batch_size = 4,
                                .mini_batch_latency_ms = 100};
  OperatorRunner runner(make_group_aggregate(spec), kKvd);
  EXPECT_EQ(runner.run("+I a 1 .\n+I a 1 ."), lines(""));
  EXPECT_EQ(runner.run("+I b 1 .\n+I a 1 ."), lines("+I a 3\n+I b 1"));
  EXPECT_EQ(runner.run("+I a 1 ."), lines(""));
  EXPECT_EQ(runner.advance_clock(99), lines(""));
  EXPECT_EQ(runner.advance_clock(1), lines("+U a 4"));
  EXPECT_EQ(runner.run("+I a 1 ."), lines(""));
  EXPECT_EQ(runner.watermark(7), lines("+U a 5\nwatermark 7"));
  EXPECT_EQ(runner.run("+I a 1 ."), lines(""));
  EXPECT_EQ(runner.prepare_barrier(), lines("+U a 6"));
  EXPECT_EQ(runner.run("+I a 1 ."), lines(""));
  EXPECT_EQ(runner.end_input(), lines("+U a 7"));
}

TEST(GroupAggregate, NoInputNoRow) {
  OperatorRunner runner(make_group_aggregate({.input = kKvd, .calls = {count_all()}}), kKvd);
  EXPECT_EQ(runner.end_input(), lines(""));
}

TEST(GroupAggregate, GoesOnAfterARestore) {
  const GroupAggregateSpec spec{
      .input = kCdc,
      .keys = {1},
      .calls = {count_all(), count(2, true), sum(3, LogicalType::decimal(38, 2)), avg(3, LogicalType::decimal(38, 6)),
                min(2, LogicalType::integer()), max(3, LogicalType::decimal(10, 2)), count(2)},
      .input_retracts = true};
  const auto input = rows(kCdc, kCdcRows);
  for (const AggregateEmission emission : {AggregateEmission::kPerRow, AggregateEmission::kFold}) {
    GroupAggregateSpec with = spec;
    with.emission = emission;
    const auto factory = make_group_aggregate(with);
    OperatorRunner straight(factory, kCdc);
    OperatorRunner restored(factory, kCdc);
    for (size_t row = 0; row < input->num_rows; ++row) {
      const auto batch = slice(*input, row, 1);
      EXPECT_EQ(restored.run(batch), straight.run(batch)) << row;
      restored.restore();
    }
    EXPECT_EQ(restored.num_keys(), 3u);
  }
}

TEST(GroupAggregate, AnyCutOfTheInputLeavesTheSameTable) {
  GroupAggregateSpec spec{.input = kCdc,
                          .keys = {1},
                          .calls = {count_all(), count(2, true), sum(2, LogicalType::integer()),
                                    min(3, LogicalType::decimal(10, 2)), max(2, LogicalType::integer())},
                          .input_retracts = true};
  const std::vector<std::string> expected = table_of(run_per_row(spec, kCdcRows));
  EXPECT_EQ(expected.size(), 3u);
  const auto input = rows(kCdc, kCdcRows);
  for (size_t size = 1; size <= input->num_rows; ++size) {
    OperatorRunner runner(make_group_aggregate(spec), kCdc);
    std::vector<std::string> changelog;
    for (size_t first = 0; first < input->num_rows; first += size) {
      for (auto& line : runner.run(slice(*input, first, std::min(size, input->num_rows - first)))) {
        changelog.push_back(line);
      }
    }
    EXPECT_EQ(table_of(changelog), expected) << "batches of " << size;
  }
  EXPECT_EQ(table_of(run_folded(spec, kCdcRows)), expected);
}

TEST(GroupAggregate, SeesOnlyTheSelectedRows) {
  OperatorRunner runner(make_group_aggregate({.input = kKvd, .keys = {0}, .calls = {count_all()}}), kKvd);
  const auto batch = rows(kKvd, "+I a 1 .\n+I b 1 .\n+I a 1 .");
  batch->selection = std::make_shared<const Selection>(Selection{0, 2});
  EXPECT_EQ(runner.run(batch), lines("+I a 2"));
}

TEST(GroupAggregate, ARetractionThatWasNotPlannedForIsAnError) {
  OperatorRunner runner(make_group_aggregate({.input = kKvd, .keys = {0}, .calls = {count_all()}}), kKvd);
  EXPECT_THROW(runner.run("-D a 1 ."), Error);
}

}  // namespace
}  // namespace yeoul
