#include "yeoul/datastream/stream_kit_test.h"

#include <gtest/gtest.h>

namespace yeoul {

std::string key_of(const Event& event) {
  return event.key;
}

Lines collected_lines(const DataStream<std::string>& stream) {
  return stream.execute_and_collect().to_vector();
}

Lines collected_lines(const DataStream<Event>& stream) {
  Batch<Event> batch;
  batch.values = stream.execute_and_collect().to_vector();
  return text_lines<Event>(batch);
}

DataStream<Event> events(std::vector<Event> values, int64_t batch_records_max) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.config().batch_records_max = batch_records_max;
  return env.from_collection(std::move(values)).assign_timestamps_and_watermarks(at_once());
}

Event plus(const Event& a, const Event& b) {
  return {a.key, a.value + b.value, std::max(a.at, b.at)};
}

void Shows::process(const std::string& key, Context& context, const std::vector<Event>& elements,
                    Collector<std::string>& out) {
  std::string text = fmt::format("{} [{},{})", key, context.window().start, context.window().end);
  for (const Event& event : elements) text += fmt::format(" {}", event.value);
  out.collect(text);
}

void Mean::add(const Event& event, std::pair<int64_t, int64_t>& sum) const {
  sum.first += event.value;
  ++sum.second;
}

std::string Mean::get_result(const std::pair<int64_t, int64_t>& sum) const {
  return fmt::format("{}", static_cast<double>(sum.first) / static_cast<double>(sum.second));
}

void Mean::merge(std::pair<int64_t, int64_t>& into, const std::pair<int64_t, int64_t>& from) const {
  into.first += from.first;
  into.second += from.second;
}

SteppedStream::SteppedStream(const DataStream<std::string>& stream, FakeFileSystem* files)
    : files_(files == nullptr ? own_files_ : *files),
      sink_(std::make_shared<TestSink>(text_lines<std::string>, true)),
      state_(stream.shared_state()) {
  add_stream_sink(state_, "Test", sink_, stream.inputs()).uid("sink");
  graph_ = state_->plan.take_graph(false);
  state_->config.job_id = "0123";
}

void SteppedStream::start(uint64_t seed) {
  job_ = std::make_unique<SteppedJob>(graph_, state_->config, clock_, files_, &backend_, seed);
}

std::shared_ptr<TestSource> endless_source(std::vector<Event> values) {
  auto batch = std::make_shared<Batch<Event>>();
  batch->values = std::move(values);
  return std::make_shared<TestSource>(std::vector<BatchPtr>{batch}, splitter_of<Event>(), false);
}

Lines run_with_failure(const std::function<DataStream<std::string>(const DataStream<Event>&)>& build, size_t fail_at,
                       uint64_t seed, int parallelism) {
  constexpr size_t kRecords = 60;
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(parallelism);
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
  run.config().restart.type = RestartSettings::Type::kFixedDelay;
  run.config().restart.attempts = 3;
  run.config().restart.delay_ms = 5;
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

}  // namespace yeoul
