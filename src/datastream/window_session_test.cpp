#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, SessionsMerge) {
  const auto stream = events({{"a", 1, 0}, {"b", 9, 1}, {"a", 2, 5}, {"a", 3, 40}, {"a", 4, 45}});
  const auto sessions = stream.key_by(key_of).window(EventTimeSessionWindows::with_gap(Millis(10)));
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

TEST(Windows, APurgedSessionStillTakesLateRecords) {
  const auto stream = events({{"a", 1, 0}, {"a", 2, 50}, {"a", 3, 8}, {"a", 4, 200}});
  const auto sessions = stream.key_by(key_of)
                            .window(EventTimeSessionWindows::with_gap(Millis(10)))
                            .allowed_lateness(Millis(100))
                            .trigger(PurgingTrigger::of(EventTimeTrigger::create()));
  EXPECT_EQ(collected_lines(sessions.process(Shows())),
            (Lines{"a [0,10) 1", "a [0,18) 3", "a [50,60) 2", "a [200,210) 4"}));
}

}  // namespace
}  // namespace yeoul
