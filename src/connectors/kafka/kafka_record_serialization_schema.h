#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/common/error.h"
#include "yeoul/connectors/kafka/kafka_partitioners.h"
#include "yeoul/connectors/kafka/kafka_row_sink.h"
#include "yeoul/connectors/kafka/kafka_schemas.h"
#include "yeoul/connectors/kafka/kafka_serializers.h"
#include "yeoul/formats/api/encoded_rows.h"

namespace yeoul {

/// Keys or values of a batch as bytes. Each subtask has its own copy, so that schemas may have scratch memory.
template <class T>
class BatchSerializer {
 public:
  virtual ~BatchSerializer() = default;
  virtual std::shared_ptr<const BatchSerializer> clone() const = 0;
  virtual void serialize(const std::vector<T>& values, EncodedRows& out) const = 0;
};

/// By a schema, inlined into the loop over the batch.
template <class T, class S>
class SchemaSerializer final : public BatchSerializer<T> {
 public:
  explicit SchemaSerializer(S schema) : schema_(std::move(schema)) {}
  std::shared_ptr<const BatchSerializer<T>> clone() const override {
    return std::make_shared<SchemaSerializer>(schema_);
  }
  void serialize(const std::vector<T>& values, EncodedRows& out) const override {
    out.clear();
    out.offsets.reserve(values.size() + 1);
    if constexpr (SerializesBatch<S, T>) {
      schema_.serialize(std::span<const T>(values), out);
    } else {
      for (const T& value : values) {
        if constexpr (std::is_convertible_v<decltype(call_serialize(schema_, value)), std::string_view>) {
          out.append(call_serialize(schema_, value));
        } else if (const std::optional<std::string> bytes = call_serialize(schema_, value)) {
          out.append(*bytes);
        } else {
          out.append_null();
        }
      }
    }
  }

 private:
  S schema_;
};

/// Topics of a batch's records. Each subtask has its own copy.
template <class T>
class TopicSelector {
 public:
  virtual ~TopicSelector() = default;
  virtual std::shared_ptr<const TopicSelector> clone() const = 0;
  virtual void select(const std::vector<T>& values, SinkTopics& topics, std::vector<uint32_t>& out) const = 0;
};

template <class T, class F>
class FunctionTopicSelector final : public TopicSelector<T> {
 public:
  explicit FunctionTopicSelector(F function) : function_(std::move(function)) {}
  std::shared_ptr<const TopicSelector<T>> clone() const override {
    return std::make_shared<FunctionTopicSelector>(function_);
  }
  void select(const std::vector<T>& values, SinkTopics& topics, std::vector<uint32_t>& out) const override {
    out.clear();
    for (const T& value : values) out.push_back(topics.index_of(function_(value)));
  }

 private:
  F function_;
};

template <class T>
class KafkaRecordSerializationSchemaBuilder;

/// How records T become Kafka records: topic, key, value, partition. Made by its builder; a program that needs more,
/// such as headers, writes a class of its own (KafkaRecordSchemaFor).
template <class T>
class KafkaRecordSerializationSchema {
 public:
  static KafkaRecordSerializationSchemaBuilder<T> builder() { return {}; }

  /// With parts of its own, for a subtask.
  KafkaRecordSerializationSchema clone() const {
    KafkaRecordSerializationSchema copy = *this;
    if (topic_selector) copy.topic_selector = topic_selector->clone();
    if (value) copy.value = value->clone();
    if (key) copy.key = key->clone();
    return copy;
  }

  std::string topic;                                       ///< empty: the selector says it
  std::shared_ptr<const TopicSelector<T>> topic_selector;  ///< null: `topic`
  std::shared_ptr<const BatchSerializer<T>> value;
  std::shared_ptr<const BatchSerializer<T>> key;  ///< null: records have no key
  SinkPartitioner partitioner = SinkPartitioner::kDefault;
  std::shared_ptr<const BatchPartitioner<T>> own_partitioner;  ///< null: `partitioner`
};

/// @throws user error 2012: the part of a Kafka sink that is missing, and the setter to call
[[noreturn]] void throw_missing_in_sink(std::string_view what, std::string_view setter);
/// @throws user error 2014: both setters were called
[[noreturn]] void throw_twice_in_sink(std::string_view what, std::string_view setter, std::string_view other);
/// @throws user error 2010 for what is no name of a topic
void check_sink_topic(std::string_view name);

/// Required: a topic or a function that tells it, and how values are written.
template <class T>
class KafkaRecordSerializationSchemaBuilder {
 public:
  /// All records go to this topic. @throws user error 2010 for what is no topic's name, 2014 beside a selector
  KafkaRecordSerializationSchemaBuilder& set_topic(std::string topic) {
    if (schema_.topic_selector) throw_twice_in_sink("the topic", "set_topic()", "set_topic_selector()");
    check_sink_topic(topic);
    schema_.topic = std::move(topic);
    return *this;
  }
  /// Each record's topic: a function of the record that returns text. Topics are looked up when they are first named.
  /// @throws user error 2014 beside set_topic()
  template <class F>
  KafkaRecordSerializationSchemaBuilder& set_topic_selector(F selector) {
    constexpr bool kFits = [] {
      if constexpr (std::is_invocable_v<const F&, const T&>) {
        return std::is_convertible_v<std::invoke_result_t<const F&, const T&>, std::string_view>;
      }
      return false;
    }();
    static_assert(kFits,
                  "Yeoul: set_topic_selector() needs a function that takes a record and returns the name of its "
                  "topic, e.g. [](const Order& order) { return \"orders-\" + order.country; }");
    if constexpr (kFits) {
      if (!schema_.topic.empty()) throw_twice_in_sink("the topic", "set_topic_selector()", "set_topic()");
      schema_.topic_selector = std::make_shared<FunctionTopicSelector<T, F>>(std::move(selector));
    }
    return *this;
  }
  /// `serialize(const T&) const`, or a function, that gives the bytes; one that gives a std::optional may leave the
  /// value null.
  template <class S>
  KafkaRecordSerializationSchemaBuilder& set_value_serialization_schema(S schema) {
    schema_.value = serializer(std::move(schema));
    return *this;
  }
  /// The same for keys. Without it records have none.
  template <class S>
  KafkaRecordSerializationSchemaBuilder& set_key_serialization_schema(S schema) {
    schema_.key = serializer(std::move(schema));
    return *this;
  }
  /// One of Kafka's own serializers by the name of its Java class (KD-120); T must be what it writes.
  /// @throws user error 2010 for another class, 2014 for one that writes another type
  KafkaRecordSerializationSchemaBuilder& set_kafka_value_serializer(
      std::string_view class_name, const std::map<std::string, std::string>& configuration = {}) {
    kafka_value_ = serializer(KafkaClassSerializer<T>(class_name, configuration, false));
    return *this;
  }
  KafkaRecordSerializationSchemaBuilder& set_kafka_key_serializer(
      std::string_view class_name, const std::map<std::string, std::string>& configuration = {}) {
    kafka_key_ = serializer(KafkaClassSerializer<T>(class_name, configuration, true));
    return *this;
  }
  /// Without one: by the key as Kafka's producers do; records without a key stay with one partition for a while.
  KafkaRecordSerializationSchemaBuilder& set_partitioner(FlinkFixedPartitioner) {
    schema_.partitioner = SinkPartitioner::kFixed;
    schema_.own_partitioner = nullptr;
    return *this;
  }
  /// A program's own, as KafkaPartitionerFor says.
  template <class P>
  KafkaRecordSerializationSchemaBuilder& set_partitioner(P partitioner) {
    static_assert(KafkaPartitionerFor<P, T>,
                  "Yeoul: set_partitioner() needs FlinkFixedPartitioner(), or a class or function `int32_t "
                  "partition(const T& record, std::string_view key, std::string_view value, std::string_view topic, "
                  "std::span<const int32_t> partitions)`");
    if constexpr (KafkaPartitionerFor<P, T>) {
      schema_.own_partitioner = std::make_shared<ProgramPartitioner<T, P>>(std::move(partitioner));
    }
    return *this;
  }
  /// @throws user error 2012 naming what is missing, 2014 where a part is given twice
  KafkaRecordSerializationSchema<T> build() const {
    KafkaRecordSerializationSchema<T> result = schema_;
    if (result.topic.empty() && !result.topic_selector) {
      throw_missing_in_sink("a topic is", "set_topic() or set_topic_selector()");
    }
    if (kafka_value_ && result.value) {
      throw_twice_in_sink("the value serializer", "set_kafka_value_serializer()", "set_value_serialization_schema()");
    }
    if (kafka_key_ && result.key) {
      throw_twice_in_sink("the key serializer", "set_kafka_key_serializer()", "set_key_serialization_schema()");
    }
    if (kafka_value_) result.value = kafka_value_;
    if (kafka_key_) result.key = kafka_key_;
    if (!result.value) {
      throw_missing_in_sink("a value serializer is",
                            "set_value_serialization_schema() or set_kafka_value_serializer()");
    }
    return result;
  }

 private:
  template <class S>
  static std::shared_ptr<const BatchSerializer<T>> serializer(S schema) {
    static_assert(SerializationSchemaFor<S, T>,
                  "Yeoul: a serialization schema has `serialize(const T&) const`, or is a function, that gives a "
                  "std::string or an optional one; SimpleStringSchema writes std::string");
    if constexpr (SerializationSchemaFor<S, T>) {
      return std::make_shared<SchemaSerializer<T, S>>(std::move(schema));
    } else {
      return nullptr;
    }
  }

  KafkaRecordSerializationSchema<T> schema_;
  std::shared_ptr<const BatchSerializer<T>> kafka_value_;
  std::shared_ptr<const BatchSerializer<T>> kafka_key_;
};

}  // namespace yeoul
