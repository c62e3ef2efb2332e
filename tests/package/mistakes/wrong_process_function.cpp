#include "yeoul/datastream/datastream.h"

class Counts : public yeoul::KeyedProcessFunction<std::string, int64_t, int64_t> {
 public:
  void process_element(const int64_t& value, Context&, yeoul::Collector<int64_t>& out) override { out.collect(value); }
};

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  // expected: process() on a keyed stream needs an object of a class that derives from KeyedProcessFunction<K, In, Out>
  env.from_sequence(1, 10).key_by([](int64_t n) { return n % 3; }).process(Counts());
}
