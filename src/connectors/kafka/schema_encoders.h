#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/kafka_encoder.h"
#include "yeoul/connectors/kafka/kafka_record_serialization_schema.h"

namespace yeoul {

/// A record as a program's own serialization schema makes it.
struct KafkaProducerRecord {
  std::string topic;
  std::optional<std::string> key;
  std::optional<std::string> value;     ///< nothing: a tombstone
  std::optional<int32_t> partition;     ///< nothing: by the key, as Kafka's producers do
  std::optional<int64_t> timestamp_ms;  ///< nothing: the time of sending
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;
};

/// What such a schema may ask. Valid during the call. Threads: the task's.
class KafkaSinkContext {
 public:
  KafkaSinkContext(int subtask, int parallelism, SinkTopics& topics)
      : subtask_(subtask), parallelism_(parallelism), topics_(topics) {}

  int get_parallel_instance_id() const { return subtask_; }
  int get_number_of_parallel_instances() const { return parallelism_; }
  /// The numbers of the topic's partitions. Empty where they are not known yet: the schema is asked once more for that
  /// record when they are, and what it returns before does not matter.
  std::span<const int32_t> get_partitions_for_topic(std::string_view topic) {
    const std::span<const int32_t> partitions = topics_.partitions(topics_.index_of(topic));
    asked_in_vain_ = asked_in_vain_ || partitions.empty();
    return partitions;
  }
  bool asked_in_vain() const { return asked_in_vain_; }

 private:
  int subtask_;
  int parallelism_;
  SinkTopics& topics_;
  bool asked_in_vain_ = false;
};

/// True for classes with `std::optional<KafkaProducerRecord> serialize(const T& element, KafkaSinkContext& context,
/// int64_t timestamp)`: the timestamp is the record's event time or kNoTimestamp; nothing returned, nothing is written.
/// Each subtask has its own copy.
template <class S, class T>
concept KafkaRecordSchemaFor = requires(S& schema, const T& element, KafkaSinkContext& context) {
  { schema.serialize(element, context, int64_t{}) } -> std::convertible_to<std::optional<KafkaProducerRecord>>;
};

/// Kafka records out of batches of T. Threads: one.
template <class T>
class SchemaEncoder final : public KafkaEncoder {
 public:
  SchemaEncoder(KafkaRecordSerializationSchema<T> schema, int subtask, int parallelism) : schema_(std::move(schema)) {
    if (schema_.own_partitioner) partitioner_ = schema_.own_partitioner->create(subtask, parallelism);
  }

  bool encode(const BatchPtr& base_batch, SinkTopics& topics) override {
    const auto& batch = static_cast<const Batch<T>&>(*base_batch);
    if (!assigning_) serialize(batch, topics);
    assigning_ = partitioner_ && !partitioner_->assign(batch.values, records_, topics_, topics, partitions_);
    return !assigning_;
  }
  const std::vector<ProducedRecord>& records() const override { return records_; }
  const std::vector<uint32_t>& topics() const override { return topics_; }
  const std::vector<int32_t>& partitions() const override { return partitions_; }

 private:
  void serialize(const Batch<T>& batch, SinkTopics& topics) {
    partitions_.clear();
    schema_.value->serialize(batch.values, values_);
    if (schema_.key) schema_.key->serialize(batch.values, keys_);
    records_.resize(batch.values.size());
    for (size_t i = 0; i < records_.size(); ++i) {
      // A record without event time gets the time of sending (KD-O30).
      const int64_t timestamp_ms = batch.timestamps.empty() ? -1 : std::max<int64_t>(batch.timestamps[i], -1);
      records_[i] = {.key = schema_.key ? keys_[i] : std::string_view(),
                     .value = values_[i],
                     .timestamp_ms = timestamp_ms,
                     .headers = {}};
    }
    if (schema_.topic_selector) schema_.topic_selector->select(batch.values, topics, topics_);
  }

  KafkaRecordSerializationSchema<T> schema_;
  std::unique_ptr<BatchPartitioner<T>> partitioner_;
  EncodedRows values_;
  EncodedRows keys_;
  std::vector<ProducedRecord> records_;
  std::vector<uint32_t> topics_;
  std::vector<int32_t> partitions_;
  bool assigning_ = false;  ///< the batch is serialized, and waits for partitions
};

/// Views of a program's own records.
class OwnRecords {
 public:
  void clear();
  void add(KafkaProducerRecord record, SinkTopics& topics);
  /// Lets records() point to what was added.
  void finish();
  const std::vector<ProducedRecord>& records() const { return records_; }
  const std::vector<uint32_t>& topics() const { return topics_; }
  const std::vector<int32_t>& partitions() const { return partitions_; }

 private:
  std::vector<KafkaProducerRecord> owned_;
  std::vector<std::pair<std::string_view, std::string_view>> headers_;
  std::vector<ProducedRecord> records_;
  std::vector<uint32_t> topics_;
  std::vector<int32_t> partitions_;
};

/// The same by a program's own schema. Threads: one.
template <class T, class S>
class OwnSchemaEncoder final : public KafkaEncoder {
 public:
  OwnSchemaEncoder(S schema, int subtask, int parallelism)
      : schema_(std::move(schema)), subtask_(subtask), parallelism_(parallelism) {}

  bool encode(const BatchPtr& base_batch, SinkTopics& topics) override {
    const auto& batch = static_cast<const Batch<T>&>(*base_batch);
    if (next_ == 0) records_.clear();
    for (; next_ < batch.values.size(); ++next_) {
      KafkaSinkContext context(subtask_, parallelism_, topics);
      const int64_t timestamp = batch.timestamps.empty() ? kNoTimestamp : batch.timestamps[next_];
      std::optional<KafkaProducerRecord> record = schema_.serialize(batch.values[next_], context, timestamp);
      if (context.asked_in_vain()) return false;
      if (record) records_.add(std::move(*record), topics);
    }
    next_ = 0;
    records_.finish();
    return true;
  }
  const std::vector<ProducedRecord>& records() const override { return records_.records(); }
  const std::vector<uint32_t>& topics() const override { return records_.topics(); }
  const std::vector<int32_t>& partitions() const override { return records_.partitions(); }

 private:
  S schema_;
  const int subtask_;
  const int parallelism_;
  size_t next_ = 0;  ///< of the batch that waits for partitions
  OwnRecords records_;
};

template <class T>
class SchemaEncoders final : public KafkaEncoderFactory {
 public:
  explicit SchemaEncoders(KafkaRecordSerializationSchema<T> schema) : schema_(std::move(schema)) {}
  std::unique_ptr<KafkaEncoder> create(int subtask, int parallelism) const override {
    return std::make_unique<SchemaEncoder<T>>(schema_.clone(), subtask, parallelism);
  }

 private:
  KafkaRecordSerializationSchema<T> schema_;
};

template <class T, class S>
class OwnSchemaEncoders final : public KafkaEncoderFactory {
 public:
  explicit OwnSchemaEncoders(S schema) : schema_(std::move(schema)) {}
  std::unique_ptr<KafkaEncoder> create(int subtask, int parallelism) const override {
    return std::make_unique<OwnSchemaEncoder<T, S>>(schema_, subtask, parallelism);
  }

 private:
  S schema_;
};

}  // namespace yeoul
