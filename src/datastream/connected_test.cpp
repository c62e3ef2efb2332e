#include <gtest/gtest.h>

#include "yeoul/datastream/broadcast_operator.h"
#include "yeoul/datastream/stream_kit_test.h"
#include "yeoul/testing/operator_harness.h"

namespace yeoul {
namespace {

class Label : public CoMapFunction<int64_t, std::string, std::string> {
 public:
  std::string map1(const int64_t& value) override { return "number " + std::to_string(value); }
  std::string map2(const std::string& value) override { return "text " + value; }
};

class Twice : public CoFlatMapFunction<int64_t, std::string, std::string> {
 public:
  void flat_map1(const int64_t& value, Collector<std::string>& out) override {
    for (int i = 0; i < 2; ++i) out.collect(std::to_string(value));
  }
  void flat_map2(const std::string&, Collector<std::string>&) override {}
};

TEST(Connected, MapsBothSides) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto numbers = env.from_collection<int64_t>({1, 2});
  const auto texts = env.from_collection<std::string>({"x"});
  EXPECT_EQ(sorted(collected_lines(numbers.connect(texts).map(Label()))), (Lines{"number 1", "number 2", "text x"}));
  EXPECT_EQ(sorted(collected_lines(numbers.connect(texts).flat_map(Twice()))), (Lines{"1", "1", "2", "2"}));
}

TEST(Connected, StreamsOfTwoEnvironmentsAreRefused) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  auto other = StreamExecutionEnvironment::get_execution_environment();
  const auto ours = env.from_collection<int64_t>({1}).name("ours");
  const auto theirs = other.from_collection<int64_t>({2}).name("theirs");
  const auto by_value = [](int64_t n) { return n; };
  const MapStateDescriptor<int64_t, int64_t> map{"map"};
  const auto refused = [](const std::string& call, const std::function<void()>& join) {
    try {
      join();
      ADD_FAILURE() << call;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), 7129);
      EXPECT_EQ(error.message().find(call + ": stream 'ours' and stream 'theirs' belong to two"), 0u) << error.what();
    }
  };
  refused("union_()", [&] { ours.union_(ours, theirs); });
  refused("connect()", [&] { ours.connect(theirs); });
  refused("connect()", [&] { ours.key_by(by_value).connect(theirs.key_by(by_value)); });
  refused("connect()", [&] { ours.connect(theirs.broadcast(map)); });
  refused("connect()", [&] { ours.key_by(by_value).connect(theirs.broadcast(map)); });
}

/// Emits a key once both sides have brought it, with what they brought; forgets it then.
class Meets : public KeyedCoProcessFunction<std::string, Event, Event, std::string> {
 public:
  void open(RuntimeContext& context) override {
    first_ = context.get_state(ValueStateDescriptor<int64_t>{"first"});
    second_ = context.get_state(ValueStateDescriptor<int64_t>{"second"});
  }
  void process_element1(const Event& event, Context& context, Collector<std::string>& out) override {
    first_.update(event.value);
    meet(context, out);
  }
  void process_element2(const Event& event, Context& context, Collector<std::string>& out) override {
    second_.update(event.value);
    meet(context, out);
  }

 private:
  void meet(Context& context, Collector<std::string>& out) {
    if (!first_.value() || !second_.value()) return;
    out.collect(fmt::format("{} {} {}", context.get_current_key(), *first_.value(), *second_.value()));
    first_.clear(), second_.clear();
  }
  ValueState<int64_t> first_;
  ValueState<int64_t> second_;
};

TEST(Connected, KeyedSidesShareState) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  const auto orders = env.from_collection<Event>({{"a", 1}, {"b", 2}, {"c", 3}});
  const auto payments = env.from_collection<Event>({{"c", 30}, {"a", 10}});
  EXPECT_EQ(sorted(collected_lines(orders.key_by(key_of).connect(payments.key_by(key_of)).process(Meets()))),
            (Lines{"a 1 10", "c 3 30"}));
  EXPECT_EQ(sorted(collected_lines(orders.connect(payments).key_by(key_of, key_of).process(Meets()))),
            (Lines{"a 1 10", "c 3 30"}));
}

/// The same as Meets without context: the rides and fares of Flink's training.
class Joins : public CoFlatMapFunction<Event, Event, std::string> {
 public:
  void open(RuntimeContext& context) override {
    ride_ = context.get_state(ValueStateDescriptor<Event>{"ride"});
    fare_ = context.get_state(ValueStateDescriptor<Event>{"fare"});
  }
  void flat_map1(const Event& ride, Collector<std::string>& out) override { meet(ride, ride_, fare_, out); }
  void flat_map2(const Event& fare, Collector<std::string>& out) override { meet(fare, fare_, ride_, out); }

 private:
  static void meet(const Event& event, ValueState<Event>& own, ValueState<Event>& other, Collector<std::string>& out) {
    if (!other.value()) return own.update(event);
    out.collect(fmt::format("{} {}", event.key, event.value + other.value()->value));
    other.clear();
  }
  ValueState<Event> ride_;
  ValueState<Event> fare_;
};

/// How many records of both sides a key has had.
class CountsBoth : public CoMapFunction<Event, Event, std::string> {
 public:
  void open(RuntimeContext& context) override { count_ = context.get_state(ValueStateDescriptor<int64_t>{"count"}); }
  std::string map1(const Event& event) override { return count(event); }
  std::string map2(const Event& event) override { return count(event); }

 private:
  std::string count(const Event& event) {
    count_.update(count_.value().value_or(0) + 1);
    return fmt::format("{} {}", event.key, *count_.value());
  }
  ValueState<int64_t> count_;
};

TEST(Connected, KeyedMapAndFlatMapKeepState) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  const auto rides = env.from_collection<Event>({{"a", 1}, {"b", 2}, {"c", 3}}).key_by(key_of);
  const auto fares = env.from_collection<Event>({{"c", 30}, {"a", 10}, {"d", 40}}).key_by(key_of);
  EXPECT_EQ(sorted(collected_lines(rides.connect(fares).flat_map(Joins()))), (Lines{"a 11", "c 33"}));
  EXPECT_EQ(sorted(collected_lines(rides.connect(fares).map(CountsBoth()))),
            (Lines{"a 1", "a 2", "b 1", "c 1", "c 2", "d 1"}));
}

const MapStateDescriptor<std::string, int64_t> kFactors{"factors"};

/// Values times the factor of their key, which the broadcast side sets; counts per key.
class Multiply : public KeyedBroadcastProcessFunction<std::string, Event, Event, std::string> {
 public:
  void open(RuntimeContext& context) override { count_ = context.get_state(ValueStateDescriptor<int64_t>{"count"}); }
  void process_element(const Event& event, ReadOnlyContext& context, Collector<std::string>& out) override {
    count_.update(count_.value().value_or(0) + 1);
    const int64_t factor = context.get_broadcast_state(kFactors).get(event.key).value_or(0);
    out.collect(fmt::format("{} {} {}", context.get_current_key(), *count_.value(), event.value * factor));
  }
  void process_broadcast_element(const Event& event, Context& context, Collector<std::string>&) override {
    context.get_broadcast_state(kFactors).put(event.key, event.value);
  }

 private:
  ValueState<int64_t> count_;
};

BatchPtr batch_of(std::vector<Event> values) {
  auto batch = std::make_shared<Batch<Event>>();
  batch->values = std::move(values);
  return batch;
}

Lines lines_of(OperatorHarness& harness) {
  Lines lines;
  for (const BatchPtr& batch : harness.take_batches()) {
    for (std::string& line : text_lines<std::string>(*batch)) lines.push_back(std::move(line));
  }
  return lines;
}

TEST(Broadcast, StateIsRestoredAtOtherParallelism) {
  const HashMapBackendFactory backend;
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto stream = env.from_collection<Event>({{"a"}});
  stream.key_by(key_of).connect(stream.broadcast(kFactors)).process(Multiply());
  const auto factory = env.get_stream_graph().nodes().back().operator_factory;
  OperatorHarness before(factory, {.state_backend = &backend});
  before.process(1, batch_of({{"a", 10}, {"b", 100}}));
  before.process(0, batch_of({{"a", 1}, {"b", 1}, {"a", 2}, {"c", 1}}));
  EXPECT_EQ(lines_of(before), (Lines{"a 1 10", "b 1 100", "a 2 20", "c 1 0"}));
  const HarnessSnapshot snapshot = before.snapshot();

  Lines lines;
  for (int subtask = 0; subtask < 2; ++subtask) {
    OperatorHarness after(factory, snapshot, {.subtask = subtask, .parallelism = 2, .state_backend = &backend});
    for (const char* key : {"a", "b"}) {
      const int group = key_group_of(std::string("\1") + key, 128);
      if (subtask_of_group(group, 128, 2) == subtask) after.process(0, batch_of({{key, 3}}));
    }
    for (std::string& line : lines_of(after)) lines.push_back(std::move(line));
  }
  EXPECT_EQ(sorted(lines), (Lines{"a 3 30", "b 2 300"}));
}

/// Values times the factor of their key, without keys.
class MultiplyAny : public BroadcastProcessFunction<Event, Event, std::string> {
 public:
  void process_element(const Event& event, ReadOnlyContext& context, Collector<std::string>& out) override {
    const int64_t factor = context.get_broadcast_state(kFactors).get("k").value_or(0);
    out.collect(fmt::format("{} {}", event.key, event.value * factor));
  }
  void process_broadcast_element(const Event& event, Context& context, Collector<std::string>&) override {
    context.get_broadcast_state(kFactors).put(event.key, event.value);
  }
};

std::shared_ptr<const OperatorFactory> multiply_any() {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto stream = env.from_collection<Event>({{"a"}});
  stream.connect(stream.broadcast(kFactors)).process(MultiplyAny());
  return env.get_stream_graph().nodes().back().operator_factory;
}

/// What each of so many subtasks makes of a value 1.
Lines restored_factors(const HarnessSnapshot& snapshot, int parallelism) {
  Lines lines;
  for (int subtask = 0; subtask < parallelism; ++subtask) {
    OperatorHarness after(multiply_any(), snapshot, {.subtask = subtask, .parallelism = parallelism});
    after.process(0, batch_of({{"a", 1}}));
    for (std::string& line : lines_of(after)) lines.push_back(std::move(line));
  }
  return lines;
}

TEST(Broadcast, StateOutlivesTheEndOfAnySubtask) {
  OperatorHarness first(multiply_any(), {.subtask = 0, .parallelism = 2});
  OperatorHarness second(multiply_any(), {.subtask = 1, .parallelism = 2});
  for (OperatorHarness* subtask : {&first, &second}) subtask->process(1, batch_of({{"k", 10}}));
  const HarnessSnapshot snapshot = OperatorHarness::snapshot({&first, &second});
  for (const size_t ended : {0, 1}) {
    HarnessSnapshot after_end = snapshot;
    after_end.checkpoint.nodes[0].subtasks[ended] = {.finished = true};
    for (const int parallelism : {1, 2, 3}) {
      EXPECT_EQ(restored_factors(after_end, parallelism), Lines(static_cast<size_t>(parallelism), "a 10"))
          << ended << " of " << parallelism;
    }
  }
}

TEST(Broadcast, StateOfCheckpointsOfFormatTwoIsRestored) {
  OperatorHarness before(multiply_any());
  before.process(1, batch_of({{"k", 10}}));
  HarnessSnapshot snapshot = before.snapshot();
  OperatorState& state = snapshot.checkpoint.nodes[0].subtasks[0].operator_state;
  state = {.union_lists = {{"broadcast/factors", state.broadcast_lists.at("factors")}}};
  EXPECT_EQ(restored_factors(snapshot, 2), (Lines{"a 10", "a 10"}));
}

TEST(Broadcast, AJobRestartsWhenTheFirstSubtaskHasEnded) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  const auto rules = env.from_collection<Event>({{"k", 10}});
  const auto values = std::make_shared<TestSource>(
      std::vector<BatchPtr>{batch_of({{"a", 1}}), batch_of({{"b", 1}, {"b", 2}, {"b", 3}, {"b", 4}})},
      splitter_of<Event>());
  values->set_limit(0);
  values->fail_once_at(1, 3);
  SteppedStream run(env.from_source<Event>(values, WatermarkStrategy::no_watermarks(), "values")
                        .connect(rules.broadcast(kFactors))
                        .process(MultiplyAny()));
  run.config().checkpoint_interval_ms = 20;
  run.config().restart.type = RestartSettings::Type::kFixedDelay;
  run.config().restart.attempts = 1;
  run.config().restart.delay_ms = 5;
  run.start();
  for (const size_t limit : {0, 1, 2, 3, 4}) {
    values->set_limit(limit);
    run.job().run_for(200, 5);
  }
  EXPECT_EQ(run.job().run_for(5000), JobStatus::kFinished) << run.job().failure_text();
  EXPECT_EQ(run.job().job().progress().restarts, 1);
  EXPECT_EQ(sorted(run.sink().lines()), (Lines{"a 10", "b 10", "b 20", "b 30", "b 40"}));
}

}  // namespace
}  // namespace yeoul
