#pragma once

#include <algorithm>
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

inline std::string key_of(const Event& event) {
  return event.key;
}

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

/// What a stream gives as lines of text, in order of arrival.
template <class T>
std::vector<std::string> collected_lines(const DataStream<T>& stream) {
  Batch<T> batch;
  batch.values = stream.execute_and_collect().to_vector();
  return text_lines<T>(batch);
}

inline std::vector<std::string> sorted(std::vector<std::string> lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// Runs the job of a stream by steps under a fake clock, its results exactly once in `sink`.
class SteppedStream {
 public:
  template <class T>
  explicit SteppedStream(const DataStream<T>& stream)
      : sink_(std::make_shared<TestSink>(text_lines<T>, true)), state_(stream.shared_state()) {
    add_stream_sink(state_, "Test", sink_, stream.inputs()).uid("sink");
    graph_ = state_->plan.take_graph(false);
    state_->config.job_id = "0123";
  }

  void start(uint64_t seed = 1) {
    job_ = std::make_unique<SteppedJob>(graph_, state_->config, clock_, files_, &backend_, seed);
  }
  JobConfig& config() { return state_->config; }
  SteppedJob& job() { return *job_; }
  TestSink& sink() { return *sink_; }
  FakeClock& clock() { return clock_; }

 private:
  HashMapBackendFactory backend_;
  FakeClock clock_;
  FakeFileSystem files_;
  std::shared_ptr<TestSink> sink_;
  std::shared_ptr<EnvironmentState> state_;
  StreamGraph graph_;
  std::unique_ptr<SteppedJob> job_;
};

using Lines = std::vector<std::string>;

}  // namespace yeoul
