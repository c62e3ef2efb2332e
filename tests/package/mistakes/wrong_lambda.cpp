#include "yeoul/datastream/datastream.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  // expected: map() needs a function that takes one record
  env.from_sequence(1, 10).map([](const std::string& text) { return text.size(); });
}
