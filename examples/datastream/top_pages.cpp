// The two most visited pages of every minute.
//
// What it shows: windows that count as records come and keep one number each, a process window function that adds what
// only the window knows, and a second window over the results of the first.

#include <algorithm>

#include "yeoul/datastream/datastream.h"

namespace {

struct View {
  std::string page;
  int64_t at = 0;  // seconds

  static constexpr auto fields() {
    return yeoul::describe("View", 1, yeoul::field("page", &View::page), yeoul::field("at", &View::at));
  }
};

struct PageCount {
  std::string page;
  int64_t count = 0;
  int64_t window_end = 0;

  static constexpr auto fields() {
    return yeoul::describe("PageCount", 1, yeoul::field("page", &PageCount::page),
                           yeoul::field("count", &PageCount::count),
                           yeoul::field("window_end", &PageCount::window_end));
  }
};

// In, accumulator, out. The window's state is the accumulator alone, however many views there are.
class CountViews : public yeoul::AggregateFunction<View, int64_t, int64_t> {
 public:
  int64_t create_accumulator() const override { return 0; }
  void add(const View&, int64_t& count) const override { ++count; }
  int64_t get_result(const int64_t& count) const override { return count; }
  void merge(int64_t& into, const int64_t& from) const override { into += from; }
};

// Gets the one count of its window, and knows the window and the key.
class NameCount : public yeoul::ProcessWindowFunction<int64_t, PageCount, std::string, yeoul::TimeWindow> {
 public:
  void process(const std::string& page, Context& context, const std::vector<int64_t>& counts,
               yeoul::Collector<PageCount>& out) override {
    out.collect({page, counts.front(), context.window().end});
  }
};

// Gets the counts of all pages of one minute. A window's results carry the time of its last millisecond, so a window of
// the same size puts them together.
class TopTwo : public yeoul::ProcessAllWindowFunction<PageCount, std::string, yeoul::TimeWindow> {
 public:
  void process(Context& context, const std::vector<PageCount>& counts, yeoul::Collector<std::string>& out) override {
    std::vector<PageCount> ranked = counts;
    std::sort(ranked.begin(), ranked.end(), [](const PageCount& a, const PageCount& b) {
      return std::tie(b.count, a.page) < std::tie(a.count, b.page);
    });
    ranked.resize(std::min<size_t>(ranked.size(), 2));
    std::string text = fmt::format("minute {}:", context.window().start / 60'000);
    for (const PageCount& count : ranked) text += fmt::format(" {} ({})", count.page, count.count);
    out.collect(text);
  }
};

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  env.set_parallelism(2);
  const auto minute = yeoul::TumblingEventTimeWindows::of(yeoul::Duration::of_minutes(1));

  env.from_collection<View>({{"/home", 1},
                             {"/news", 5},
                             {"/home", 20},
                             {"/help", 30},
                             {"/news", 59},
                             {"/home", 40},
                             {"/help", 61},
                             {"/help", 70},
                             {"/news", 80},
                             {"/home", 200}})
      .assign_timestamps_and_watermarks(
          yeoul::WatermarkStrategy::for_bounded_out_of_orderness(yeoul::Duration::of_seconds(30))
              .with_timestamp_assigner([](const View& view) { return view.at * 1000; }))
      .key_by([](const View& view) { return view.page; })
      .window(minute)
      .aggregate(CountViews(), NameCount())
      // window_all() takes records of all keys, in one subtask: affordable, as there is one record per page and minute.
      .window_all(minute)
      .process(TopTwo())
      .print()
      .set_parallelism(1);

  env.execute("top pages");
}
