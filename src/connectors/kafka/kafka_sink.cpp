#include "yeoul/connectors/kafka/kafka_sink.h"

#include "yeoul/common/error.h"
#include "yeoul/connectors/kafka/kafka_sink_writer.h"
#include "yeoul/kafka/client/topic_names.h"

namespace yeoul {

void throw_missing_in_sink(std::string_view what, std::string_view setter) {
  throw user_error(2012, "KafkaSink: {} missing: call {} before build()", what, setter);
}

void throw_twice_in_sink(std::string_view what, std::string_view setter, std::string_view other) {
  throw user_error(2014, "KafkaSink: {} is set twice, by {} and by {}: use one", what, setter, other);
}

void check_sink_topic(std::string_view name) {
  check_topic_name("KafkaSink: set_topic()", name);
}

std::shared_ptr<const KafkaSinkConfig> KafkaSinkSettings::build() const {
  if (!properties.contains("bootstrap.servers")) {
    throw_missing_in_sink("bootstrap servers are", "set_bootstrap_servers()");
  }
  if (encoders == nullptr) throw_missing_in_sink("a record serializer is", "set_record_serializer()");
  if (guarantee == DeliveryGuarantee::kExactlyOnce) {
    if (transactional_id_prefix.empty()) {
      throw_missing_in_sink("a prefix for transactional ids is", "set_transactional_id_prefix()");
    }
    throw user_error(2013, "KafkaSink: DeliveryGuarantee::kExactlyOnce is not supported yet; use kAtLeastOnce");
  }
  auto config = std::make_shared<KafkaSinkConfig>();
  config->connector = "kafka";
  config->properties = properties;
  config->topics = topics;
  config->partitioner = partitioner;
  config->flush_at_checkpoint = config->relies_on_checkpoints = guarantee != DeliveryGuarantee::kNone;
  check_sink_properties(*config);
  return config;
}

std::unique_ptr<SinkWriter> create_kafka_writer(SinkWriterContext context,
                                                std::shared_ptr<const KafkaSinkConfig> config,
                                                const KafkaEncoderFactory& encoders) {
  std::unique_ptr<KafkaEncoder> encoder = encoders.create(context.subtask, context.parallelism);
  return std::make_unique<KafkaSinkWriter>(std::move(context), std::move(config), std::move(encoder));
}

}  // namespace yeoul
