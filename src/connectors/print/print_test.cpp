#include "yeoul/connectors/print/print.h"

#include <gtest/gtest.h>

#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

TableContext table(const Schema& schema, OptionMap options) {
  options["connector"] = "print";
  return {.name = "out", .physical = schema, .options = std::move(options)};
}

std::string printed(const TableContext& context, const RowBatchPtr& batch, int subtask = 0, int parallelism = 1) {
  const auto sink = make_print_connector()->create_table_sink(context)->create_sink({});
  SinkMetrics metrics;
  const auto writer = sink->create_writer({.subtask = subtask, .parallelism = parallelism, .metrics = &metrics});
  const bool standard_error = context.options.contains("standard-error");
  standard_error ? testing::internal::CaptureStderr() : testing::internal::CaptureStdout();
  writer->write(batch);
  EXPECT_EQ(metrics.records_out.value(), static_cast<int64_t>(batch->num_rows));
  return standard_error ? testing::internal::GetCapturedStderr() : testing::internal::GetCapturedStdout();
}

const Schema kSchema({{"k", LogicalType::string()}, {"n", LogicalType::integer()}});

TEST(PrintTest, OneLineARowWithItsKind) {
  EXPECT_EQ(printed(table(kSchema, {}), rows(kSchema, "+I a 1\n-U a 1\n+U . 2\n-D b .")),
            "+I[a, 1]\n-U[a, 1]\n+U[null, 2]\n-D[b, null]\n");
}

TEST(PrintTest, PrefixOfIdentifierAndSubtask) {
  const auto batch = rows(kSchema, "+I a 1");
  EXPECT_EQ(printed(table(kSchema, {{"print-identifier", "out"}}), batch), "out> +I[a, 1]\n");
  EXPECT_EQ(printed(table(kSchema, {}), batch, 1, 2), "2> +I[a, 1]\n");
  EXPECT_EQ(printed(table(kSchema, {{"print-identifier", "out"}, {"standard-error", "true"}}), batch, 0, 2),
            "out:1> +I[a, 1]\n");
}

TEST(PrintTest, CellsAsTheirJavaClassesPrintThem) {
  const LogicalType types[] = {LogicalType::boolean(),     LogicalType::double_(),
                               LogicalType::decimal(5, 2), LogicalType::timestamp(3),
                               LogicalType::timestamp(9),  LogicalType::timestamp_ltz(3),
                               LogicalType::time(3),       LogicalType::date(),
                               LogicalType::bytes(),       LogicalType::array(LogicalType::integer())};
  const auto list = std::make_shared<ValueList>();
  list->emplace_back(int64_t{1});
  list->emplace_back();
  const Value values[] = {Value(true),
                          Value(1e10),
                          Value(int128{-1250}),
                          Value(TimestampValue{1704067200000, 0}),
                          Value(TimestampValue{1704067200001, 2}),
                          Value(TimestampValue{1704067200000, 0}),
                          Value(int64_t{3723456}),
                          Value(int64_t{19782}),
                          Value(std::string("\x01\xff")),
                          Value(list)};
  const char* expected[] = {"true",
                            "1.0E10",
                            "-12.50",
                            "2024-01-01T00:00",
                            "2024-01-01T00:00:00.001000002",
                            "2024-01-01T00:00:00Z",
                            "01:02:03.456",
                            "2024-02-29",
                            "[1, -1]",
                            "[1, null]"};
  for (size_t i = 0; i < std::size(types); ++i) {
    const Schema schema({{"c", types[i]}});
    ColumnBuilder builder(types[i]);
    builder.append_value(values[i]);
    const auto batch = std::make_shared<RowBatch>(std::vector<ColumnPtr>{builder.finish()}, 1);
    EXPECT_EQ(printed(table(schema, {}), batch), fmt::format("+I[{}]\n", expected[i]));
  }
}

TEST(PrintTest, UnknownOptionFails) {
  try {
    make_print_connector()->create_table_sink(table(kSchema, {{"print-identifer", "x"}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 2011);
  }
  EXPECT_EQ(make_print_connector()->create_table_source(table(kSchema, {})), nullptr);
}

}  // namespace
}  // namespace yeoul
