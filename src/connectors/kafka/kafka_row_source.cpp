#include "yeoul/connectors/kafka/kafka_row_source.h"

#include "yeoul/connectors/kafka/kafka_enumerator.h"
#include "yeoul/connectors/kafka/kafka_source_reader.h"

namespace yeoul {
namespace {

class RowDecoders final : public KafkaDecoderFactory {
 public:
  explicit RowDecoders(std::shared_ptr<const DecodingPlan> plan) : plan_(std::move(plan)) {}
  std::unique_ptr<KafkaDecoder> create(SourceMetrics* metrics) const override {
    return std::make_unique<RecordDecoder>(plan_, metrics);
  }

 private:
  std::shared_ptr<const DecodingPlan> plan_;
};

}  // namespace

std::unique_ptr<SplitEnumerator> KafkaRowSource::create_enumerator(SplitEnumeratorContext& context,
                                                                   const std::optional<std::string>& restored) const {
  return std::make_unique<KafkaSourceEnumerator>(context, config_, restored);
}

std::unique_ptr<SourceReader> KafkaRowSource::create_reader(SourceReaderContext context) const {
  return std::make_unique<KafkaSourceReader>(std::move(context), config_, std::make_shared<RowDecoders>(plan_));
}

}  // namespace yeoul
