#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/datastream/datastream.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  const auto sink = yeoul::KafkaSink<std::string>::builder().set_bootstrap_servers("localhost:9092");
  // expected: Yeoul: sink_to() takes a std::shared_ptr to a sink: call build() on its builder
  env.from_elements<std::string>("a", "b").sink_to(sink);
}
