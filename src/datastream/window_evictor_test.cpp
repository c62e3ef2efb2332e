#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, Evictors) {
  const auto keyed = events({{"a", 1, 1}, {"a", 2, 3}, {"a", 3, 4}, {"a", 4, 20}}).key_by(key_of);
  const auto windows = keyed.window(TumblingEventTimeWindows::of(Millis(10)));
  EXPECT_EQ(collected_lines(windows.evictor(CountEvictor::of(2)).process(Shows())),
            (Lines{"a [0,10) 2 3", "a [20,30) 4"}));
  EXPECT_EQ(collected_lines(windows.evictor(TimeEvictor::of(Millis(3))).process(Shows())),
            (Lines{"a [0,10) 2 3", "a [20,30) 4"}));
  EXPECT_EQ(
      collected_lines(windows
                          .evictor(DeltaEvictor::of(
                              2.0, [](const Event& a, const Event& last) { return double(last.value - a.value); }))
                          .reduce(plus, Shows())),
      (Lines{"a [0,10) 5", "a [20,30) 4"}));
}

}  // namespace
}  // namespace yeoul
