#include "yeoul/datastream/datastream.h"

// It takes the value itself instead of a reference, so it is another function than the one that is called.
class Counts : public yeoul::KeyedProcessFunction<int64_t, int64_t, int64_t> {
 public:
  void process_element(int64_t value, Context&, yeoul::Collector<int64_t>& out) { out.collect(value); }
};

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  env.from_sequence(1, 10).key_by([](int64_t n) { return n % 3; }).process(Counts());
}
// expected: abstract class type
