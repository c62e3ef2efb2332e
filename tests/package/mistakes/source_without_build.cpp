#include "yeoul/connectors/kafka/kafka_source.h"
#include "yeoul/datastream/datastream.h"

int main() {
  auto env = yeoul::StreamExecutionEnvironment::get_execution_environment();
  const auto source = yeoul::KafkaSource<std::string>::builder().set_topics("a");
  // expected: Yeoul: from_source() takes a std::shared_ptr to a source: call build() on its builder
  env.from_source(source, yeoul::WatermarkStrategy::no_watermarks(), "a");
}
