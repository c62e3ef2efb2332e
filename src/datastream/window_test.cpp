#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, TumblingFiresByWatermark) {
  const auto stream = events({{"a", 1, 1}, {"b", 2, 3}, {"a", 3, 9}, {"a", 4, 10}, {"b", 5, 25}});
  EXPECT_EQ(collected_lines(stream.key_by(key_of).window(TumblingEventTimeWindows::of(Millis(10))).process(Shows())),
            (Lines{"a [0,10) 1 3", "b [0,10) 2", "a [10,20) 4", "b [20,30) 5"}));
}

TEST(Windows, ReduceKeepsOneValue) {
  const auto stream = events({{"a", 1, 1}, {"b", 2, 3}, {"a", 3, 9}, {"a", 4, 12}});
  const auto windows = stream.key_by(key_of).window(TumblingEventTimeWindows::of(Millis(10), Millis(2)));
  EXPECT_EQ(sorted(collected_lines(windows.reduce(plus))),
            (Lines{"Event{key=a, value=1, at=1}", "Event{key=a, value=3, at=9}", "Event{key=a, value=4, at=12}",
                   "Event{key=b, value=2, at=3}"}));
  EXPECT_EQ(sorted(collected_lines(windows.reduce(plus, Shows()))),
            (Lines{"a [-8,2) 1", "a [12,22) 4", "a [2,12) 3", "b [2,12) 2"}));
}

TEST(Windows, LateRecords) {
  const OutputTag<Event> late("late");
  const auto stream = events({{"a", 1, 1}, {"a", 2, 12}, {"a", 3, 2}, {"a", 4, 15}, {"a", 5, 3}, {"a", 6, 13}});
  const auto shown = stream.key_by(key_of)
                         .window(TumblingEventTimeWindows::of(Millis(10)))
                         .allowed_lateness(Millis(4))
                         .side_output_late_data(late)
                         .process(Shows());
  const auto dropped =
      shown.get_side_output(late).map([](const Event& event) { return fmt::format("late {}", event.value); });
  EXPECT_EQ(sorted(collected_lines(shown.union_(dropped))),
            (Lines{"a [0,10) 1", "a [0,10) 1 3", "a [10,20) 2 4 6", "late 5"}));
}

/// Counts what it sees in a metric of its own.
class Counts : public ProcessFunction<std::string, std::string> {
 public:
  void open(RuntimeContext& context) override { seen_ = &context.get_metrics_group().counter("seen"); }
  void process_element(const std::string&, Context&, Collector<std::string>&) override { seen_->add(1); }

 private:
  Counter* seen_ = nullptr;
};

TEST(Windows, LateRecordsThatNobodyReadsAreCounted) {
  const auto stream = events({{"a", 1, 1}, {"a", 2, 12}, {"a", 3, 2}, {"a", 4, 15}, {"a", 5, 3}, {"a", 6, 13}});
  const auto shown = stream.key_by(key_of).window(TumblingEventTimeWindows::of(Millis(10))).process(Shows());
  shown.process(Counts()).print();
  const auto job = shown.state().start("late");
  ASSERT_EQ(job->wait(), JobStatus::kFinished);
  std::map<std::string, double> values;
  for (const MetricValue& metric : job->metrics()) values[metric.name] += metric.value;
  EXPECT_EQ(values.at("numLateRecordsDropped"), 2);
  EXPECT_EQ(values.at("seen"), 2);
}

}  // namespace
}  // namespace yeoul
