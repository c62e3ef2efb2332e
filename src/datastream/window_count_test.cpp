#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, CountWindows) {
  const auto keyed = events({{"a", 1}, {"a", 2}, {"b", 3}, {"a", 4}, {"a", 5}, {"a", 6}}).key_by(key_of);
  EXPECT_EQ(collected_lines(keyed.count_window(2).reduce(plus)),
            (Lines{"Event{key=a, value=3, at=0}", "Event{key=a, value=9, at=0}"}));
  EXPECT_EQ(collected_lines(keyed.count_window(3, 2).reduce(plus)),
            (Lines{"Event{key=a, value=3, at=0}", "Event{key=a, value=11, at=0}"}));
}

TEST(Windows, ProcessingTime) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto source = endless_source({{"a", 1}, {"b", 2}, {"a", 3}});
  SteppedStream run(env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events")
                        .key_by(key_of)
                        .window(TumblingProcessingTimeWindows::of(Millis(100)))
                        .reduce(plus)
                        .map([](const Event& event) { return fmt::format("{} {}", event.key, event.value); }));
  run.config().checkpoint_interval_ms = 10;
  run.start();
  run.job().run_for(20);
  EXPECT_EQ(run.sink().lines(), Lines{});
  run.job().run_for(200);
  EXPECT_EQ(run.sink().lines(), (Lines{"a 4", "b 2"}));
}

}  // namespace
}  // namespace yeoul
