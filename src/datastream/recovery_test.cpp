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

TEST(Recovery, AChangedProgramFindsStateByUid) {
  FakeFileSystem files;
  const auto read = [](const std::shared_ptr<TestSource>& source) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    env.config().checkpoint_interval_ms = 10;
    return env.from_source<Event>(source, WatermarkStrategy::no_watermarks(), "events").uid("source");
  };
  {
    SteppedStream before(read(endless_source({{"a"}, {"b"}, {"a"}})).key_by(key_of).map(RecordCounts()).uid("counts"),
                         &files);
    before.start();
    before.job().run_for(50);
    EXPECT_EQ(before.sink().lines(), (Lines{"a1", "b1", "a2"}));
  }
  // Another operator before it and one behind, another name, and two more records.
  const auto stream = read(endless_source({{"a"}, {"b"}, {"a"}, {"b"}, {"a"}}))
                          .filter([](const Event&) { return true; })
                          .key_by(key_of)
                          .map(RecordCounts())
                          .name("number the records")
                          .uid("counts")
                          .map([](const std::string& text) { return "again " + text; });
  SteppedStream after(stream, &files);
  after.config().restore_path =
      *find_latest_checkpoint(files, after.config().checkpoint_directory, after.config().name);
  after.config().job_id = "4567";
  after.start();
  after.job().run_for(50);
  EXPECT_EQ(after.sink().lines(), (Lines{"again b2", "again a3"}));
}

std::vector<std::string> uids_of(StreamExecutionEnvironment& env) {
  std::vector<std::string> uids;
  const StreamGraph graph = env.get_stream_graph();
  for (const StreamNode& node : graph.nodes()) uids.push_back(node.uid);
  return uids;
}

TEST(Recovery, AutomaticUidsAreOfStructureNotOfNames) {
  const auto build = [](const std::string& name, bool filtered, const std::string& source_uid) {
    auto env = StreamExecutionEnvironment::get_execution_environment();
    auto source = env.from_collection<Event>({{"a"}});
    if (!source_uid.empty()) source.uid(source_uid);
    const auto events = filtered ? source.filter([](const Event&) { return true; }) : source;
    for (int i = 0; i < 2; ++i) {
      auto counts = events.key_by(key_of).map(RecordCounts());
      if (!name.empty()) counts.name(name);
      counts.print();
    }
    return uids_of(env);
  };
  const std::vector<std::string> plain = build("", false, "");
  EXPECT_EQ(build("counts", false, ""), plain);
  EXPECT_EQ(std::set<std::string>(plain.begin(), plain.end()).size(), 5u);
  EXPECT_NE(build("", true, "").back(), plain.back());
  EXPECT_NE(build("", false, "events").back(), plain.back());
}

TEST(Recovery, OperatorsWithStateAndWithoutUidAreKnown) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.from_collection<Event>({{"a"}}).key_by(key_of).map(RecordCounts()).name("counts").print();
  EXPECT_EQ(env.shared_state()->plan.stateful_without_uid(), (Lines{"Source: Collection Source", "counts"}));
}

}  // namespace
}  // namespace yeoul
