#include "yeoul/datastream/datastream.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  const auto keyed = env.from_sequence(1, 10).key_by([](int64_t n) { return n % 3; });
  // expected: Yeoul: a window's process function is an object of a class that derives from ProcessWindowFunction
  keyed.count_window(2).process([](const std::vector<int64_t>& elements) { return elements.size(); });
}
