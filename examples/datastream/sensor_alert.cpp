// Raises an alert when the temperature of a sensor has only risen for ten seconds, and another when a sensor falls
// silent.
//
// What it shows: a keyed process function, the most general operator: states, timers that are set and taken back, and
// a side output for results of another kind.

#include "yeoul/datastream/datastream.h"

namespace {

struct Reading {
  std::string sensor;
  double celsius = 0;
  int64_t at = 0;  // milliseconds

  static constexpr auto fields() {
    return yeoul::describe("Reading", 1, yeoul::field("sensor", &Reading::sensor),
                           yeoul::field("celsius", &Reading::celsius), yeoul::field("at", &Reading::at));
  }
};

constexpr int64_t kRisingMs = 10'000;
constexpr int64_t kSilentMs = 30'000;

// A side output is named by a tag; the type of its records belongs to the tag.
const yeoul::OutputTag<std::string> kSilent{"silent"};

class WatchSensor : public yeoul::KeyedProcessFunction<std::string, Reading, std::string> {
 public:
  void open(yeoul::RuntimeContext& context) override {
    last_ = context.get_state(yeoul::ValueStateDescriptor<double>{"last"});
    rising_timer_ = context.get_state(yeoul::ValueStateDescriptor<int64_t>{"rising-timer"});
    silent_timer_ = context.get_state(yeoul::ValueStateDescriptor<int64_t>{"silent-timer"});
  }

  void process_element(const Reading& reading, Context& context, yeoul::Collector<std::string>&) override {
    auto& timers = context.timer_service();

    // Every reading puts off the alarm for silence.
    if (silent_timer_.value()) timers.delete_event_time_timer(*silent_timer_.value());
    silent_timer_.update(reading.at + kSilentMs);
    timers.register_event_time_timer(*silent_timer_.value());

    // value() is empty where the key has none yet, as std::optional is.
    const bool rises = last_.value() && reading.celsius > *last_.value();
    if (rises && !rising_timer_.value()) {
      rising_timer_.update(reading.at + kRisingMs);
      timers.register_event_time_timer(*rising_timer_.value());
    } else if (!rises && rising_timer_.value()) {
      timers.delete_event_time_timer(*rising_timer_.value());
      rising_timer_.clear();
    }
    last_.update(reading.celsius);
  }

  // Called with the key for which the timer was set, once the watermark has passed its time.
  void on_timer(int64_t timestamp, OnTimerContext& context, yeoul::Collector<std::string>& out) override {
    if (rising_timer_.value() == timestamp) {
      out.collect(fmt::format("{} has risen for 10 s, to {} degrees", context.get_current_key(), *last_.value()));
      rising_timer_.clear();
    }
    if (silent_timer_.value() == timestamp) {
      context.output(kSilent, fmt::format("{} has been silent for 30 s", context.get_current_key()));
      // A key whose states are all empty takes no memory.
      last_.clear(), silent_timer_.clear();
    }
  }

 private:
  yeoul::ValueState<double> last_;
  yeoul::ValueState<int64_t> rising_timer_;
  yeoul::ValueState<int64_t> silent_timer_;
};

// A watermark generator of our own, for readings that come in order. A watermark W says that no record with a time of W
// or less comes any more; another reading of the same millisecond may, so W is the time of the last reading minus one.
// The built-in strategies send watermarks every 200 ms of wall-clock time instead, which is cheaper but hard to show in
// an example.
class FollowReadings : public yeoul::WatermarkGenerator<Reading> {
 public:
  void on_event(const Reading&, int64_t timestamp, yeoul::WatermarkOutput& output) override {
    output.emit_watermark(timestamp - 1);
  }
  void on_periodic_emit(yeoul::WatermarkOutput&) override {}
};

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  std::vector<Reading> readings;
  for (int64_t second = 0; second <= 60; second += 2) {
    readings.push_back({"boiler", 40.0 + static_cast<double>(second % 18), second * 1000});
    if (second < 12) readings.push_back({"fridge", 4.0 - static_cast<double>(second) / 10, second * 1000 + 500});
  }

  const auto alerts =
      env.from_collection(readings)
          .assign_timestamps_and_watermarks(
              yeoul::WatermarkStrategy::for_generator([] {
                return FollowReadings();
              }).with_timestamp_assigner([](const Reading& reading) { return reading.at; }))
          .key_by([](const Reading& reading) { return reading.sensor; })
          .process(WatchSensor())
          // With a uid the operator finds its state again when a changed program is started from a checkpoint.
          .name("watch sensors")
          .uid("watch-sensors");
  alerts.print("alert");
  alerts.get_side_output(kSilent).print("silent");

  env.execute("sensor alerts");
}
