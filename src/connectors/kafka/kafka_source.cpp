#include "yeoul/connectors/kafka/kafka_source.h"

#include "yeoul/connectors/kafka/kafka_enumerator.h"
#include "yeoul/connectors/kafka/kafka_source_reader.h"

namespace yeoul {

std::unique_ptr<SplitEnumerator> KafkaSource::create_enumerator(SplitEnumeratorContext& context,
                                                                const std::optional<std::string>& restored) const {
  return std::make_unique<KafkaSourceEnumerator>(context, config_, restored);
}

std::unique_ptr<SourceReader> KafkaSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<KafkaSourceReader>(std::move(context), config_, plan_);
}

}  // namespace yeoul
