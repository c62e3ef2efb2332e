// Turns the amounts of orders into euros by exchange rates that change as time goes on.
//
// What it shows: broadcast state, which gives every subtask all of a small stream, beside the keyed state of a large
// one; and how event-time timers make the result independent of which stream happens to arrive first.

#include "yeoul/datastream/datastream.h"

namespace {

struct Order {
  std::string id;
  std::string currency;
  double amount = 0;
  int64_t at = 0;

  static constexpr auto fields() {
    return yeoul::describe("Order", 1, yeoul::field("id", &Order::id), yeoul::field("currency", &Order::currency),
                           yeoul::field("amount", &Order::amount), yeoul::field("at", &Order::at));
  }
};

struct Rate {
  std::string currency;
  double euros = 0;
  int64_t at = 0;  // from when on it holds

  static constexpr auto fields() {
    return yeoul::describe("Rate", 1, yeoul::field("currency", &Rate::currency), yeoul::field("euros", &Rate::euros),
                           yeoul::field("at", &Rate::at));
  }
};

// Rates by currency and by the time from which they hold. The descriptor names the map in checkpoints; the streams and
// the function below refer to it by this one object.
using RateKey = std::pair<std::string, int64_t>;
const yeoul::MapStateDescriptor<RateKey, double> kRates{"rates"};

class ToEuros : public yeoul::KeyedBroadcastProcessFunction<std::string, Order, Rate, std::string> {
 public:
  // States of the current key, here of a currency, are taken from the context when the function is opened.
  void open(yeoul::RuntimeContext& context) override {
    waiting_ = context.get_list_state(yeoul::ListStateDescriptor<Order>{"waiting"});
  }

  // An order may come before the rate that holds for it. So it waits until the watermark says that all rates up to its
  // time have arrived: the watermark of an operator with two inputs is the smaller of both.
  void process_element(const Order& order, ReadOnlyContext& context, yeoul::Collector<std::string>&) override {
    waiting_.add(order);
    context.timer_service().register_event_time_timer(order.at);
  }

  // This side gets every rate in every subtask, and is the only one that may change the map.
  void process_broadcast_element(const Rate& rate, Context& context, yeoul::Collector<std::string>&) override {
    context.get_broadcast_state(kRates).put({rate.currency, rate.at}, rate.euros);
  }

  void on_timer(int64_t timestamp, OnTimerContext& context, yeoul::Collector<std::string>& out) override {
    std::vector<Order> later;
    for (const Order& order : waiting_.get()) {
      if (order.at > timestamp) {
        later.push_back(order);
        continue;
      }
      const auto rates = context.get_broadcast_state(kRates).items();
      const std::pair<RateKey, double>* best = nullptr;
      for (const auto& rate : rates) {
        const auto& [currency, from] = rate.first;
        if (currency == order.currency && from <= order.at && (!best || from > best->first.second)) best = &rate;
      }
      out.collect(best ? fmt::format("order {}: {:.2f} EUR", order.id, order.amount * best->second)
                       : fmt::format("order {}: no rate for {}", order.id, order.currency));
    }
    waiting_.update(later);
  }

 private:
  yeoul::ListState<Order> waiting_;
};

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  // Two subtasks: each has all rates, and the orders of some of the currencies.
  env.set_parallelism(2);

  const auto by_time = yeoul::WatermarkStrategy::for_monotonous_timestamps();
  const auto orders =
      env.from_collection<Order>(
             {{"1", "USD", 10, 1000}, {"2", "KRW", 50000, 2000}, {"3", "USD", 10, 6000}, {"4", "XAU", 1, 7000}})
          .assign_timestamps_and_watermarks(
              by_time.with_timestamp_assigner([](const Order& order) { return order.at; }));
  const auto rates =
      env.from_collection<Rate>({{"USD", 0.90, 0}, {"KRW", 0.0006, 0}, {"USD", 0.95, 5000}})
          .assign_timestamps_and_watermarks(by_time.with_timestamp_assigner([](const Rate& rate) { return rate.at; }));

  // Subtasks print with their number in front; one subtask prints plainly.
  orders.key_by([](const Order& order) { return order.currency; })
      .connect(rates.broadcast(kRates))
      .process(ToEuros())
      .print()
      .set_parallelism(1);

  env.execute("orders in euros");
}
