#include "yeoul/datastream/datastream.h"

struct Point {
  int x = 0;
};

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  // expected: Yeoul cannot store this type
  env.from_sequence(1, 10).key_by([](int64_t n) { return Point{static_cast<int>(n)}; }).execute_and_collect();
}
