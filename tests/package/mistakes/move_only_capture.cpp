#include "yeoul/datastream/datastream.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  // expected: this one holds something that can only be moved, such as a std::unique_ptr
  env.from_sequence(1, 10).map([factor = std::make_unique<int64_t>(3)](int64_t n) { return n * *factor; });
}
