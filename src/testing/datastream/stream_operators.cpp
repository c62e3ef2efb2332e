#include "yeoul/testing/datastream/stream_operators.h"

#include "yeoul/datastream/datastream.h"
#include "yeoul/testing/sim_record.h"

namespace yeoul {
namespace {

struct Total {
  int64_t count = 0;
  int64_t sum = 0;
  bool operator==(const Total&) const = default;
  static constexpr auto fields() {
    return describe("Total", 1, field("count", &Total::count), field("sum", &Total::sum));
  }
};

/// What a window of a key comes to. `name` tells windows with the same end apart.
SimRecord result(int64_t key, int64_t end, int64_t name, int node, const Total& total) {
  return {key, end - 1, derived_id(derived_id(key, name), node), total.count * 1'000'003 + total.sum};
}

int64_t end_of(const SimRecord& record, int64_t size) {
  return (record.time_ms / size + 1) * size;
}

/// Count and sum of each window, told by a timer at its end.
class Sums : public KeyedProcessFunction<int64_t, SimRecord, SimRecord> {
 public:
  Sums(int node, int64_t size, bool listed) : node_(node), size_(size), listed_(listed) {}

  void open(RuntimeContext& context) override {
    totals_ = context.get_map_state(MapStateDescriptor<int64_t, Total>{"totals"});
    records_ = context.get_list_state(ListStateDescriptor<SimRecord>{"records"});
  }
  void process_element(const SimRecord& record, Context& context, Collector<SimRecord>&) override {
    const int64_t end = end_of(record, size_);
    context.timer_service().register_event_time_timer(end - 1);
    if (listed_) {
      records_.add(record);
    } else {
      const Total total = totals_.get(end).value_or(Total());
      totals_.put(end, {total.count + 1, total.sum + record.value});
    }
  }
  void on_timer(int64_t timestamp, OnTimerContext& context, Collector<SimRecord>& out) override {
    const int64_t end = timestamp + 1;
    const Total total = listed_ ? take_listed(end) : totals_.get(end).value_or(Total());
    totals_.remove(end);
    out.collect(result(context.get_current_key(), end, end, node_, total));
  }

 private:
  Total take_listed(int64_t end) {
    Total total;
    std::vector<SimRecord> left;
    for (const SimRecord& record : records_.get()) {
      if (end_of(record, size_) != end) {
        left.push_back(record);
      } else {
        ++total.count, total.sum += record.value;
      }
    }
    records_.update(left);
    return total;
  }

  int node_;
  int64_t size_;
  bool listed_;
  MapState<int64_t, Total> totals_;
  ListState<SimRecord> records_;
};

class AddsUp : public AggregateFunction<SimRecord, Total, Total> {
 public:
  Total create_accumulator() const override { return {}; }
  void add(const SimRecord& record, Total& total) const override { ++total.count, total.sum += record.value; }
  Total get_result(const Total& total) const override { return total; }
  void merge(Total& into, const Total& from) const override { into.count += from.count, into.sum += from.sum; }
};

class TellsWindow : public ProcessWindowFunction<Total, SimRecord, int64_t, TimeWindow> {
 public:
  explicit TellsWindow(int node) : node_(node) {}
  void process(const int64_t& key, Context& context, const std::vector<Total>& totals,
               Collector<SimRecord>& out) override {
    const TimeWindow& window = context.window();
    out.collect(result(key, window.end, window.start, node_, totals.front()));
  }

 private:
  int node_;
};

const MapStateDescriptor<int64_t, int64_t> kBroadcast{"sums"};

/// Like Sums, and each window also gets what the other side has brought up to its end.
class Enriches : public KeyedBroadcastProcessFunction<int64_t, SimRecord, SimRecord, SimRecord> {
 public:
  Enriches(int node, int64_t size) : node_(node), size_(size) {}

  void open(RuntimeContext& context) override {
    totals_ = context.get_map_state(MapStateDescriptor<int64_t, Total>{"totals"});
  }
  void process_element(const SimRecord& record, ReadOnlyContext& context, Collector<SimRecord>&) override {
    const int64_t end = end_of(record, size_);
    context.timer_service().register_event_time_timer(end - 1);
    const Total total = totals_.get(end).value_or(Total());
    totals_.put(end, {total.count + 1, total.sum + record.value});
  }
  void process_broadcast_element(const SimRecord& record, Context& context, Collector<SimRecord>&) override {
    auto sums = context.get_broadcast_state(kBroadcast);
    const int64_t end = end_of(record, size_);
    sums.put(end, sums.get(end).value_or(0) + record.value);
  }
  void on_timer(int64_t timestamp, OnTimerContext& context, Collector<SimRecord>& out) override {
    const int64_t end = timestamp + 1;
    Total total = totals_.get(end).value_or(Total());
    totals_.remove(end);
    for (const auto& [broadcast_end, sum] : context.get_broadcast_state(kBroadcast).items()) {
      if (broadcast_end <= end) total.sum += sum;
    }
    out.collect(result(context.get_current_key(), end, end, node_, total));
  }

 private:
  int node_;
  int64_t size_;
  MapState<int64_t, Total> totals_;
};

}  // namespace

std::shared_ptr<const OperatorFactory> stream_operator(SimOperator kind, int node, int64_t a, int64_t b) {
  auto env = StreamExecutionEnvironment::get_execution_environment();
  const auto records = env.from_collection(std::vector<SimRecord>(1));
  const auto keyed = records.key_by([](const SimRecord& record) { return record.key; });
  if (kind == SimOperator::kProcess) {
    keyed.process(Sums(node, a, b != 0));
  } else if (kind == SimOperator::kEnrich) {
    keyed.connect(records.broadcast(kBroadcast)).process(Enriches(node, a));
  } else if (b != 0) {
    keyed.window(SlidingEventTimeWindows::of(Duration::of_millis(2 * a), Duration::of_millis(a)))
        .aggregate(AddsUp(), TellsWindow(node));
  } else {
    keyed.window(TumblingEventTimeWindows::of(Duration::of_millis(a))).aggregate(AddsUp(), TellsWindow(node));
  }
  return env.get_stream_graph().nodes().back().operator_factory;
}

}  // namespace yeoul
