#include <gtest/gtest.h>

#include "yeoul/datastream/stream_test_kit.h"

namespace yeoul {
namespace {

using Seconds = std::chrono::milliseconds;  // the tests' unit is the millisecond

Event plus(const Event& a, const Event& b) {
  return {a.key, a.value + b.value, std::max(a.at, b.at)};
}

/// "key [start,end) values".
class Shows : public ProcessWindowFunction<Event, std::string, std::string, TimeWindow> {
 public:
  void process(const std::string& key, Context& context, const std::vector<Event>& elements,
               Collector<std::string>& out) override {
    std::string text = fmt::format("{} [{},{})", key, context.window().start, context.window().end);
    for (const Event& event : elements) text += fmt::format(" {}", event.value);
    out.collect(text);
  }
};

DataStream<Event> events(std::vector<Event> values) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  return env.from_collection(std::move(values)).assign_timestamps_and_watermarks(at_once());
}

TEST(Windows, TumblingFiresByWatermark) {
  const auto stream = events({{"a", 1, 1}, {"b", 2, 3}, {"a", 3, 9}, {"a", 4, 10}, {"b", 5, 25}});
  EXPECT_EQ(collected_lines(stream.key_by(key_of).window(TumblingEventTimeWindows::of(Seconds(10))).process(Shows())),
            (Lines{"a [0,10) 1 3", "b [0,10) 2", "a [10,20) 4", "b [20,30) 5"}));
}

TEST(Windows, ReduceKeepsOneValue) {
  const auto stream = events({{"a", 1, 1}, {"b", 2, 3}, {"a", 3, 9}, {"a", 4, 12}});
  const auto windows = stream.key_by(key_of).window(TumblingEventTimeWindows::of(Seconds(10), Seconds(2)));
  EXPECT_EQ(sorted(collected_lines(windows.reduce(plus))),
            (Lines{"Event{key=a, value=1, at=1}", "Event{key=a, value=3, at=9}", "Event{key=a, value=4, at=12}",
                   "Event{key=b, value=2, at=3}"}));
  EXPECT_EQ(sorted(collected_lines(windows.reduce(plus, Shows()))),
            (Lines{"a [-8,2) 1", "a [12,22) 4", "a [2,12) 3", "b [2,12) 2"}));
}

class Mean : public AggregateFunction<Event, std::pair<int64_t, int64_t>, double> {
 public:
  std::pair<int64_t, int64_t> create_accumulator() const override { return {0, 0}; }
  void add(const Event& event, std::pair<int64_t, int64_t>& sum) const override {
    sum.first += event.value;
    ++sum.second;
  }
  double get_result(const std::pair<int64_t, int64_t>& sum) const override {
    return static_cast<double>(sum.first) / static_cast<double>(sum.second);
  }
  void merge(std::pair<int64_t, int64_t>& into, const std::pair<int64_t, int64_t>& from) const override {
    into.first += from.first;
    into.second += from.second;
  }
};

TEST(Windows, SlidingOverlap) {
  const auto stream = events({{"a", 1, 1}, {"a", 2, 6}, {"a", 6, 11}});
  const auto windows = stream.key_by(key_of).window(SlidingEventTimeWindows::of(Seconds(10), Seconds(5)));
  EXPECT_EQ(collected_lines(windows.aggregate(Mean())), (Lines{"1", "1.5", "4", "6"}));
}

TEST(Windows, LateRecords) {
  const OutputTag<Event> late("late");
  const auto stream = events({{"a", 1, 1}, {"a", 2, 12}, {"a", 3, 2}, {"a", 4, 15}, {"a", 5, 3}, {"a", 6, 13}});
  const auto shown = stream.key_by(key_of)
                         .window(TumblingEventTimeWindows::of(Seconds(10)))
                         .allowed_lateness(Seconds(4))
                         .side_output_late_data(late)
                         .process(Shows());
  const auto dropped =
      shown.get_side_output(late).map([](const Event& event) { return fmt::format("late {}", event.value); });
  EXPECT_EQ(sorted(collected_lines(shown.union_(dropped))),
            (Lines{"a [0,10) 1", "a [0,10) 1 3", "a [10,20) 2 4 6", "late 5"}));
}

TEST(Windows, SessionsMerge) {
  const auto stream = events({{"a", 1, 0}, {"b", 9, 1}, {"a", 2, 5}, {"a", 3, 40}, {"a", 4, 45}});
  const auto sessions = stream.key_by(key_of).window(EventTimeSessionWindows::with_gap(Seconds(10)));
  EXPECT_EQ(collected_lines(sessions.process(Shows())), (Lines{"b [1,11) 9", "a [0,15) 1 2", "a [40,55) 3 4"}));
}

TEST(Windows, ASessionJoinsTwo) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto stream =
      env.from_collection<Event>({{"a", 1, 0}, {"a", 2, 18}, {"a", 3, 9}, {"a", 4, 60}})
          .assign_timestamps_and_watermarks(WatermarkStrategy::for_monotonous_timestamps().with_timestamp_assigner(
              [](const Event& event, int64_t) { return event.at; }));
  const auto sessions = stream.key_by(key_of).window(
      EventTimeSessionWindows::with_dynamic_gap([](const Event&) { return Duration::of_millis(10); }));
  EXPECT_EQ(collected_lines(sessions.process(Shows())), (Lines{"a [0,28) 1 2 3", "a [60,70) 4"}));
  EXPECT_EQ(collected_lines(sessions.aggregate(Mean())), (Lines{"2", "4"}));
}

TEST(Windows, CountWindows) {
  const auto stream = events({{"a", 1}, {"a", 2}, {"b", 3}, {"a", 4}, {"a", 5}, {"a", 6}});
  EXPECT_EQ(collected_lines(
                stream.key_by(key_of).count_window(2).reduce(plus).map([](const Event& event) { return event.value; })),
            (Lines{"3", "9"}));
  EXPECT_EQ(collected_lines(stream.key_by(key_of).count_window(3, 2).reduce(plus).map(
                [](const Event& event) { return event.value; })),
            (Lines{"3", "11"}));
}

TEST(Windows, AllRecordsTogether) {
  const auto stream = events({{"a", 1, 1}, {"b", 2, 3}, {"c", 3, 12}});
  EXPECT_EQ(collected_lines(stream.window_all(TumblingEventTimeWindows::of(Seconds(10)))
                                .apply([](const NoKey&, const TimeWindow& window, const std::vector<Event>& elements,
                                          Collector<std::string>& out) {
                                  out.collect(fmt::format("{} {}", window.start, elements.size()));
                                })),
            (Lines{"0 2", "10 1"}));
}

TEST(Windows, TriggersAndEvictors) {
  const auto keyed = events({{"a", 1, 1}, {"a", 2, 3}, {"a", 3, 4}, {"a", 4, 20}}).key_by(key_of);
  const auto windows = keyed.window(TumblingEventTimeWindows::of(Seconds(10)));
  EXPECT_EQ(collected_lines(windows.trigger(CountTrigger::of(2)).process(Shows())), (Lines{"a [0,10) 1 2"}));
  EXPECT_EQ(collected_lines(windows.trigger(PurgingTrigger<CountTrigger>::of(CountTrigger::of(1))).process(Shows())),
            (Lines{"a [0,10) 1", "a [0,10) 2", "a [0,10) 3", "a [20,30) 4"}));
  // At 4, at 8 and at the end; at 24, 28 and the end.
  EXPECT_EQ(collected_lines(windows.trigger(ContinuousEventTimeTrigger::of(Seconds(4))).process(Shows())),
            (Lines{"a [0,10) 1 2 3", "a [0,10) 1 2 3", "a [0,10) 1 2 3", "a [20,30) 4", "a [20,30) 4", "a [20,30) 4"}));
  EXPECT_EQ(collected_lines(windows.evictor(CountEvictor::of(2)).process(Shows())),
            (Lines{"a [0,10) 2 3", "a [20,30) 4"}));
  EXPECT_EQ(collected_lines(windows.evictor(TimeEvictor::of(Seconds(3))).process(Shows())),
            (Lines{"a [0,10) 2 3", "a [20,30) 4"}));
  EXPECT_EQ(
      collected_lines(windows
                          .evictor(DeltaEvictor::of(
                              2.0, [](const Event& a, const Event& last) { return double(last.value - a.value); }))
                          .reduce(plus, Shows())),
      (Lines{"a [0,10) 5", "a [20,30) 4"}));
}

TEST(Windows, ProcessingTime) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  auto batch = std::make_shared<Batch<Event>>();
  batch->values = {{"a", 1}, {"b", 2}, {"a", 3}};
  const auto source = std::make_shared<TestSource>(std::vector<BatchPtr>{batch}, splitter_of<Event>(), false);
  SteppedStream run(env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events")
                        .key_by(key_of)
                        .window(TumblingProcessingTimeWindows::of(Seconds(100)))
                        .reduce(plus)
                        .map([](const Event& event) { return std::pair(event.key, event.value); }));
  run.config().checkpoint_interval_ms = 10;
  run.start();
  run.job().run_for(20);
  EXPECT_EQ(run.sink().lines(), Lines{});
  run.job().run_for(200);
  EXPECT_EQ(run.sink().lines(), (Lines{"(a,4)", "(b,2)"}));
}

TEST(Windows, BatchSizeDoesNotMatter) {
  std::vector<Event> values;
  for (int64_t i = 0; i < 500; ++i) values.push_back({std::string(1, static_cast<char>('a' + i % 7)), i, i * 37 % 400});
  std::vector<Lines> results;
  for (const int64_t size : {1, 7, 1024}) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    env.config().batch_records_max = size;
    results.push_back(collected_lines(env.from_collection(values)
                                          .assign_timestamps_and_watermarks(at_once())
                                          .key_by(key_of)
                                          .window(SlidingEventTimeWindows::of(Seconds(60), Seconds(20)))
                                          .allowed_lateness(Seconds(30))
                                          .process(Shows())));
  }
  EXPECT_GT(results[0].size(), 50u);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace yeoul
