#include <gtest/gtest.h>

#include <unordered_set>

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
  for (const bool bounded : {false, true}) {
    EXPECT_NE(builder_error([&] {
                auto source = string_source();
                const auto end = KafkaOffsetsInitializer::committed_offsets();
                (bounded ? source.set_bounded(end) : source.set_unbounded(end)).build();
              }).find("group.id"),
              std::string::npos);
  }
  EXPECT_NE(builder_error([] {
              string_source().set_property("commit.offsets.on.checkpoint", "true").build();
            }).find("group.id"),
            std::string::npos);
  EXPECT_NE(
      builder_error([] { KafkaSource<std::string>::builder().set_topic_pattern("("); }).find("regular expression"),
      std::string::npos);
}

TEST(KafkaTopicPartition, IsAValue) {
  const std::unordered_set<KafkaTopicPartition> set{{"a", 0}, {"a", 1}, {"b", 0}, {"a", 0}};
  EXPECT_EQ(set.size(), 3u);
  EXPECT_TRUE(set.contains({"b", 0}));
  EXPECT_FALSE(set.contains({"b", 1}));
}

TEST(KafkaSourceBuilder, ChecksNames) {
  using Builder = KafkaSourceBuilder<std::string>;
  EXPECT_NE(builder_error([] { Builder().set_topics("a", "b c"); }).find("'b c' is no name of a topic"),
            std::string::npos);
  EXPECT_NE(builder_error([] { Builder().set_topics(std::vector<std::string>{""}); }).find("it is empty"),
            std::string::npos);
  EXPECT_NE(builder_error([] { Builder().set_partitions({{"a/b", 0}}); }).find("'a/b' is no name"), std::string::npos);
  EXPECT_NE(builder_error([] {
              Builder().set_partitions({{"a", -1}});
            }).find("no number of a partition"),
            std::string::npos);
  EXPECT_NE(builder_error([] {
              string_source()
                  .set_group_id("g")
                  .set_property("enable.auto.commit", "true")
                  .set_property("auto.commit.interval.ms", "0")
                  .build();
            }).find("above 0"),
            std::string::npos);
}

TEST(KafkaSourceBuilder, ValuesAreThoseOfPropertiesNotOfOptions) {
  const auto error = [](const char* name) {
    return builder_error([&] { string_source().set_group_id("g").set_property(name, "often").build(); });
  };
  EXPECT_EQ(error("partition.discovery.interval.ms"),
            "KafkaSource: property 'partition.discovery.interval.ms' = 'often' is not a whole number [YEOUL-2010]");
  EXPECT_EQ(error("commit.offsets.on.checkpoint"),
            "KafkaSource: property 'commit.offsets.on.checkpoint' = 'often' is neither true nor false [YEOUL-2010]");
  KafkaSourceConfig config;
  EXPECT_EQ(config.reset_choice(), "a KafkaOffsetResetStrategy of kEarliest or kLatest in set_starting_offsets()");
  config.table = "orders";
  EXPECT_EQ(config.reset_choice(), "'properties.auto.offset.reset' to 'earliest' or 'latest'");
}

TEST(KafkaSourceBuilder, RackSuppliersReadTheEnvironmentWhenTheyAreCalled) {
  const auto supplier = RackIdSupplier::from_env("YEOUL_TEST_RACK");
  ::unsetenv("YEOUL_TEST_RACK");
  EXPECT_NE(builder_error(supplier).find("'YEOUL_TEST_RACK'"), std::string::npos);
  ::setenv("YEOUL_TEST_RACK", "az1", 1);
  KafkaSourceSettings settings;
  settings.set_property("bootstrap.servers", "localhost:1");
  settings.set_topics({"a"});
  settings.set_rack_id_supplier(supplier);
  const auto config = settings.build(true);
  EXPECT_EQ(config->client_properties(ClientRole::kConsumer, "0").get("client.rack"), "az1");
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
  EXPECT_EQ(config->client_id_prefix.find("KafkaSource-"), 0u);
}

TEST(KafkaSourceBuilder, IsKnownByItsPrefixOrItsGroup) {
  EXPECT_EQ(string_source().set_group_id("g").build()->client_id_prefix(), "g");
  EXPECT_EQ(string_source().set_group_id("g").set_client_id_prefix("p").build()->client_id_prefix(), "p");
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
  auto builder = sink;
  builder.set_bootstrap_servers("localhost:1");
  EXPECT_FALSE(builder.build()->relies_on_checkpoints());
  builder.set_delivery_guarantee(DeliveryGuarantee::kAtLeastOnce);
  EXPECT_TRUE(builder.build()->relies_on_checkpoints());
}

TEST(KafkaSinkBuilder, WarnsOfAcknowledgementsThatDoNotKeepThePromise) {
  const auto log_of = [](DeliveryGuarantee guarantee) {
    const auto schema = KafkaRecordSerializationSchema<std::string>::builder()
                            .set_topic("a")
                            .set_value_serialization_schema(SimpleStringSchema())
                            .build();
    testing::internal::CaptureStderr();
    KafkaSink<std::string>::builder()
        .set_bootstrap_servers("localhost:1")
        .set_record_serializer(schema)
        .set_delivery_guarantee(guarantee)
        .set_property("acks", "1")
        .build();
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(log_of(DeliveryGuarantee::kAtLeastOnce).find("KafkaSink: with 'acks' = '1'"), std::string::npos);
  EXPECT_EQ(log_of(DeliveryGuarantee::kNone), "");
}

TEST(KafkaSinkBuilder, RefusesWhatDoesNotFit) {
  const auto schema = [] { return KafkaRecordSerializationSchema<std::string>::builder(); };
  const auto has = [](const std::string& error, std::string_view part) {
    return error.find(part) != std::string::npos;
  };
  EXPECT_PRED2(has, builder_error([&] { schema().set_topic("no good"); }), "'no good' is no name of a topic");
  const auto first_letter = [](const std::string& text) { return text.substr(0, 1); };
  EXPECT_PRED2(has, builder_error([&] { schema().set_topic("a").set_topic_selector(first_letter); }), "set_topic()");
  EXPECT_PRED2(has, builder_error([&] { schema().set_topic_selector(first_letter).set_topic("a"); }), "set twice");
  const auto strings = [&] { return schema().set_topic("a").set_value_serialization_schema(SimpleStringSchema()); };
  EXPECT_PRED2(has, builder_error([&] { strings().set_kafka_value_serializer("StringSerializer").build(); }),
               "the value serializer is set twice");
  EXPECT_PRED2(
      has, builder_error([&] {
        strings().set_key_serialization_schema(first_letter).set_kafka_key_serializer("StringSerializer").build();
      }),
      "the key serializer is set twice");
  EXPECT_PRED2(has, builder_error([&] { strings().set_kafka_key_serializer("com.example.MySerializer"); }),
               "none of Kafka's own classes (StringSerializer");
  EXPECT_PRED2(has, builder_error([&] { strings().set_kafka_key_serializer("LongSerializer"); }), "is for int64_t");
}

/// What an encoder makes of a batch: "topic/partition key value" of each record.
template <class T>
std::vector<std::string> encoded(const KafkaEncoderFactory& encoders, std::vector<T> values,
                                 std::vector<std::string> names = {}, int subtask = 0) {
  // A topic named for the first time is known at the next look.
  std::vector<int32_t> partitions(names.size(), 3);
  SinkTopics topics("KafkaSink", names,
                    {.add_topic =
                         [&](std::string) {
                           partitions.push_back(0);
                           return partitions.size() - 1;
                         },
                     .num_partitions = [&](size_t topic) { return partitions[topic]; }});
  const auto encoder = encoders.create(subtask, 2);
  auto batch = std::make_shared<Batch<T>>();
  batch->values = std::move(values);
  while (!encoder->encode(batch, topics)) partitions.assign(partitions.size(), 3);
  std::vector<std::string> lines;
  const auto shown = [](std::string_view bytes) { return bytes.data() == nullptr ? std::string_view("null") : bytes; };
  for (size_t i = 0; i < encoder->records().size(); ++i) {
    const ProducedRecord& record = encoder->records()[i];
    const std::string& topic = topics.name(encoder->topics().empty() ? 0 : encoder->topics()[i]);
    std::string line = fmt::format("{}/{} {} {}", topic, encoder->partitions().empty() ? -1 : encoder->partitions()[i],
                                   shown(record.key), shown(record.value));
    for (const auto& [name, value] : record.headers) line += fmt::format(" {}={}", name, shown(value));
    lines.push_back(std::move(line));
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(SchemaEncoder, SelectsTopicsAndMayLeaveKeysAndValuesNull) {
  const SchemaEncoders<std::string> encoders(
      KafkaRecordSerializationSchema<std::string>::builder()
          .set_topic_selector([](const std::string& text) { return "out-" + text.substr(0, 1); })
          .set_key_serialization_schema([](const std::string& text) { return text.substr(0, 1); })
          .set_value_serialization_schema(
              [](const std::string& text) { return text.size() > 2 ? std::optional(text.substr(2)) : std::nullopt; })
          .build());
  EXPECT_EQ(encoded<std::string>(encoders, {"a:1", "b:2", "a:3", "b", "a:"}),
            (Lines{"out-a/-1 a 1", "out-b/-1 b 2", "out-a/-1 a 3", "out-b/-1 b null", "out-a/-1 a null"}));
  EXPECT_NE(builder_error([&] { encoded<std::string>(encoders, {"a:1", "?"}); }).find("'out-?'"), std::string::npos);
}

/// Numbers of records, in turn over the partitions; begins with the subtask's.
class InTurn {
 public:
  void open(int subtask, int parallelism) { next_ = subtask + 10 * parallelism; }
  int32_t partition(const std::string&, std::string_view key, std::string_view value, std::string_view topic,
                    std::span<const int32_t> partitions) {
    EXPECT_EQ(key.data(), nullptr);
    EXPECT_FALSE(value.empty() || topic.empty());
    return partitions[static_cast<size_t>(next_++) % partitions.size()];
  }

 private:
  int next_ = 0;
};

TEST(SchemaEncoder, PartitionsAsTheProgramSaysAndAsksOncePerRecord) {
  auto schema = KafkaRecordSerializationSchema<std::string>::builder();
  schema.set_value_serialization_schema(SimpleStringSchema()).set_partitioner(InTurn());
  const SchemaEncoders<std::string> fixed_topic(
      KafkaRecordSerializationSchemaBuilder<std::string>(schema).set_topic("t").build());
  EXPECT_EQ(encoded<std::string>(fixed_topic, {"a", "b", "c"}, {"t"}, 1),
            (Lines{"t/0 null a", "t/1 null b", "t/2 null c"}));
  // Topics that are looked up first change nothing.
  const SchemaEncoders<std::string> selected(
      KafkaRecordSerializationSchemaBuilder<std::string>(schema)
          .set_topic_selector([](const std::string& text) { return text.substr(0, 1); })
          .build());
  EXPECT_EQ(encoded<std::string>(selected, {"a", "b", "aa"}), (Lines{"a/2 null a", "b/0 null b", "a/1 null aa"}));
  schema.set_topic("t").set_partitioner(FlinkFixedPartitioner());
  EXPECT_EQ(schema.build().partitioner, SinkPartitioner::kFixed);
  EXPECT_EQ(schema.build().own_partitioner, nullptr);
}

/// Makes whole records, and counts how often it is asked.
class OwnSchema {
 public:
  std::optional<KafkaProducerRecord> serialize(const std::string& text, KafkaSinkContext& context, int64_t timestamp) {
    EXPECT_EQ(timestamp, kNoTimestamp);
    if (text == "skip") return std::nullopt;
    ++asked_;
    KafkaProducerRecord record{.topic = "t-" + text.substr(0, 1), .key = text, .value = std::to_string(asked_)};
    if (text == "last")
      record.partition = static_cast<int32_t>(context.get_partitions_for_topic(record.topic).size()) - 1;
    if (text == "gone") record.value = std::nullopt;
    record.headers = {{"from", fmt::format("{} of {}", context.get_parallel_instance_id(),
                                           context.get_number_of_parallel_instances())},
                      {"none", std::nullopt}};
    return record;
  }

 private:
  int asked_ = 0;
};

TEST(OwnSchemaEncoder, MakesWholeRecords) {
  const OwnSchemaEncoders<std::string, OwnSchema> encoders{OwnSchema()};
  EXPECT_EQ(encoded<std::string>(encoders, {"first", "skip", "last", "gone"}, {}, 1),
            (Lines{"t-f/-1 first 1 from=1 of 2 none=null", "t-l/2 last 3 from=1 of 2 none=null",
                   "t-g/-1 gone null from=1 of 2 none=null"}));
}

TEST(KafkaSerializers, AreKnownByTheirJavaClasses) {
  const auto bytes = []<class T>(std::string_view name, const T& value) {
    return KafkaClassSerializer<T>(name, {}, false).serialize(value);
  };
  EXPECT_EQ(bytes("org.apache.kafka.common.serialization.LongSerializer", int64_t{258}),
            std::string("\0\0\0\0\0\0\1\2", 8));
  EXPECT_EQ(bytes("org.apache.flink.kafka.shaded.org.apache.kafka.common.serialization.ShortSerializer", int16_t{258}),
            "\1\2");
  EXPECT_EQ(bytes("BooleanSerializer", true), "\1");
  EXPECT_EQ(bytes("VoidSerializer", 1.5), std::nullopt);
  EXPECT_EQ(bytes("ByteArraySerializer", std::vector<uint8_t>{1, 0}), std::string("\1\0", 2));
  EXPECT_EQ(bytes("UUIDSerializer", std::string("F81D4FAE-7dec-11d0-a765-00a0c91e6bf6")),
            "f81d4fae-7dec-11d0-a765-00a0c91e6bf6");
  const std::string text = "caf\xc3\xa9 \xe2\x82\xac";
  EXPECT_EQ(KafkaClassSerializer<std::string>("StringSerializer", {{"serializer.encoding", "ISO-8859-1"}}, true)
                .serialize(text),
            "caf\xe9 ?");
  const KafkaClassDeserializer<std::string> latin("StringDeserializer", {{"value.deserializer.encoding", "latin1"}});
  EXPECT_EQ(latin.deserialize("caf\xe9"), "caf\xc3\xa9");
  EXPECT_EQ(KafkaClassDeserializer<int64_t>("LongDeserializer").deserialize(std::string("\0\0\0\0\0\0\1\2", 8)), 258);
  EXPECT_EQ(KafkaClassDeserializer<bool>("BooleanDeserializer").deserialize(std::string_view("\0", 1)), false);
  for (const auto& [name, wrong] : {std::pair("UUIDDeserializer", "no uuid"), std::pair("StringSerializer", "")}) {
    EXPECT_NE(builder_error([&] { KafkaClassDeserializer<std::string>(name).deserialize(wrong); }), "none") << name;
  }
  EXPECT_NE(builder_error([] { KafkaClassDeserializer<bool>("BooleanDeserializer").deserialize("x"); }), "none");
  EXPECT_NE(builder_error([] {
              KafkaClassSerializer<std::string>("StringSerializer", {{"serializer.encoding", "EBCDIC"}}, true);
            }).find("'EBCDIC'"),
            std::string::npos);
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

struct ThrowsNumbers {
  int64_t deserialize(std::string_view message) const { throw static_cast<int>(message.size()); }
};

TEST(SchemaDecoder, NamesTheRecordWhateverIsThrown) {
  FetchedBuffer buffer;
  buffer.partition = {"numbers", 2};
  FetchedRecord* record = buffer.run.reserve(1);
  record[0] = {.offset = 43, .timestamp_ms = 1042, .value = "5", .key = nullptr, .value_size = 1};
  buffer.run.set_size(1);
  SourceMetrics metrics;
  const auto decoder = SchemaDecoders<int64_t, ThrowsNumbers, false>(ThrowsNumbers()).create(&metrics);
  const std::string error = builder_error([&] { decoder->append(buffer, 0, 1); });
  EXPECT_NE(error.find("topic=numbers partition=2 offset=43: the deserializer threw"), std::string::npos) << error;
}

/// Null values become a record of their own; empty ones none.
struct SeesNull {
  std::optional<std::string> deserialize(std::optional<std::string_view> message) const {
    if (!message) return "deleted";
    if (message->empty()) return std::nullopt;
    return std::string(*message);
  }
};

TEST(SchemaDecoder, ShowsNullValuesToWhoWantsThem) {
  FetchedBuffer buffer;
  buffer.partition = {"texts", 0};
  FetchedRecord* record = buffer.run.reserve(3);
  record[0] = {.offset = 1, .timestamp_ms = 10, .value = "a", .key = nullptr, .value_size = 1};
  record[1] = {.offset = 2, .timestamp_ms = 20};
  record[2] = {.offset = 3, .timestamp_ms = 30, .value = "", .key = nullptr, .value_size = 0};
  buffer.run.set_size(3);
  SourceMetrics metrics;
  const auto decoder = SchemaDecoders<std::string, SeesNull, false>(SeesNull()).create(&metrics);
  decoder->append(buffer, 0, 3);
  const BatchPtr batch = decoder->take();
  const auto& texts = static_cast<const Batch<std::string>&>(*batch);
  EXPECT_EQ(texts.values, (std::vector<std::string>{"a", "deleted"}));
  EXPECT_EQ(texts.timestamps, (std::vector<int64_t>{10, 20}));
}

}  // namespace
}  // namespace yeoul
