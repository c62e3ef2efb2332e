#include <gtest/gtest.h>

#include "yeoul/datastream/stream_test_kit.h"

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

class Counts : public ProcessWindowFunction<Event, std::string, std::string, TimeWindow> {
 public:
  void open(RuntimeContext& context) override { fired_ = context.get_state(ValueStateDescriptor<int64_t>{"fired"}); }
  void process(const std::string& key, Context& context, const std::vector<Event>& elements,
               Collector<std::string>& out) override {
    fired_.update(fired_.value().value_or(0) + 1);
    int64_t sum = 0;
    for (const Event& event : elements) sum += event.value;
    out.collect(fmt::format("{} [{},{}) {} x{} #{}", key, context.window().start, context.window().end, sum,
                            elements.size(), *fired_.value()));
  }

 private:
  ValueState<int64_t> fired_;
};

constexpr size_t kRecords = 60;

/// Runs a job that fails at the given record of both splits (0: never), from checkpoints every 20 ms.
template <class Build>
Lines run_with_failure(Build build, size_t fail_at, uint64_t seed) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  env.set_auto_watermark_interval(Duration::of_millis(10));
  std::vector<BatchPtr> splits;
  for (int64_t split = 0; split < 2; ++split) {
    auto batch = std::make_shared<Batch<Event>>();
    for (int64_t i = 0; i < static_cast<int64_t>(kRecords); ++i) {
      batch->values.push_back({std::string(1, static_cast<char>('a' + (i * 5 + split) % 4)), i, i * 2 + i / 20 * 30});
    }
    splits.push_back(batch);
  }
  const auto source = std::make_shared<TestSource>(splits, splitter_of<Event>());
  source->set_limit(0);
  if (fail_at != 0) source->fail_once_at(0, fail_at);
  const auto strategy = WatermarkStrategy::for_monotonous_timestamps().with_timestamp_assigner(
      [](const Event& event) { return event.at; });
  SteppedStream run(build(env.from_source<Event>(source, strategy, "events").uid("source")));
  run.config().checkpoint_interval_ms = 20;
  run.config().restart = JobConfig::Restart::kFixedDelay;
  run.config().restart_attempts = 3;
  run.config().restart_delay_ms = 5;
  run.config().batch_records_max = 4;
  run.start(seed);
  for (size_t limit = 5; limit <= kRecords; limit += 5) {
    source->set_limit(limit);
    run.job().run_for(15, 5);
  }
  EXPECT_EQ(run.job().run_for(5000), JobStatus::kFinished);
  EXPECT_EQ(run.job().job().progress().restarts, fail_at == 0 ? 0 : 1);
  return sorted(run.sink().lines());
}

TEST(Recovery, StateAndTimersOfAProcessFunction) {
  const auto build = [](const DataStream<Event>& events) {
    return events.key_by(key_of).process(Gathers()).uid("gathers");
  };
  const Lines expected = run_with_failure(build, 0, 1);
  EXPECT_GT(expected.size(), 12u);
  for (const size_t fail_at : {7, 26, 43, 58})
    EXPECT_EQ(run_with_failure(build, fail_at, fail_at), expected) << fail_at;
}

TEST(Recovery, Windows) {
  const auto tumbling = [](const DataStream<Event>& events) {
    return events.key_by(key_of)
        .window(TumblingEventTimeWindows::of(Duration::of_millis(20)))
        .process(Counts())
        .uid("windows");
  };
  const auto sessions = [](const DataStream<Event>& events) {
    return events.key_by(key_of)
        .window(EventTimeSessionWindows::with_gap(Duration::of_millis(15)))
        .reduce(
            [](const Event& a, const Event& b) {
              return Event{a.key, a.value + b.value, b.at};
            },
            Counts())
        .uid("windows");
  };
  const auto check = [](auto build) {
    const Lines expected = run_with_failure(build, 0, 1);
    EXPECT_GE(expected.size(), 12u);
    for (const size_t fail_at : {9, 31, 52}) {
      EXPECT_EQ(run_with_failure(build, fail_at, fail_at), expected) << fail_at;
    }
  };
  check(tumbling);
  check(sessions);
}

}  // namespace
}  // namespace yeoul
