#include <gtest/gtest.h>

#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

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
    const Lines expected = run_with_failure(build, 0, 1, 2);
    EXPECT_GE(expected.size(), 12u);
    for (const int parallelism : {1, 2, 3}) {
      for (const size_t fail_at : {9, 31, 52}) {
        EXPECT_EQ(run_with_failure(build, fail_at, fail_at, parallelism), expected) << fail_at << " of " << parallelism;
      }
    }
  };
  check(tumbling);
  check(sessions);
}

}  // namespace
}  // namespace yeoul
