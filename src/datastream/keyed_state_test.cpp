#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/datastream/stream_kit_test.h"

namespace yeoul {
namespace {

class LargestFunction : public AggregateFunction<int64_t, int64_t, std::string> {
 public:
  int64_t create_accumulator() const override { return 0; }
  void add(const int64_t& value, int64_t& largest) const override { largest = std::max(largest, value); }
  std::string get_result(const int64_t& largest) const override { return "max " + std::to_string(largest); }
  void merge(int64_t& into, const int64_t& from) const override { into = std::max(into, from); }
};

/// Every kind of state: what a key had before each record.
class RemembersAll : public KeyedProcessFunction<std::string, Event, std::string> {
 public:
  void open(RuntimeContext& context) override {
    last_ = context.get_state(ValueStateDescriptor<int64_t>{"last"});
    list_ = context.get_list_state(ListStateDescriptor<int64_t>{"list"});
    seen_ = context.get_map_state(MapStateDescriptor<int64_t, int64_t>{"seen"});
    sum_ = context.get_reducing_state(
        ReducingStateDescriptor<int64_t>{"sum", [](const int64_t& a, const int64_t& b) { return a + b; }});
    largest_ = context.get_aggregating_state(AggregatingStateDescriptor<LargestFunction>{"largest", {}});
  }
  void process_element(const Event& event, Context& context, Collector<std::string>& out) override {
    if (event.value == 0) {
      last_.clear(), list_.clear(), seen_.clear(), sum_.clear(), largest_.clear();
      return;
    }
    std::string text = context.get_current_key() + ":";
    append_text(text, std::tuple(last_.value(), list_.get(), seen_.get(event.value), sum_.get(), largest_.get()));
    out.collect(text);
    last_.update(event.value);
    list_.add(event.value);
    seen_.put(event.value, seen_.get(event.value).value_or(0) + 1);
    sum_.add(event.value);
    largest_.add(event.value);
  }

 private:
  ValueState<int64_t> last_;
  ListState<int64_t> list_;
  MapState<int64_t, int64_t> seen_;
  ReducingState<int64_t> sum_;
  AggregatingState<int64_t, std::string> largest_;
};

TEST(KeyedProcess, EveryKindOfState) {
  const auto result =
      events({{"a", 5}, {"b", 1}, {"a", 3}, {"a", 5}, {"b", 0}, {"b", 2}}).key_by(key_of).process(RemembersAll());
  EXPECT_EQ(collected_lines(result),
            (Lines{"a:(null,[],null,null,null)", "b:(null,[],null,null,null)", "a:(5,[5],null,5,max 5)",
                   "a:(3,[5, 3],1,8,max 5)", "b:(null,[],null,null,null)"}));
}

/// The mean of every two records of a key, in the way of Flink's first example of state; a plain class, whose output is
/// found by its method.
class CountWindowAverage {
 public:
  void open(RuntimeContext& context) {
    sum_ = context.get_state(ValueStateDescriptor<std::pair<int64_t, int64_t>>{"average"});
  }
  void flat_map(const Event& event, Collector<std::string>& out) {
    const auto [count, sum] = sum_.value().value_or(std::pair<int64_t, int64_t>());
    sum_.update({count + 1, sum + event.value});
    if (count + 1 < 2) return;
    out.collect(fmt::format("{} {}", event.key, (sum + event.value) / 2));
    sum_.clear();
  }

 private:
  ValueState<std::pair<int64_t, int64_t>> sum_;
};

TEST(KeyedFunctions, FlatMapCountsWindows) {
  for (const int64_t batch : {1, 1024}) {
    const auto result =
        events({{"a", 3}, {"b", 1}, {"a", 5}, {"a", 7}, {"a", 4}, {"b", 3}, {"a", 2}}, batch).key_by(key_of);
    EXPECT_EQ(collected_lines(result.flat_map(CountWindowAverage())), (Lines{"a 4", "a 5", "b 2"})) << batch;
  }
}

/// Lets values pass that their key has not had.
class FirstOnly : public FilterFunction<Event> {
 public:
  void open(RuntimeContext& context) override {
    seen_ = context.get_map_state(MapStateDescriptor<int64_t, bool>{"seen"});
  }
  bool filter(const Event& event) override {
    if (seen_.contains(event.value)) return false;
    seen_.put(event.value, true);
    return true;
  }

 private:
  MapState<int64_t, bool> seen_;
};

/// The sum, and how often it was asked for.
class CountedSum : public ReduceFunction<Event> {
 public:
  void open(RuntimeContext& context) override { calls_ = context.get_state(ValueStateDescriptor<int64_t>{"calls"}); }
  Event reduce(const Event& a, const Event& b) override {
    calls_.update(calls_.value().value_or(0) + 1);
    return {a.key, a.value + b.value, *calls_.value()};
  }

 private:
  ValueState<int64_t> calls_;
};

Lines short_lines(const DataStream<Event>& stream) {
  return collected_lines(stream.map([](const Event& e) { return fmt::format("{} {} {}", e.key, e.value, e.at); }));
}

TEST(KeyedFunctions, MapFilterAndReduceKeepStateByKey) {
  const auto keyed = events({{"a", 5}, {"b", 5}, {"a", 5}, {"a", 6}, {"b", 5}, {"a", 6}}).key_by(key_of);
  EXPECT_EQ(collected_lines(keyed.map(RecordCounts())), (Lines{"a1", "b1", "a2", "a3", "b2", "a4"}));
  EXPECT_EQ(short_lines(keyed.filter(FirstOnly())), (Lines{"a 5 0", "b 5 0", "a 6 0"}));
  EXPECT_EQ(short_lines(keyed.reduce(CountedSum())), (Lines{"a 5 0", "b 5 0", "a 10 1", "a 16 2", "b 10 1", "a 22 3"}));
  EXPECT_EQ(collected_lines(keyed.map([](const Event& event) { return event.key; })).size(), 6u);
}

TEST(KeyedFunctions, StateNeedsKeys) {
  auto results = events({{"a"}}).map(RecordCounts()).execute_and_collect();
  try {
    results.to_vector();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 7113) << error.what();
    EXPECT_NE(std::string(error.what()).find("call key_by() before it"), std::string::npos);
  }
}

/// Asks for a state of a given name.
class Names : public MapFunction<Event, std::string> {
 public:
  explicit Names(std::string_view name) : name_(name) {}
  void open(RuntimeContext& context) override { context.get_list_state(ListStateDescriptor<int64_t>{name_}); }
  std::string map(const Event& event) override { return event.key; }

 private:
  std::string name_;
};

TEST(KeyedFunctions, NamesOfAnOperatorsOwnStatesAreReserved) {
  for (const std::string_view name : {ReservedStates::kEventTimers, ReservedStates::kProcessingTimers,
                                      ReservedStates::kReduced, ReservedStates::kWindows}) {
    auto results = events({{"a"}}).key_by(key_of).map(Names(name)).execute_and_collect();
    try {
      results.to_vector();
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), 7131) << error.what();
      EXPECT_NE(error.message().find(fmt::format("'{}'", name)), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(collected_lines(events({{"a"}}).key_by(key_of).map(Names("_mine"))), Lines{"a"});
}

TEST(KeyedFunctions, StateSurvivesFailures) {
  const auto build = [](const DataStream<Event>& events) {
    return events.key_by(key_of).flat_map(CountWindowAverage()).uid("average");
  };
  const Lines expected = run_with_failure(build, 0, 1, 2);
  EXPECT_EQ(expected.size(), 60u);
  for (const int parallelism : {1, 2, 3}) {
    for (const size_t fail_at : {7, 26, 43}) {
      EXPECT_EQ(run_with_failure(build, fail_at, fail_at, parallelism).size(), 60u) << fail_at << " of " << parallelism;
    }
  }
}

}  // namespace
}  // namespace yeoul
