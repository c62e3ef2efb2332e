#pragma once

#include <memory>

#include "yeoul/connectors/api/source.h"
#include "yeoul/connectors/kafka/kafka_source_config.h"
#include "yeoul/connectors/kafka/record_decoder.h"

namespace yeoul {

/// Rows from Kafka topics.
class KafkaRowSource : public Source {
 public:
  KafkaRowSource(std::shared_ptr<const KafkaSourceConfig> config, std::shared_ptr<const DecodingPlan> plan)
      : config_(std::move(config)), plan_(std::move(plan)) {}

  bool bounded() const override { return config_->is_bounded(); }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override;
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override;
  std::string client_id_prefix() const override { return config_->client_id_prefix; }

 private:
  std::shared_ptr<const KafkaSourceConfig> config_;
  std::shared_ptr<const DecodingPlan> plan_;
};

}  // namespace yeoul
