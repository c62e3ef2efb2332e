#include "yeoul/connectors/kafka/kafka_source.h"

#include <cstdlib>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/connectors/kafka/kafka_enumerator.h"
#include "yeoul/connectors/kafka/kafka_source_reader.h"

namespace yeoul {

std::function<std::string()> RackIdSupplier::from_env(std::string name) {
  return [name = std::move(name)] {
    const char* rack = std::getenv(name.c_str());
    if (rack == nullptr) {
      throw user_error(2012, "KafkaSource: the environment variable '{}' that is to name the rack is not set", name);
    }
    return std::string(rack);
  };
}

void tell_of_null_values(size_t count) {
  if (count == 0) return;
  log(LogLevel::kWarn, "kafka",
      "KafkaSource: {} records without a value were passed over; a deserializer that takes a "
      "std::optional<std::string_view> sees them",
      count);
}

std::unique_ptr<SplitEnumerator> create_kafka_enumerator(SplitEnumeratorContext& context,
                                                         std::shared_ptr<const KafkaSourceConfig> config,
                                                         const std::optional<std::string>& restored) {
  return std::make_unique<KafkaSourceEnumerator>(context, std::move(config), restored);
}

std::unique_ptr<SourceReader> create_kafka_reader(SourceReaderContext context,
                                                  std::shared_ptr<const KafkaSourceConfig> config,
                                                  std::shared_ptr<const KafkaDecoderFactory> decoders) {
  return std::make_unique<KafkaSourceReader>(std::move(context), std::move(config), std::move(decoders));
}

}  // namespace yeoul
