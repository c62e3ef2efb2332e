#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/kafka_encoder.h"
#include "yeoul/connectors/kafka/kafka_record_serialization_schema.h"
#include "yeoul/connectors/kafka/schema_encoders.h"

namespace yeoul {

/// What becomes of records when a job fails and goes on from a checkpoint.
enum class DeliveryGuarantee { kNone, kAtLeastOnce, kExactlyOnce };

/// What a KafkaSink's builder collects, but for its serializer.
struct KafkaSinkSettings {
  OptionMap properties;
  DeliveryGuarantee guarantee = DeliveryGuarantee::kNone;
  std::string transactional_id_prefix;
  std::vector<std::string> topics;  ///< that are known before records are seen
  SinkPartitioner partitioner = SinkPartitioner::kDefault;
  std::shared_ptr<const KafkaEncoderFactory> encoders;  ///< null: no serializer was given

  /// @throws user error 2012 naming what is missing, 2010…2014 for what is wrong
  std::shared_ptr<const KafkaSinkConfig> build() const;
};

// Made in kafka_sink.cpp, so that programs need not see the writer.
std::unique_ptr<SinkWriter> create_kafka_writer(SinkWriterContext context,
                                                std::shared_ptr<const KafkaSinkConfig> config,
                                                const KafkaEncoderFactory& encoders);

template <class T>
class KafkaSinkBuilder;

/// Writes a stream of T to one or more Kafka topics; made by its builder.
template <class T>
class KafkaSink final : public Sink {
  static_assert(!std::is_same_v<T, Row>,
                "Yeoul: a KafkaSink takes records; map() the rows to some first, or INSERT INTO a Kafka table");

 public:
  using InputType = T;

  static KafkaSinkBuilder<T> builder() { return {}; }

  KafkaSink(std::shared_ptr<const KafkaSinkConfig> config, std::shared_ptr<const KafkaEncoderFactory> encoders)
      : config_(std::move(config)), encoders_(std::move(encoders)) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return create_kafka_writer(std::move(context), config_, *encoders_);
  }
  bool relies_on_checkpoints() const override { return config_->relies_on_checkpoints; }

 private:
  std::shared_ptr<const KafkaSinkConfig> config_;
  std::shared_ptr<const KafkaEncoderFactory> encoders_;
};

/// Says where a KafkaSink writes. Required: bootstrap servers and a record serializer.
template <class T>
class KafkaSinkBuilder {
 public:
  KafkaSinkBuilder& set_bootstrap_servers(std::string servers) {
    return set_property("bootstrap.servers", std::move(servers));
  }
  KafkaSinkBuilder& set_record_serializer(KafkaRecordSerializationSchema<T> schema) {
    settings_.topics.clear();
    if (!schema.topic.empty()) settings_.topics = {schema.topic};
    settings_.partitioner = schema.partitioner;
    settings_.encoders = std::make_shared<SchemaEncoders<T>>(std::move(schema));
    return *this;
  }
  /// A program's own, which makes whole records: topic, partition, key, value, timestamp and headers, as
  /// KafkaRecordSchemaFor says.
  template <class S>
  KafkaSinkBuilder& set_record_serializer(S schema) {
    static_assert(KafkaRecordSchemaFor<S, T>,
                  "Yeoul: set_record_serializer() needs what KafkaRecordSerializationSchema<T>::builder() makes, or a "
                  "class with `std::optional<KafkaProducerRecord> serialize(const T& element, KafkaSinkContext& "
                  "context, int64_t timestamp)`");
    if constexpr (KafkaRecordSchemaFor<S, T>) {
      settings_.topics.clear();
      settings_.partitioner = SinkPartitioner::kDefault;
      settings_.encoders = std::make_shared<OwnSchemaEncoders<T, S>>(std::move(schema));
    }
    return *this;
  }
  /// Without it: kNone, where nothing is waited for before the end.
  KafkaSinkBuilder& set_delivery_guarantee(DeliveryGuarantee guarantee) {
    settings_.guarantee = guarantee;
    return *this;
  }
  KafkaSinkBuilder& set_transactional_id_prefix(std::string prefix) {
    settings_.transactional_id_prefix = std::move(prefix);
    return *this;
  }
  /// A property of the producer, by its Java name.
  KafkaSinkBuilder& set_property(const std::string& key, std::string value) {
    settings_.properties[key] = std::move(value);
    return *this;
  }
  KafkaSinkBuilder& set_properties(const std::map<std::string, std::string>& properties) {
    for (const auto& [key, value] : properties) set_property(key, value);
    return *this;
  }

  /// @throws user error 2012 naming what is missing, 2010…2014 for what is wrong
  std::shared_ptr<const KafkaSink<T>> build() const {
    return std::make_shared<const KafkaSink<T>>(settings_.build(), settings_.encoders);
  }

 private:
  KafkaSinkSettings settings_;
};

}  // namespace yeoul
