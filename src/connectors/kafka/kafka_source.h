#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/connectors/api/source.h"
#include "yeoul/connectors/kafka/kafka_decoder.h"
#include "yeoul/connectors/kafka/kafka_schemas.h"
#include "yeoul/connectors/kafka/kafka_source_settings.h"

namespace yeoul {

/// Says, if there were any, that records without a value were passed over.
void tell_of_null_values(size_t count);

/// Records of a C++ type out of messages: the schema is inlined into the loop over a fetched buffer. `kWhole`: it sees
/// whole records, else values alone. Threads: its task's.
template <class T, class S, bool kWhole>
class SchemaDecoder final : public KafkaDecoder {
 public:
  SchemaDecoder(S schema, SourceMetrics* metrics) : schema_(std::move(schema)), metrics_(metrics) {}
  ~SchemaDecoder() override { tell_of_null_values(num_null_values_); }

  void append(const FetchedBuffer& buffer, size_t first, size_t count) override {
    for (size_t i = first; i < first + count; ++i) {
      const FetchedRecord& record = buffer.records()[i];
      try {
        append_record(buffer, record);
      } catch (Error& error) {
        throw error.add_context(where(buffer, record));
      } catch (const std::exception& error) {
        throw user_error(3001, "{}: {}", where(buffer, record), error.what());
      } catch (...) {
        throw user_error(3001, "{}: the deserializer threw something that is no std::exception", where(buffer, record));
      }
      while (batch_->timestamps.size() < batch_->values.size()) batch_->timestamps.push_back(record.timestamp_ms);
      num_bytes_ += record.value_size + record.key_size;
    }
    metrics_->records_in.add(static_cast<int64_t>(count));
    metrics_->bytes_in.add(static_cast<int64_t>(std::exchange(new_bytes_, 0)));
  }
  size_t num_rows() const override { return batch_->values.size(); }
  size_t num_bytes() const override { return num_bytes_; }
  BatchPtr take() override {
    num_bytes_ = 0;
    auto next = std::make_shared<Batch<T>>();
    // As many as last time, so that records are not moved as the batch grows.
    next->values.reserve(batch_->values.size());
    next->timestamps.reserve(batch_->values.size());
    return std::exchange(batch_, std::move(next));
  }

 private:
  void append_record(const FetchedBuffer& buffer, const FetchedRecord& record) {
    new_bytes_ += record.value_size + record.key_size;
    if constexpr (kWhole) {
      KafkaConsumerRecord whole{.topic = buffer.partition.topic,
                                .partition = buffer.partition.partition,
                                .offset = record.offset,
                                .timestamp_ms = record.timestamp_ms,
                                .timestamp_type = record.timestamp_type,
                                .headers = buffer.headers().subspan(record.first_header, record.num_headers)};
      if (record.key != nullptr) whole.key = std::string_view(record.key, record.key_size);
      if (record.value != nullptr) whole.value = std::string_view(record.value, record.value_size);
      schema_.deserialize(whole, batch_->values);
    } else {
      append_value(record);
    }
  }
  void append_value(const FetchedRecord& record) {
    std::vector<T>& values = batch_->values;
    const size_t before = values.size();
    const std::string_view message(record.value, record.value_size);
    if (record.value == nullptr) {  // KD-O19
      if constexpr (DeserializesNull<S>) {
        append_result(schema_.deserialize(std::optional<std::string_view>()));
      } else {
        ++num_null_values_;
      }
    } else if constexpr (DeserializesInPlace<S, T>) {
      static_assert(PaddedBuffer::kPadding >= Buffer::kPadding);
      schema_.deserialize(Message{record.value, record.value_size}, values);
    } else if constexpr (DeserializesInto<S, T>) {
      schema_.deserialize(message, values);
    } else {
      append_result(schema_.deserialize(message));
    }
    if (values.size() == before) metrics_->records_skipped.add(1);
  }
  template <class Result>
  void append_result(Result result) {
    if constexpr (std::is_convertible_v<Result, T>) {
      batch_->values.push_back(std::move(result));
    } else if (result) {
      batch_->values.push_back(std::move(*result));
    }
  }
  static std::string where(const FetchedBuffer& buffer, const FetchedRecord& record) {
    return fmt::format("kafka topic={} partition={} offset={}", buffer.partition.topic, buffer.partition.partition,
                       record.offset);
  }

  S schema_;
  SourceMetrics* metrics_;
  std::shared_ptr<Batch<T>> batch_ = std::make_shared<Batch<T>>();
  size_t num_bytes_ = 0;
  size_t new_bytes_ = 0;
  size_t num_null_values_ = 0;  ///< that were passed over
};

template <class T, class S, bool kWhole>
class SchemaDecoders final : public KafkaDecoderFactory {
 public:
  explicit SchemaDecoders(S schema) : schema_(std::move(schema)) {}
  std::unique_ptr<KafkaDecoder> create(SourceMetrics* metrics) const override {
    return std::make_unique<SchemaDecoder<T, S, kWhole>>(schema_, metrics);
  }

 private:
  S schema_;
};

/// Ready suppliers for KafkaSourceBuilder::set_rack_id_supplier() (KD-090).
struct RackIdSupplier {
  /// The value of an environment variable, such as TM_NODE_AZ. @throws user error 2012, when called, where it is not
  /// set
  static std::function<std::string()> from_env(std::string name);
};

// Made in kafka_source.cpp, so that programs need not see the reader.
std::unique_ptr<SplitEnumerator> create_kafka_enumerator(SplitEnumeratorContext& context,
                                                         std::shared_ptr<const KafkaSourceConfig> config,
                                                         const std::optional<std::string>& restored);
std::unique_ptr<SourceReader> create_kafka_reader(SourceReaderContext context,
                                                  std::shared_ptr<const KafkaSourceConfig> config,
                                                  std::shared_ptr<const KafkaDecoderFactory> decoders);

template <class T>
class KafkaSourceBuilder;

/// Reads Kafka topics into a stream of T; made by its builder. The event time of a record is its Kafka timestamp unless
/// the watermark strategy assigns another.
template <class T>
class KafkaSource final : public Source {
 public:
  using OutputType = T;

  static KafkaSourceBuilder<T> builder() { return {}; }

  KafkaSource(std::shared_ptr<const KafkaSourceConfig> config, std::shared_ptr<const KafkaDecoderFactory> decoders)
      : config_(std::move(config)), decoders_(std::move(decoders)) {}

  bool bounded() const override { return config_->is_bounded() && !config_->unbounded_with_stop; }
  std::unique_ptr<SplitEnumerator> create_enumerator(SplitEnumeratorContext& context,
                                                     const std::optional<std::string>& restored) const override {
    return create_kafka_enumerator(context, config_, restored);
  }
  std::unique_ptr<SourceReader> create_reader(SourceReaderContext context) const override {
    return create_kafka_reader(std::move(context), config_, decoders_);
  }
  std::string client_id_prefix() const override { return config_->client_id_prefix; }

 private:
  std::shared_ptr<const KafkaSourceConfig> config_;
  std::shared_ptr<const KafkaDecoderFactory> decoders_;
};

/// Says what a KafkaSource reads. Required: bootstrap servers, one subscription, a deserializer; everything else has a
/// default: from the earliest offset on, without end, looking for new partitions every five minutes.
template <class T>
class KafkaSourceBuilder {
 public:
  KafkaSourceBuilder& set_bootstrap_servers(std::string servers) {
    return set_property("bootstrap.servers", std::move(servers));
  }
  KafkaSourceBuilder& set_group_id(std::string group) { return set_property("group.id", std::move(group)); }
  /// All partitions of these topics.
  template <class... Topics>
  KafkaSourceBuilder& set_topics(Topics... topics) {
    static_assert(sizeof...(topics) > 0 && (std::is_convertible_v<Topics, std::string> && ...),
                  "Yeoul: set_topics() takes the names of one or more topics");
    settings_.set_topics({std::string(std::move(topics))...});
    return *this;
  }
  KafkaSourceBuilder& set_topics(std::vector<std::string> topics) {
    settings_.set_topics(std::move(topics));
    return *this;
  }
  /// All partitions of the topics whose whole name matches.
  KafkaSourceBuilder& set_topic_pattern(std::string pattern) {
    settings_.set_topic_pattern(std::move(pattern));
    return *this;
  }
  KafkaSourceBuilder& set_partitions(std::set<KafkaTopicPartition> partitions) {
    settings_.set_partitions(std::move(partitions));
    return *this;
  }
  KafkaSourceBuilder& set_starting_offsets(KafkaOffsetsInitializer offsets) {
    settings_.set_starting_offsets(std::move(offsets));
    return *this;
  }
  /// Ends when all partitions have reached these offsets; the source is a bounded one.
  KafkaSourceBuilder& set_bounded(KafkaOffsetsInitializer offsets) {
    settings_.set_stopping_offsets(std::move(offsets), true);
    return *this;
  }
  /// The same end, but the source stays a streaming one.
  KafkaSourceBuilder& set_unbounded(KafkaOffsetsInitializer offsets) {
    settings_.set_stopping_offsets(std::move(offsets), false);
    return *this;
  }
  /// Sees values alone: `T deserialize(std::string_view) const`, or `void deserialize(std::string_view, std::vector<T>&
  /// out) const` for any number of records, which pass over null values; or `std::optional<T>
  /// deserialize(std::optional<std::string_view>) const`, which sees them and may pass over any.
  template <class S>
  KafkaSourceBuilder& set_value_only_deserializer(S schema) {
    static_assert(DeserializationSchemaFor<S, T>,
                  "Yeoul: set_value_only_deserializer() needs a class with `T deserialize(std::string_view) const`, "
                  "where T is the type of KafkaSource<T>; SimpleStringSchema gives std::string");
    if constexpr (DeserializationSchemaFor<S, T>) {
      decoders_ = std::make_shared<SchemaDecoders<T, S, false>>(std::move(schema));
    }
    return *this;
  }
  /// Sees whole records: `void deserialize(const KafkaConsumerRecord&, std::vector<T>& out) const`.
  template <class S>
  KafkaSourceBuilder& set_deserializer(S schema) {
    static_assert(KafkaRecordDeserializationSchemaFor<S, T>,
                  "Yeoul: set_deserializer() needs a class with `void deserialize(const KafkaConsumerRecord&, "
                  "std::vector<T>& out) const`");
    if constexpr (KafkaRecordDeserializationSchemaFor<S, T>) {
      decoders_ = std::make_shared<SchemaDecoders<T, S, true>>(std::move(schema));
    }
    return *this;
  }
  /// A property of the source or, by its Java name, of the consumer.
  KafkaSourceBuilder& set_property(const std::string& key, std::string value) {
    settings_.set_property(key, std::move(value));
    return *this;
  }
  KafkaSourceBuilder& set_properties(const std::map<std::string, std::string>& properties) {
    for (const auto& [key, value] : properties) settings_.set_property(key, value);
    return *this;
  }
  KafkaSourceBuilder& set_client_id_prefix(std::string prefix) {
    return set_property("client.id.prefix", std::move(prefix));
  }
  /// Says in which rack the consumer runs; called where it is made. RackIdSupplier::from_env() reads a variable.
  KafkaSourceBuilder& set_rack_id_supplier(std::function<std::string()> supplier) {
    settings_.set_rack_id_supplier(std::move(supplier));
    return *this;
  }

  /// @throws user error 2012 naming what is missing, 2010…2014 for what is wrong
  std::shared_ptr<const KafkaSource<T>> build() const {
    return std::make_shared<const KafkaSource<T>>(settings_.build(decoders_ != nullptr), decoders_);
  }

 private:
  KafkaSourceSettings settings_;
  std::shared_ptr<const KafkaDecoderFactory> decoders_;
};

}  // namespace yeoul
