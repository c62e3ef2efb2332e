#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/kafka_encoder.h"
#include "yeoul/connectors/kafka/kafka_record_serialization_schema.h"

namespace yeoul {

/// What becomes of records when a job fails and goes on from a checkpoint.
enum class DeliveryGuarantee { kNone, kAtLeastOnce, kExactlyOnce };

/// Kafka records out of batches of T. Threads: one.
template <class T>
class SchemaEncoder final : public KafkaEncoder {
 public:
  explicit SchemaEncoder(KafkaRecordSerializationSchema<T> schema) : schema_(std::move(schema)) {}

  void encode(const BatchPtr& base_batch) override {
    const auto& batch = static_cast<const Batch<T>&>(*base_batch);
    records_.assign(batch.values.size(), {});
    schema_.value->serialize(batch.values, values_);
    for (size_t i = 0; i < records_.size(); ++i) records_[i].value = values_[i];
    if (schema_.key) {
      schema_.key->serialize(batch.values, keys_);
      for (size_t i = 0; i < records_.size(); ++i) records_[i].key = keys_[i];
    }
    // A record without event time gets the time of sending (KD-O30).
    for (size_t i = 0; i < batch.timestamps.size(); ++i) {
      records_[i].timestamp_ms = std::max<int64_t>(batch.timestamps[i], -1);
    }
  }
  const std::vector<ProducedRecord>& records() const override { return records_; }
  const std::vector<uint32_t>& topics() const override { return topics_; }

 private:
  KafkaRecordSerializationSchema<T> schema_;
  SerializedRecords values_;
  SerializedRecords keys_;
  std::vector<ProducedRecord> records_;
  std::vector<uint32_t> topics_;  ///< stays empty: there is one topic
};

/// What a KafkaSink's builder collects, but for its serializer.
struct KafkaSinkSettings {
  OptionMap properties;
  DeliveryGuarantee guarantee = DeliveryGuarantee::kNone;
  std::string transactional_id_prefix;

  /// @param topic  empty: no serializer was given
  /// @throws user error 2012 naming what is missing, 2010…2014 for what is wrong
  std::shared_ptr<const KafkaSinkConfig> build(const std::string& topic, SinkPartitioner partitioner) const;
};

std::unique_ptr<SinkWriter> create_kafka_writer(SinkWriterContext context,
                                                std::shared_ptr<const KafkaSinkConfig> config,
                                                std::unique_ptr<KafkaEncoder> encoder);

template <class T>
class KafkaSinkBuilder;

/// Writes a stream of T to a Kafka topic; made by its builder.
template <class T>
class KafkaSink final : public Sink {
 public:
  using InputType = T;

  static KafkaSinkBuilder<T> builder() { return {}; }

  KafkaSink(std::shared_ptr<const KafkaSinkConfig> config, KafkaRecordSerializationSchema<T> schema)
      : config_(std::move(config)), schema_(std::move(schema)) {}
  std::unique_ptr<SinkWriter> create_writer(SinkWriterContext context) const override {
    return create_kafka_writer(std::move(context), config_, std::make_unique<SchemaEncoder<T>>(schema_));
  }

 private:
  std::shared_ptr<const KafkaSinkConfig> config_;
  KafkaRecordSerializationSchema<T> schema_;
};

/// Says where a KafkaSink writes. Required: bootstrap servers and a record serializer.
template <class T>
class KafkaSinkBuilder {
 public:
  KafkaSinkBuilder& set_bootstrap_servers(std::string servers) {
    return set_property("bootstrap.servers", std::move(servers));
  }
  KafkaSinkBuilder& set_record_serializer(KafkaRecordSerializationSchema<T> schema) {
    schema_ = std::move(schema);
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
    return std::make_shared<const KafkaSink<T>>(settings_.build(schema_.topic, schema_.partitioner), schema_);
  }

 private:
  KafkaSinkSettings settings_;
  KafkaRecordSerializationSchema<T> schema_;
};

}  // namespace yeoul
