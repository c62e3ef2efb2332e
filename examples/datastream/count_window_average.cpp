// The mean of every two values of a key.
//
// What it shows: a function of a keyed stream that keeps state. It is Flink's own example of working with state.

#include "yeoul/datastream/datastream.h"

namespace {

using Number = std::pair<int64_t, int64_t>;  // key and value

class CountWindowAverage : public yeoul::FlatMapFunction<Number, Number> {
 public:
  void open(yeoul::RuntimeContext& context) override {
    sum_ = context.get_state(yeoul::ValueStateDescriptor<Number>{"average"});
  }

  // The state is that of the record's key.
  void flat_map(const Number& input, yeoul::Collector<Number>& out) override {
    // value() is empty where the key has none yet, as std::optional is.
    Number sum = sum_.value().value_or(Number(0, 0));  // how many, and their sum
    sum.first += 1;
    sum.second += input.second;
    if (sum.first < 2) {
      sum_.update(sum);
      return;
    }
    out.collect({input.first, sum.second / sum.first});
    sum_.clear();
  }

 private:
  yeoul::ValueState<Number> sum_;
};

}  // namespace

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  env.from_collection<Number>({{1, 3}, {1, 5}, {1, 7}, {1, 4}, {1, 2}})
      .key_by([](const Number& number) { return number.first; })
      .flat_map(CountWindowAverage())
      .uid("average")
      .print();
  env.execute("averages");
}
