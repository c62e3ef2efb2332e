#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

/// Each record with the watermark it sees.
class SeesWatermark : public ProcessFunction<Event, std::string> {
 public:
  void process_element(const Event& event, Context& context, Collector<std::string>& out) override {
    const int64_t watermark = context.current_watermark();
    out.collect(fmt::format("{}@{} {}", event.value, context.timestamp(),
                            watermark == kMinWatermark ? "none" : std::to_string(watermark)));
  }
};

std::vector<Event> values() {
  return {{"a", 1, 100}, {"a", 2, 150}, {"a", 3, 120}, {"a", 4, 200}};
}

TEST(Watermarks, OfAGeneratorFollowTheirRecords) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const Lines expected{"1@100 none", "2@150 99", "3@120 149", "4@200 149"};
  EXPECT_EQ(collected_lines(
                env.from_collection(values()).assign_timestamps_and_watermarks(at_once()).process(SeesWatermark())),
            expected);
  const auto source = std::make_shared<const CollectionSource<Event>>(values());
  EXPECT_EQ(collected_lines(env.from_source(source, at_once(), "events").process(SeesWatermark())), expected);
}

struct StampedByMethod {
  int64_t extract_timestamp(const Event& event, int64_t record_timestamp) const {
    EXPECT_EQ(record_timestamp, kNoTimestamp);
    return event.at;
  }
};

/// What a function sees of two records, and after 100 ms of two more, where watermarks come each 20 ms.
template <class Strategy>
Lines seen_by_the_clock(const Strategy& strategy, bool at_source) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_auto_watermark_interval(Duration::of_millis(20));
  const auto source = endless_source(values());
  source->set_limit(2);
  auto stream = env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events");
  stream = at_source ? env.from_source<Event>(source, strategy, "events")
                     : stream.assign_timestamps_and_watermarks(strategy);
  SteppedStream run(stream.process(SeesWatermark()));
  run.config().checkpoint_interval_ms = 10;
  run.start();
  run.job().run_for(100);
  source->set_limit(4);
  run.job().run_for(100);
  return run.sink().lines();
}

TEST(Watermarks, AreSentByTheClock) {
  const auto strategy = WatermarkStrategy::for_bounded_out_of_orderness(std::chrono::milliseconds(30))
                            .with_timestamp_assigner(StampedByMethod());
  for (const bool at_source : {false, true}) {
    EXPECT_EQ(seen_by_the_clock(strategy, at_source), (Lines{"1@100 none", "2@150 none", "3@120 119", "4@200 119"}))
        << at_source;
  }
}

/// Lags by an interval of the clock: tells what was the largest timestamp at the call before.
class ByTheClock : public WatermarkGenerator<Event> {
 public:
  void on_event(const Event&, int64_t timestamp, WatermarkOutput&) override {
    largest_ = std::max(largest_, timestamp);
  }
  void on_periodic_emit(WatermarkOutput& output) override { output.emit_watermark(std::exchange(before_, largest_)); }

 private:
  int64_t largest_ = kMinWatermark;
  int64_t before_ = kMinWatermark;
};

TEST(Watermarks, OfAPeriodicGeneratorAreSentByTheClock) {
  const auto strategy =
      WatermarkStrategy::for_generator([] { return ByTheClock(); }).with_timestamp_assigner(StampedByMethod());
  for (const bool at_source : {false, true}) {
    EXPECT_EQ(seen_by_the_clock(strategy, at_source), (Lines{"1@100 none", "2@150 none", "3@120 150", "4@200 150"}))
        << at_source;
  }
}

TEST(Watermarks, IdlenessIsFoundInTime) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_auto_watermark_interval(Duration::of_millis(10));
  const auto stamped = WatermarkStrategy::for_monotonous_timestamps().with_timestamp_assigner(
      [](const Event& event) { return event.at; });
  const auto quiet = endless_source({{"q", 1, 1}, {"q", 2, 2}});
  quiet->set_limit(1);
  const auto busy = endless_source({{"a", 1, 50}, {"a", 2, 2000}});
  const auto rows = [&](const std::shared_ptr<TestSource>& source) {
    return env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events");
  };
  SteppedStream run(rows(quiet)
                        .assign_timestamps_and_watermarks(stamped.with_idleness(Duration::of_millis(300)))
                        .union_(rows(busy).assign_timestamps_and_watermarks(stamped))
                        .key_by(key_of)
                        .window(TumblingEventTimeWindows::of(std::chrono::milliseconds(100)))
                        .reduce([](const Event& a, const Event&) { return a; })
                        .map([](const Event& event) { return event.key; }));
  run.config().checkpoint_interval_ms = 20;
  run.start();
  run.job().run_for(150);
  quiet->set_limit(2);
  run.job().run_for(280);
  EXPECT_EQ(run.sink().lines(), Lines{});
  run.job().run_for(110);  // 390 ms after the last record
  EXPECT_EQ(sorted(run.sink().lines()), (Lines{"a", "q"}));
}

TEST(Watermarks, IdleStreamsDoNotHoldBackOthers) {
  for (const bool idle : {false, true}) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    auto strategy = WatermarkStrategy::for_monotonous_timestamps().with_timestamp_assigner(
        [](const Event& event) { return event.at; });
    if (idle) strategy = strategy.with_idleness(std::chrono::milliseconds(300));
    const auto quiet = endless_source({{"q", 0, 1}});
    const auto busy = endless_source({{"a", 1, 50}, {"a", 2, 2000}});
    const auto stamped = [&](const std::shared_ptr<TestSource>& source) {
      return env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events")
          .assign_timestamps_and_watermarks(strategy);
    };
    SteppedStream run(stamped(quiet)
                          .union_(stamped(busy))
                          .key_by(key_of)
                          .window(TumblingEventTimeWindows::of(std::chrono::milliseconds(100)))
                          .reduce([](const Event& a, const Event&) { return a; })
                          .map([](const Event& event) { return event.key; }));
    run.config().checkpoint_interval_ms = 50;
    run.start();
    run.job().run_for(1000);
    EXPECT_EQ(sorted(run.sink().lines()), idle ? (Lines{"a", "q"}) : Lines{}) << idle;
  }
}

TEST(Watermarks, ASourceWithoutAnyMayBeIdle) {
  for (const bool idle : {false, true}) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    auto none = WatermarkStrategy::no_watermarks();
    if (idle) none = none.with_idleness(std::chrono::milliseconds(300));
    const auto stamped = WatermarkStrategy::for_monotonous_timestamps().with_timestamp_assigner(
        [](const Event& event) { return event.at; });
    SteppedStream run(
        env.from_source<Event>(endless_source({}), none, "quiet")
            .union_(env.from_source<Event>(endless_source({{"a", 1, 50}, {"a", 2, 2000}}), stamped, "busy"))
            .key_by(key_of)
            .window(TumblingEventTimeWindows::of(std::chrono::milliseconds(100)))
            .sum(&Event::value)
            .map([](const Event& event) { return event.key; }));
    run.config().checkpoint_interval_ms = 50;
    run.start();
    run.job().run_for(1000);
    EXPECT_EQ(run.sink().lines(), idle ? Lines{"a"} : Lines{}) << idle;
  }
}

}  // namespace
}  // namespace yeoul
