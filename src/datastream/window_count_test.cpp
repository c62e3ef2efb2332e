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

/// What a call that must be refused says.
template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7116);
    return error.message();
  }
  return "nothing";
}

TEST(Windows, SpansAndCountsThatMakeNoSenseAreRefused) {
  const Duration none = std::chrono::microseconds(500);
  const Duration negative = Millis(-1);
  EXPECT_EQ(refusal([&] { ContinuousEventTimeTrigger::of(none); }),
            "a continuous trigger with an interval of 0 ms: it must be 1 ms or more");
  EXPECT_EQ(refusal([&] { ContinuousProcessingTimeTrigger::of(none); }),
            "a continuous trigger with an interval of 0 ms: it must be 1 ms or more");
  EXPECT_EQ(refusal([] { CountTrigger::of(0); }), "a count trigger of 0 records: it must be 1 or more");
  EXPECT_EQ(refusal([] { CountEvictor::of(-1); }), "a count evictor of -1 records: it must not be negative");
  EXPECT_EQ(refusal([&] { TimeEvictor::of(negative); }),
            "a time evictor with a span of -1 ms: it must not be negative");
  EXPECT_EQ(refusal([&] { WatermarkStrategy::for_bounded_out_of_orderness(negative); }),
            "an out-of-orderness of -1 ms: it must not be negative");
  const auto strategy = WatermarkStrategy::for_monotonous_timestamps();
  EXPECT_EQ(refusal([&] { strategy.with_idleness(none); }), "an idle timeout of 0 ms: it must be 1 ms or more");
  EXPECT_EQ(refusal([&] { strategy.with_watermark_alignment("group", negative); }),
            "a drift of watermark alignment of -1 ms: it must not be negative");
  EXPECT_EQ(refusal([&] { strategy.with_watermark_alignment("group", Millis(1), none); }),
            "an update interval of watermark alignment of 0 ms: it must be 1 ms or more");
  const auto keyed = events({{"a", 1}}).key_by(key_of);
  EXPECT_EQ(refusal([&] { keyed.count_window(0); }), "a count window of 0 records: it must be 1 or more");
  EXPECT_EQ(refusal([&] { keyed.count_window(0, 1); }), "a count window of 0 records: it must be 1 or more");
  EXPECT_EQ(refusal([&] { keyed.count_window(1, 0); }),
            "a count window with a slide of 0 records: it must be 1 or more");
  EXPECT_EQ(refusal([&] { keyed.window(TumblingEventTimeWindows::of(Millis(1))).allowed_lateness(negative); }),
            "allowed lateness of -1 ms: it must not be negative");
}

}  // namespace
}  // namespace yeoul
