#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, Triggers) {
  const auto keyed = events({{"a", 1, 1}, {"a", 2, 3}, {"a", 3, 4}, {"a", 4, 20}}).key_by(key_of);
  const auto windows = keyed.window(TumblingEventTimeWindows::of(Millis(10)));
  EXPECT_EQ(collected_lines(windows.trigger(CountTrigger::of(2)).process(Shows())), (Lines{"a [0,10) 1 2"}));
  EXPECT_EQ(collected_lines(windows.trigger(PurgingTrigger<CountTrigger>::of(CountTrigger::of(1))).process(Shows())),
            (Lines{"a [0,10) 1", "a [0,10) 2", "a [0,10) 3", "a [20,30) 4"}));
  // At 4, at 8 and at the end; at 24, 28 and the end.
  EXPECT_EQ(collected_lines(windows.trigger(ContinuousEventTimeTrigger::of(Millis(4))).process(Shows())),
            (Lines{"a [0,10) 1 2 3", "a [0,10) 1 2 3", "a [0,10) 1 2 3", "a [20,30) 4", "a [20,30) 4", "a [20,30) 4"}));
}

}  // namespace
}  // namespace yeoul
