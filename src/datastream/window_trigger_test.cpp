#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

using Millis = std::chrono::milliseconds;

TEST(Windows, Triggers) {
  const auto keyed = events({{"a", 1, 1}, {"a", 2, 3}, {"a", 3, 4}, {"a", 4, 20}}).key_by(key_of);
  const auto windows = keyed.window(TumblingEventTimeWindows::of(Millis(10)));
  EXPECT_EQ(collected_lines(windows.trigger(CountTrigger::of(2)).process(Shows())), (Lines{"a [0,10) 1 2"}));
  EXPECT_EQ(collected_lines(windows.trigger(PurgingTrigger::of(CountTrigger::of(1))).process(Shows())),
            (Lines{"a [0,10) 1", "a [0,10) 2", "a [0,10) 3", "a [20,30) 4"}));
  // At 4, at 8 and at the end; at 24, 28 and the end.
  EXPECT_EQ(collected_lines(windows.trigger(ContinuousEventTimeTrigger::of(Millis(4))).process(Shows())),
            (Lines{"a [0,10) 1 2 3", "a [0,10) 1 2 3", "a [0,10) 1 2 3", "a [20,30) 4", "a [20,30) 4", "a [20,30) 4"}));
}

const OutputTag<std::string> kCleared("cleared");

/// Tells when its window is dropped, too.
class ShowsAndClears : public Shows {
 public:
  void clear(Context& context) override {
    context.output(kCleared, fmt::format("cleared [{},{})", context.window().start, context.window().end));
  }
};

/// Fires and purges at the end of the window; notes when its windows are dropped.
struct NotesClear : Trigger<> {
  explicit NotesClear(std::shared_ptr<Lines> notes) : cleared(std::move(notes)) {}
  template <class T, class W>
  TriggerResult on_element(const T&, int64_t, const W& window, Context& context) {
    context.register_event_time_timer(window.max_timestamp());
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_event_time(int64_t time, const W& window, Context&) {
    return time == window.max_timestamp() ? TriggerResult::kFireAndPurge : TriggerResult::kContinue;
  }
  template <class W>
  void clear(const W& window, Context&) {
    cleared->push_back(fmt::format("{}", window.start));
  }
  std::shared_ptr<Lines> cleared;
};

TEST(Windows, APurgedWindowIsCleared) {
  const auto notes = std::make_shared<Lines>();
  const auto windows = events({{"a", 1, 1}, {"a", 2, 12}, {"a", 3, 30}})
                           .key_by(key_of)
                           .window(TumblingEventTimeWindows::of(Millis(10)))
                           .allowed_lateness(Millis(4))
                           .trigger(NotesClear(notes));
  const auto shown = windows.process(ShowsAndClears());
  EXPECT_EQ(
      sorted(collected_lines(shown.union_(shown.get_side_output(kCleared)))),
      (Lines{"a [0,10) 1", "a [10,20) 2", "a [30,40) 3", "cleared [0,10)", "cleared [10,20)", "cleared [30,40)"}));
  EXPECT_EQ(*notes, (Lines{"0", "10", "30"}));
}

/// Fires and purges at every tenth millisecond from the first record on; has no state that would tell.
struct EveryTen : Trigger<> {
  template <class T, class W>
  TriggerResult on_element(const T&, int64_t timestamp, const W&, Context& context) {
    if (timestamp < 10) context.register_event_time_timer(9);
    return TriggerResult::kContinue;
  }
  template <class W>
  TriggerResult on_event_time(int64_t time, const W&, Context& context) {
    if (time < 60) context.register_event_time_timer(time + 10);
    return TriggerResult::kFireAndPurge;
  }
};

TEST(Windows, TimersOutliveAPurge) {
  const auto sums = events({{"a", 1, 1}, {"a", 2, 30}, {"a", 3, 55}})
                        .key_by(key_of)
                        .window(GlobalWindows::create())
                        .trigger(EveryTen())
                        .apply<std::string>([](const auto& key, const auto&, const auto& elements, auto& out) {
                          std::string text = key;
                          for (const Event& event : elements) text += fmt::format(" {}", event.value);
                          out.collect(text);
                        });
  EXPECT_EQ(collected_lines(sums), (Lines{"a 1 2", "a 3"}));
}

/// The same as a class.
struct ShowsKey {
  void apply(const std::string& key, const TimeWindow& window, const std::vector<Event>& elements,
             Collector<std::string>& out) const {
    out.collect(fmt::format("{} {} {}", key, window.start, elements.size()));
  }
};

TEST(Windows, AppliedFunctionsAreClasses) {
  const auto windows =
      events({{"a", 1, 1}, {"a", 2, 12}}).key_by(key_of).window(TumblingEventTimeWindows::of(Millis(10)));
  EXPECT_EQ(collected_lines(windows.apply(ShowsKey())), (Lines{"a 0 1", "a 10 1"}));
}

}  // namespace
}  // namespace yeoul
