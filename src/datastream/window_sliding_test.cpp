#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, SlidingOverlap) {
  const auto stream = events({{"a", 1, 1}, {"a", 2, 6}, {"a", 6, 11}});
  const auto windows = stream.key_by(key_of).window(SlidingEventTimeWindows::of(Millis(10), Millis(5)));
  EXPECT_EQ(collected_lines(windows.aggregate(Mean())), (Lines{"1", "1.5", "4", "6"}));
}

TEST(Windows, BatchSizeDoesNotMatter) {
  std::vector<Event> values;
  for (int64_t i = 0; i < 500; ++i) values.push_back({std::string(1, static_cast<char>('a' + i % 7)), i, i * 37 % 400});
  std::vector<Lines> results;
  for (const int64_t size : {1, 7, 1024}) {
    results.push_back(collected_lines(events(values, size)
                                          .key_by(key_of)
                                          .window(SlidingEventTimeWindows::of(Millis(60), Millis(20)))
                                          .allowed_lateness(Millis(30))
                                          .process(Shows())));
  }
  EXPECT_GT(results[0].size(), 50u);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Windows, AllRecordsTogether) {
  const auto stream = events({{"a", 1, 1}, {"b", 2, 3}, {"c", 3, 12}});
  EXPECT_EQ(collected_lines(stream.window_all(TumblingEventTimeWindows::of(Millis(10)))
                                .apply([](const NoKey&, const TimeWindow& window, const std::vector<Event>& elements,
                                          Collector<std::string>& out) {
                                  out.collect(fmt::format("{} {}", window.start, elements.size()));
                                })),
            (Lines{"0 2", "10 1"}));
}

}  // namespace
}  // namespace yeoul
