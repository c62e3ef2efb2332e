#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

/// A key's records of each span of 50 ms, in states of several kinds; a timer at its end tells of them.
class Gathers : public KeyedProcessFunction<std::string, Event, std::string> {
 public:
  void open(RuntimeContext& context) override {
    waiting_ = context.get_state(ValueStateDescriptor<int64_t>{"waiting"});
    values_ = context.get_list_state(ListStateDescriptor<std::pair<int64_t, int64_t>>{"values"});
    sums_ = context.get_map_state(MapStateDescriptor<int64_t, int64_t>{"sums"});
  }
  void process_element(const Event& event, Context& context, Collector<std::string>&) override {
    const int64_t end = event.at / 50 * 50 + 49;
    context.timer_service().register_event_time_timer(end);
    waiting_.update(waiting_.value().value_or(0) + 1);
    values_.add({end, event.value});
    sums_.put(end, sums_.get(end).value_or(0) + event.value);
  }
  void on_timer(int64_t timestamp, OnTimerContext& context, Collector<std::string>& out) override {
    std::vector<int64_t> told;
    std::vector<std::pair<int64_t, int64_t>> left;
    for (const auto& [end, value] : values_.get()) {
      if (end == timestamp) {
        told.push_back(value);
      } else {
        left.push_back({end, value});
      }
    }
    std::sort(told.begin(), told.end());
    std::string text = fmt::format("{}@{} ", context.get_current_key(), timestamp);
    append_text(text, std::pair(sums_.get(timestamp), told));
    out.collect(text);
    EXPECT_EQ(waiting_.value(), static_cast<int64_t>(told.size() + left.size()));
    sums_.remove(timestamp);
    values_.update(left);
    waiting_.update(static_cast<int64_t>(left.size()));
    if (left.empty()) waiting_.clear();
  }

 private:
  ValueState<int64_t> waiting_;
  ListState<std::pair<int64_t, int64_t>> values_;
  MapState<int64_t, int64_t> sums_;
};

TEST(Recovery, StateAndTimersOfAProcessFunction) {
  const auto build = [](const DataStream<Event>& events) {
    return events.key_by(key_of).process(Gathers()).uid("gathers");
  };
  const Lines expected = run_with_failure(build, 0, 1, 2);
  EXPECT_GT(expected.size(), 12u);
  for (const int parallelism : {1, 2, 3}) {
    for (const size_t fail_at : {7, 26, 43, 58}) {
      EXPECT_EQ(run_with_failure(build, fail_at, fail_at, parallelism), expected) << fail_at << " of " << parallelism;
    }
  }
}

}  // namespace
}  // namespace yeoul
