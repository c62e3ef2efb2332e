#include "yeoul/connectors/kafka/kafka_source.h"

#include "yeoul/connectors/kafka/kafka_enumerator.h"
#include "yeoul/connectors/kafka/kafka_source_reader.h"

namespace yeoul {

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
