#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/kafka/kafka_row_sink.h"
#include "yeoul/connectors/kafka/kafka_schemas.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// Bytes of a batch's records, one after the other.
struct SerializedRecords {
  std::string bytes;
  std::vector<size_t> ends;
  std::string_view operator[](size_t i) const {
    const size_t start = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes.data() + start, ends[i] - start);
  }
};

/// Keys or values of a batch as bytes. Const, shared by tasks.
template <class T>
class BatchSerializer {
 public:
  virtual ~BatchSerializer() = default;
  virtual void serialize(const std::vector<T>& values, SerializedRecords& out) const = 0;
};

/// By a schema, inlined into the loop over the batch.
template <class T, class S>
class SchemaSerializer final : public BatchSerializer<T> {
 public:
  explicit SchemaSerializer(S schema) : schema_(std::move(schema)) {}
  void serialize(const std::vector<T>& values, SerializedRecords& out) const override {
    out.bytes.clear(), out.ends.clear();
    for (const T& value : values) {
      out.bytes += call_serialize(schema_, value);
      out.ends.push_back(out.bytes.size());
    }
  }

 private:
  S schema_;
};

/// Each subtask writes to one partition, as Flink's partitioner of that name.
struct FlinkFixedPartitioner {};

template <class T>
class KafkaRecordSerializationSchemaBuilder;

/// How records T become Kafka records: topic, key, value, partition. Made by its builder.
template <class T>
class KafkaRecordSerializationSchema {
 public:
  static KafkaRecordSerializationSchemaBuilder<T> builder() { return {}; }

  std::string topic;
  std::shared_ptr<const BatchSerializer<T>> value;
  std::shared_ptr<const BatchSerializer<T>> key;  ///< null: records have no key
  SinkPartitioner partitioner = SinkPartitioner::kDefault;
};

/// @throws user error 2012: the part of a Kafka sink that is missing, and the setter to call
[[noreturn]] void throw_missing_in_sink(std::string_view what, std::string_view setter);

/// Required: a topic and how values are written.
template <class T>
class KafkaRecordSerializationSchemaBuilder {
 public:
  KafkaRecordSerializationSchemaBuilder& set_topic(std::string topic) {
    schema_.topic = std::move(topic);
    return *this;
  }
  /// `serialize(const T&) const`, or a function, that gives the bytes.
  template <class S>
  KafkaRecordSerializationSchemaBuilder& set_value_serialization_schema(S schema) {
    schema_.value = serializer(std::move(schema));
    return *this;
  }
  template <class S>
  KafkaRecordSerializationSchemaBuilder& set_key_serialization_schema(S schema) {
    schema_.key = serializer(std::move(schema));
    return *this;
  }
  /// Without one: by the key as Kafka's producers do; records without a key stay with one partition for a while.
  KafkaRecordSerializationSchemaBuilder& set_partitioner(FlinkFixedPartitioner) {
    schema_.partitioner = SinkPartitioner::kFixed;
    return *this;
  }
  /// @throws user error 2012 naming what is missing
  KafkaRecordSerializationSchema<T> build() const {
    if (schema_.topic.empty()) throw_missing_in_sink("a topic is", "set_topic()");
    if (!schema_.value) throw_missing_in_sink("a value serializer is", "set_value_serialization_schema()");
    return schema_;
  }

 private:
  template <class S>
  static std::shared_ptr<const BatchSerializer<T>> serializer(S schema) {
    static_assert(SerializationSchemaFor<S, T>,
                  "Yeoul: a serialization schema has `serialize(const T&) const`, or is a function, that gives a "
                  "std::string; SimpleStringSchema writes std::string");
    if constexpr (SerializationSchemaFor<S, T>) {
      return std::make_shared<SchemaSerializer<T, S>>(std::move(schema));
    } else {
      return nullptr;
    }
  }

  KafkaRecordSerializationSchema<T> schema_;
};

}  // namespace yeoul
