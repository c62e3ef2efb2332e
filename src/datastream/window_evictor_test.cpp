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

/// How many records it was given, as text.
class HowMany : public AggregateFunction<Event, int64_t, std::string> {
 public:
  int64_t create_accumulator() const override { return 0; }
  void add(const Event&, int64_t& count) const override { ++count; }
  std::string get_result(const int64_t& count) const override { return fmt::format("{} records", count); }
  void merge(int64_t& into, const int64_t& from) const override { into += from; }
};

TEST(Windows, EvictorsThatLeaveNothing) {
  const auto keyed = events({{"a", 1, 1}, {"a", 2, 3}, {"a", 3, 4}, {"a", 4, 6}}).key_by(key_of);
  const auto windows = keyed.window(TumblingEventTimeWindows::of(Millis(10)));
  EXPECT_EQ(collected_lines(windows.evictor(CountEvictor::of(0)).process(Shows())), Lines{"a [0,10)"});
  EXPECT_EQ(collected_lines(windows.evictor(CountEvictor::of(0)).aggregate(HowMany())), Lines{"0 records"});
  EXPECT_EQ(collected_lines(windows.evictor(CountEvictor::of(0)).reduce(plus, Shows())), Lines{});
  // After the function; the next time the window holds what has come since.
  EXPECT_EQ(collected_lines(windows.trigger(CountTrigger::of(2)).evictor(CountEvictor::of(0, true)).process(Shows())),
            (Lines{"a [0,10) 1 2", "a [0,10) 3 4"}));
}

}  // namespace
}  // namespace yeoul
