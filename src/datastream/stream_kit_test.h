#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/datastream/datastream.h"
#include "yeoul/state/hashmap/hashmap_backend.h"
#include "yeoul/testing/stepped_job.h"
#include "yeoul/testing/test_sink.h"
#include "yeoul/testing/test_source.h"

namespace yeoul {

/// A record of the tests: a key, a number, and when.
struct Event {
  std::string key;
  int64_t value = 0;
  int64_t at = 0;
  bool operator==(const Event&) const = default;
  static constexpr auto fields() {
    return describe("Event", 1, field("key", &Event::key), field("value", &Event::value), field("at", &Event::at));
  }
};

std::string key_of(const Event& event);

/// A watermark behind each record that raises it, so that runs on threads can be foretold.
class AtOnce : public WatermarkGenerator<Event> {
 public:
  void on_event(const Event&, int64_t timestamp, WatermarkOutput& output) override {
    output.emit_watermark(timestamp - 1);
  }
  void on_periodic_emit(WatermarkOutput&) override {}
};

inline auto at_once() {
  return WatermarkStrategy::for_generator([] { return AtOnce(); }).with_timestamp_assigner([](const Event& event) {
    return event.at;
  });
}

template <class T>
std::vector<std::string> text_lines(const BatchBase& batch) {
  std::string text;
  print_batch<T>(batch, "", text);
  std::vector<std::string> lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

using Lines = std::vector<std::string>;

/// What a stream gives, in order of arrival.
Lines collected_lines(const DataStream<std::string>& stream);
/// The same as lines of text.
Lines collected_lines(const DataStream<Event>& stream);
/// A stream of these, with a watermark behind each record that raises it.
DataStream<Event> events(std::vector<Event> values, int64_t batch_records_max = 1024);
Event plus(const Event& a, const Event& b);

/// Shows a window as "key [start,end) values".
class Shows : public ProcessWindowFunction<Event, std::string, std::string, TimeWindow> {
 public:
  void process(const std::string& key, Context& context, const std::vector<Event>& elements,
               Collector<std::string>& out) override;
};

/// The mean of the values, as text.
class Mean : public AggregateFunction<Event, std::pair<int64_t, int64_t>, std::string> {
 public:
  std::pair<int64_t, int64_t> create_accumulator() const override { return {0, 0}; }
  void add(const Event& event, std::pair<int64_t, int64_t>& sum) const override;
  std::string get_result(const std::pair<int64_t, int64_t>& sum) const override;
  void merge(std::pair<int64_t, int64_t>& into, const std::pair<int64_t, int64_t>& from) const override;
};

/// Runs a job over 120 records in two splits, with so many subtasks, that fails at the given record of one split (0:
/// never) and restarts from the last of many checkpoints; its results, sorted.
Lines run_with_failure(const std::function<DataStream<std::string>(const DataStream<Event>&)>& build, size_t fail_at,
                       uint64_t seed, int parallelism);

inline std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Runs the job of a stream by steps under a fake clock, its results exactly once in a sink.
class SteppedStream {
 public:
  /// @param files  where checkpoints lie; null: its own
  explicit SteppedStream(const DataStream<std::string>& stream, FakeFileSystem* files = nullptr);

  void start(uint64_t seed = 1);
  JobConfig& config() { return state_->config; }
  SteppedJob& job() { return *job_; }
  TestSink& sink() { return *sink_; }

 private:
  HashMapBackendFactory backend_;
  FakeClock clock_;
  FakeFileSystem own_files_;
  FakeFileSystem& files_;
  std::shared_ptr<TestSink> sink_;
  std::shared_ptr<EnvironmentState> state_;
  StreamGraph graph_;
  std::unique_ptr<SteppedJob> job_;
};

/// A source of these records that a test steers; it does not end.
std::shared_ptr<TestSource> endless_source(std::vector<Event> values);

/// Numbers the records of a key.
class RecordCounts : public MapFunction<Event, std::string> {
 public:
  void open(RuntimeContext& context) override { count_ = context.get_state(ValueStateDescriptor<int64_t>{"count"}); }
  std::string map(const Event& event) override {
    count_.update(count_.value().value_or(0) + 1);
    return fmt::format("{}{}", event.key, *count_.value());
  }

 private:
  ValueState<int64_t> count_;
};

}  // namespace yeoul
