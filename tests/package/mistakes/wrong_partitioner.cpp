#include "yeoul/connectors/kafka/kafka_sink.h"

int main() {
  yeoul::KafkaRecordSerializationSchema<std::string>::builder().set_partitioner([](int64_t n) { return n; });
}
// expected: Yeoul: set_partitioner() needs FlinkFixedPartitioner(), or a class or function
