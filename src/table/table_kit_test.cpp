#include "yeoul/table/table_kit_test.h"

namespace yeoul {
namespace {

class AtOnce : public WatermarkGenerator<PageView> {
 public:
  void on_event(const PageView&, int64_t timestamp, WatermarkOutput& output) override {
    output.emit_watermark(timestamp - 1);
  }
  void on_periodic_emit(WatermarkOutput&) override {}
};

StreamExecutionEnvironment environment_with(int parallelism) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(parallelism);
  return env;
}

}  // namespace

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return fmt::format("{} {}", error.code(), error.message());
  }
  return "";
}

std::vector<PageView> page_views(int64_t count) {
  std::vector<PageView> views;
  for (int64_t i = 0; i < count; ++i) {
    views.push_back({fmt::format("user{}", i * 7 % 13), fmt::format("region{}", i * 5 % 3), i * 10});
  }
  return views;
}

DataStream<PageView> with_event_time(const DataStream<PageView>& views) {
  return views.assign_timestamps_and_watermarks(
      WatermarkStrategy::for_generator([] { return AtOnce(); }).with_timestamp_assigner([](const PageView& view) {
        return view.at;
      }));
}

Program::Program(int parallelism) : env(environment_with(parallelism)), tables(StreamTableEnvironment::create(env)) {}

}  // namespace yeoul
