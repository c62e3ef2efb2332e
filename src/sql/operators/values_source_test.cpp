#include "yeoul/sql/operators/values_source.h"

#include <gtest/gtest.h>

#include "yeoul/types/row_literal.h"

namespace yeoul {
namespace {

struct Coordinator final : SplitEnumeratorContext {
  int parallelism() const override { return 2; }
  std::vector<int> registered_readers() const override { return {}; }
  void assign_splits(int subtask, std::vector<SourceSplit> splits) override {
    EXPECT_EQ(subtask, 0);
    assigned.insert(assigned.end(), splits.begin(), splits.end());
  }
  void signal_no_more_splits(int) override { ++ended; }
  void send_event_to_reader(int, std::string) override {}
  void call_async(std::function<std::function<void()>()>, int64_t) override {}
  const Clock& clock() const override { return system_clock(); }

  std::vector<SourceSplit> assigned;
  int ended = 0;
};

struct Collector final : SourceOutput {
  void emit(BatchPtr batch, std::span<const SourceRun> runs) override {
    EXPECT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].num_rows, batch->num_records());
    for (auto& line : row_lines(static_cast<const RowBatch&>(*batch))) lines.push_back(line);
  }
  void set_caught_up(std::string_view, bool) override {}
  void finish_split(std::string_view) override { finished = true; }

  std::vector<std::string> lines;
  bool finished = false;
};

std::shared_ptr<const Source> letters() {
  return make_values_source(Schema({{"a", LogicalType::integer()}, {"b", LogicalType::string()}}),
                            {{Value(int64_t{1}), Value(std::string("x"))},
                             {Value(int64_t{2}), Value()},
                             {Value(int64_t{3}), Value(std::string("z"))}});
}

TEST(ValuesSource, GoesToSubtaskZeroOnceAndEnds) {
  const auto source = letters();
  EXPECT_TRUE(source->bounded());
  Coordinator coordinator;
  const auto enumerator = source->create_enumerator(coordinator, std::nullopt);
  enumerator->start();
  enumerator->add_reader(1);
  enumerator->add_reader(0);
  ASSERT_EQ(coordinator.assigned.size(), 1u);
  EXPECT_EQ(coordinator.ended, 2);

  Coordinator after;
  source->create_enumerator(after, enumerator->snapshot(1))->add_reader(0);
  EXPECT_TRUE(after.assigned.empty());
  EXPECT_EQ(after.ended, 1);
}

TEST(ValuesSource, GoesOnWhereTheSnapshotStood) {
  const auto source = letters();
  Coordinator coordinator;
  source->create_enumerator(coordinator, std::nullopt)->add_reader(0);
  Collector output;
  const auto reader = source->create_reader({.batch_records_max = [] { return 2; }});
  EXPECT_EQ(reader->poll(output), PollResult::kNothing);
  reader->add_splits(coordinator.assigned);
  EXPECT_EQ(reader->poll(output), PollResult::kMore);
  EXPECT_EQ(output.lines, (std::vector<std::string>{"+I 1 x", "+I 2 ."}));

  Collector rest;
  const auto restored = source->create_reader({.batch_records_max = [] { return 2; }});
  restored->add_splits(reader->snapshot(1));
  restored->notify_no_more_splits();
  EXPECT_EQ(restored->poll(rest), PollResult::kMore);
  EXPECT_EQ(restored->poll(rest), PollResult::kMore);
  EXPECT_EQ(restored->poll(rest), PollResult::kEnd);
  EXPECT_EQ(rest.lines, (std::vector<std::string>{"+I 3 z"}));
  EXPECT_TRUE(rest.finished);
  EXPECT_TRUE(restored->snapshot(2).empty());
}

}  // namespace
}  // namespace yeoul
