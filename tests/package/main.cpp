#include <cstdio>

#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  int64_t sum = 0;
  for (const int64_t n : env.from_sequence(1, 10).map([](int64_t n) { return n * n; }).execute_and_collect()) sum += n;
  bool refused = false;
  try {
    yeoul::KafkaSource<std::string>::builder().build();
  } catch (const yeoul::Error&) {
    refused = true;
  }
  std::printf("%lld %s\n", static_cast<long long>(sum), refused ? "refused" : "built");
}
