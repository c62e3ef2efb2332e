// Groups the clicks of each user into sessions: a session ends when the user has been quiet for half an hour.
//
// What it shows: event time, watermarks, windows that merge, and a function that sees a window as a whole.

#include "yeoul/datastream/datastream.h"

namespace {

struct Click {
  std::string user;
  std::string page;
  int64_t at = 0;  // minutes since midnight; a real program would use milliseconds since 1970

  static constexpr auto fields() {
    return yeoul::describe("Click", 1, yeoul::field("user", &Click::user), yeoul::field("page", &Click::page),
                           yeoul::field("at", &Click::at));
  }
};

constexpr int64_t kMinute = 60'000;

std::string clock_time(int64_t millis) {
  return fmt::format("{:02}:{:02}", millis / kMinute / 60, millis / kMinute % 60);
}

// Gets all clicks of a session at once. Its type says: clicks in, texts out, keyed by a string, in windows of time.
class DescribeSession : public yeoul::ProcessWindowFunction<Click, std::string, std::string, yeoul::TimeWindow> {
 public:
  void process(const std::string& user, Context& context, const std::vector<Click>& clicks,
               yeoul::Collector<std::string>& out) override {
    // A session's window reaches from its first click to half an hour behind its last one.
    out.collect(fmt::format("{} from {} to {}: {} clicks, first on {}", user, clock_time(context.window().start),
                            clock_time(context.window().end), clicks.size(), clicks.front().page));
  }
};

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  const auto clicks = env.from_collection<Click>({{"ana", "/home", 540},
                                                  {"bo", "/home", 545},
                                                  {"ana", "/cart", 552},
                                                  {"bo", "/help", 548},  // late by four minutes, which is allowed
                                                  {"ana", "/pay", 570},
                                                  {"ana", "/home", 700},
                                                  {"bo", "/cart", 702}});

  clicks
      // The records carry their own time, and may be out of order by five minutes: the watermark, which says that
      // nothing older will come, stays that far behind.
      .assign_timestamps_and_watermarks(
          yeoul::WatermarkStrategy::for_bounded_out_of_orderness(yeoul::Duration::of_minutes(5))
              .with_timestamp_assigner([](const Click& click) { return click.at * kMinute; }))
      .key_by([](const Click& click) { return click.user; })
      .window(yeoul::EventTimeSessionWindows::with_gap(yeoul::Duration::of_minutes(30)))
      .process(DescribeSession())
      .print();

  env.execute("sessions");
}
