#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

StreamExecutionEnvironment environment() {
  return StreamExecutionEnvironment::get_execution_environment();
}

/// Sets timers at the record's time plus 10 and 5, and takes back what the value says.
class SetsTimers : public KeyedProcessFunction<std::string, Event, std::string> {
 public:
  void process_element(const Event& event, Context& context, Collector<std::string>&) override {
    context.timer_service().register_event_time_timer(event.at + 10);
    context.timer_service().register_event_time_timer(event.at + 5);
    context.timer_service().register_event_time_timer(event.at + 5);
    if (event.value == 1) context.timer_service().delete_event_time_timer(event.at + 10);
  }
  void on_timer(int64_t timestamp, OnTimerContext& context, Collector<std::string>& out) override {
    out.collect(fmt::format("{} {}", context.get_current_key(), timestamp));
    EXPECT_EQ(context.time_domain(), TimeDomain::kEventTime);
    if (timestamp == 15) {
      context.timer_service().register_event_time_timer(16);
      context.timer_service().delete_event_time_timer(20);
    }
  }
};

TEST(KeyedProcess, EventTimersFireInOrder) {
  const auto result =
      events({{"a", 0, 10}, {"b", 1, 12}, {"c", 0, 13}, {"a", 0, 100}}).key_by(key_of).process(SetsTimers());
  EXPECT_EQ(collected_lines(result), (Lines{"a 15", "a 16", "b 17", "c 18", "c 23", "a 105", "a 110"}));
}

/// Wakes up 50 ms after the last record of a key.
class WakesUp : public KeyedProcessFunction<std::string, Event, std::string> {
 public:
  void open(RuntimeContext& context) override { at_ = context.get_state(ValueStateDescriptor<int64_t>{"at"}); }
  void process_element(const Event&, Context& context, Collector<std::string>&) override {
    if (at_.value()) context.timer_service().delete_processing_time_timer(*at_.value());
    at_.update(context.timer_service().current_processing_time() + 50);
    context.timer_service().register_processing_time_timer(*at_.value());
  }
  void on_timer(int64_t, OnTimerContext& context, Collector<std::string>& out) override {
    EXPECT_EQ(context.time_domain(), TimeDomain::kProcessingTime);
    out.collect(context.get_current_key());
    at_.clear();
  }

 private:
  ValueState<int64_t> at_;
};

TEST(KeyedProcess, ProcessingTimersFire) {
  auto env = environment();
  const auto source = endless_source({{"a", 1, 0}, {"b", 1, 0}});
  SteppedStream run(
      env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events").key_by(key_of).process(WakesUp()));
  run.config().checkpoint_interval_ms = 20;
  run.start();
  run.job().run_for(45);
  EXPECT_EQ(run.sink().lines(), Lines{});
  run.job().run_for(100);
  EXPECT_EQ(run.sink().lines(), (Lines{"a", "b"}));
}

const OutputTag<int64_t> kNegative{"negative"};
const OutputTag<std::string> kUnread{"unread"};

class SplitsOff : public ProcessFunction<int64_t, std::string> {
 public:
  void process_element(const int64_t& value, Context& context, Collector<std::string>& out) override {
    if (value < 0) {
      context.output(kNegative, value);
      context.output(kUnread, "dropped");
    } else {
      out.collect(std::to_string(value));
    }
  }
};

TEST(Process, SideOutputs) {
  auto env = environment();
  const auto split = env.from_collection<int64_t>({1, -2, 3, -4}).process(SplitsOff());
  const auto negative = split.get_side_output(kNegative).map([](int64_t n) { return "side " + std::to_string(n); });
  EXPECT_EQ(sorted(collected_lines(split.union_(negative))), (Lines{"1", "3", "side -2", "side -4"}));
}

TEST(Process, MisuseIsSaid) {
  auto env = environment();
  const auto numbers = env.from_collection<int64_t>({1});
  EXPECT_THROW(numbers.get_side_output(kNegative), Error);
  EXPECT_THROW(env.set_parallelism(0), Error);
  EXPECT_THROW(numbers.union_(numbers).name("twice"), Error);
  numbers.map([](int64_t n) { return n; }).uid("same");
  numbers.map([](int64_t n) { return n; }).uid("same");
  try {
    env.execute();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7104);
  }
}

/// Uses a state that it never opened.
class ForgetsToOpen : public KeyedProcessFunction<std::string, Event, std::string> {
 public:
  void process_element(const Event&, Context&, Collector<std::string>& out) override {
    out.collect(std::to_string(count_.value().value_or(0)));
  }

 private:
  ValueState<int64_t> count_;
};

TEST(Process, FailuresReachTheCaller) {
  auto results = events({{"a"}}).key_by(key_of).process(ForgetsToOpen()).execute_and_collect();
  try {
    results.to_vector();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7112) << error.what();
  }
}

}  // namespace
}  // namespace yeoul
