#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/connectors/kafka/kafka_sink.h"
#include "yeoul/connectors/kafka/kafka_source.h"

namespace yeoul {
namespace {

/// The message of the error that a call throws.
template <class Call>
std::string builder_error(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.to_string();
  }
  return "none";
}

KafkaSourceBuilder<std::string> string_source() {
  return KafkaSource<std::string>::builder()
      .set_bootstrap_servers("localhost:1")
      .set_topics("a", "b")
      .set_value_only_deserializer(SimpleStringSchema());
}

TEST(KafkaSourceBuilder, SaysWhatIsMissing) {
  EXPECT_EQ(builder_error([] { string_source().build(); }), "none");
  EXPECT_NE(
      builder_error([] {
        KafkaSource<std::string>::builder().set_topics("a").set_value_only_deserializer(SimpleStringSchema()).build();
      }).find("set_bootstrap_servers()"),
      std::string::npos);
  EXPECT_NE(builder_error([] {
              KafkaSource<std::string>::builder()
                  .set_bootstrap_servers("localhost:1")
                  .set_value_only_deserializer(SimpleStringSchema())
                  .build();
            }).find("set_topics()"),
            std::string::npos);
  EXPECT_NE(builder_error([] {
              KafkaSource<std::string>::builder().set_bootstrap_servers("localhost:1").set_topics("a").build();
            }).find("set_value_only_deserializer()"),
            std::string::npos);
}

TEST(KafkaSourceBuilder, RefusesWhatDoesNotFit) {
  EXPECT_NE(builder_error([] { string_source().set_topic_pattern("c.*"); }).find("already set"), std::string::npos);
  EXPECT_NE(builder_error([] {
              string_source().set_starting_offsets(KafkaOffsetsInitializer::committed_offsets()).build();
            }).find("group.id"),
            std::string::npos);
  EXPECT_NE(builder_error([] {
              string_source().set_property("commit.offsets.on.checkpoint", "true").build();
            }).find("group.id"),
            std::string::npos);
  EXPECT_NE(
      builder_error([] { KafkaSource<std::string>::builder().set_topic_pattern("("); }).find("regular expression"),
      std::string::npos);
}

TEST(KafkaSourceBuilder, Defaults) {
  KafkaSourceSettings settings;
  settings.set_property("bootstrap.servers", "localhost:1");
  settings.set_topics({"a"});
  const auto config = settings.build(true);
  EXPECT_EQ(config->startup, StartupMode::kEarliest);
  EXPECT_EQ(config->reset, OffsetReset::kEarliest);
  EXPECT_FALSE(config->is_bounded());
  EXPECT_EQ(config->discovery_interval_ms, 300'000);
  EXPECT_FALSE(config->commit_on_checkpoint);
  EXPECT_EQ(config->client_id_prefix, "KafkaSource");
}

TEST(KafkaSourceBuilder, BoundedAndUnboundedWithAStop) {
  EXPECT_FALSE(string_source().build()->bounded());
  EXPECT_TRUE(string_source().set_bounded(KafkaOffsetsInitializer::latest()).build()->bounded());
  EXPECT_FALSE(string_source().set_unbounded(KafkaOffsetsInitializer::latest()).build()->bounded());
  KafkaSourceSettings settings;
  settings.set_property("bootstrap.servers", "localhost:1");
  settings.set_property("partition.discovery.interval.ms", "1000");
  settings.set_property("auto.offset.reset", "latest");
  settings.set_property("group.id", "g");
  settings.set_topics({"a"});
  EXPECT_EQ(settings.build(true)->discovery_interval_ms, 1000);
  settings.set_stopping_offsets(KafkaOffsetsInitializer::timestamp(5), true);
  const auto config = settings.build(true);
  EXPECT_EQ(config->bounded, BoundedMode::kTimestamp);
  EXPECT_EQ(config->discovery_interval_ms, 0);
  EXPECT_TRUE(config->commit_on_checkpoint);
  EXPECT_FALSE(config->properties.contains("auto.offset.reset"));
}

TEST(KafkaSinkBuilder, SaysWhatIsMissing) {
  using Schema = KafkaRecordSerializationSchema<std::string>;
  EXPECT_NE(builder_error([] { Schema::builder().set_topic("a").build(); }).find("set_value_serialization_schema()"),
            std::string::npos);
  EXPECT_NE(builder_error([] {
              Schema::builder().set_value_serialization_schema(SimpleStringSchema()).build();
            }).find("set_topic()"),
            std::string::npos);
  const auto schema = Schema::builder().set_topic("a").set_value_serialization_schema(SimpleStringSchema()).build();
  const auto sink = KafkaSink<std::string>::builder().set_record_serializer(schema);
  EXPECT_NE(builder_error([&] { sink.build(); }).find("set_bootstrap_servers()"), std::string::npos);
  const auto no_schema = KafkaSink<std::string>::builder().set_bootstrap_servers("localhost:1");
  EXPECT_NE(builder_error([&] { no_schema.build(); }).find("set_record_serializer()"), std::string::npos);
  auto exactly_once = sink;
  exactly_once.set_bootstrap_servers("localhost:1").set_delivery_guarantee(DeliveryGuarantee::kExactlyOnce);
  EXPECT_NE(builder_error([&] { exactly_once.build(); }).find("set_transactional_id_prefix()"), std::string::npos);
  EXPECT_EQ(builder_error([&] { KafkaSinkBuilder<std::string>(sink).set_bootstrap_servers("localhost:1").build(); }),
            "none");
}

TEST(KafkaSchemas, NumbersAreBigEndian) {
  const KafkaNumberSchema<int64_t> longs;
  EXPECT_EQ(longs.serialize(258), std::string("\0\0\0\0\0\0\1\2", 8));
  EXPECT_EQ(longs.deserialize(longs.serialize(-5)), -5);
  EXPECT_EQ(KafkaNumberSchema<double>().deserialize(KafkaNumberSchema<double>().serialize(1.5)), 1.5);
  EXPECT_NE(builder_error([&] { longs.deserialize("1234567"); }).find("7 bytes"), std::string::npos);
}

TEST(SchemaDecoder, NamesTheBadRecord) {
  FetchedBuffer buffer;
  buffer.partition = {"numbers", 2};
  const std::string good("\0\0\0\7", 4);
  FetchedRecord* record = buffer.run.reserve(3);
  record[0] = {.offset = 40, .timestamp_ms = 1040, .value = good.data(), .key = nullptr, .value_size = 4};
  record[1] = {.offset = 41};  // a tombstone
  record[2] = {.offset = 42, .timestamp_ms = 1042, .value = "bad", .key = nullptr, .value_size = 3};
  buffer.run.set_size(3);
  SourceMetrics metrics;
  const SchemaDecoders<int32_t, KafkaNumberSchema<int32_t>, false> decoders{KafkaNumberSchema<int32_t>()};
  const auto decoder = decoders.create(&metrics);
  decoder->append(buffer, 0, 2);
  EXPECT_EQ(decoder->num_rows(), 1u);
  const BatchPtr batch = decoder->take();
  EXPECT_EQ(static_cast<const Batch<int32_t>&>(*batch).values, std::vector<int32_t>{7});
  EXPECT_EQ(static_cast<const Batch<int32_t>&>(*batch).timestamps, std::vector<int64_t>{1040});
  const std::string error = builder_error([&] { decoder->append(buffer, 2, 1); });
  EXPECT_NE(error.find("topic=numbers partition=2 offset=42"), std::string::npos) << error;
}

}  // namespace
}  // namespace yeoul
