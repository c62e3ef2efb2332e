#include "yeoul/connectors/kafka/kafka_table_factory.h"

#include <gtest/gtest.h>

#include "yeoul/connectors/kafka/kafka_test_table.h"
#include "yeoul/formats/json/json_format.h"
#include "yeoul/formats/raw/raw_format.h"

namespace yeoul {
const FormatRegistry& test_formats() {
  static const std::unique_ptr<const FormatRegistry> registry = [] {
    auto made = std::make_unique<FormatRegistry>();
    made->add(make_json_format());
    made->add(make_raw_format());
    return made;
  }();
  return *registry;
}

namespace {

Schema click_columns() {
  return Schema({{"uid", LogicalType::bigint()}, {"iid", LogicalType::bigint()}, {"act", LogicalType::string()}});
}

TestTable clicks() {
  return TestTable("clicks", click_columns(),
                   {{"connector", "kafka"},
                    {"topic", "clicks"},
                    {"properties.bootstrap.servers", "127.0.0.1:1"},
                    {"format", "json"},
                    {"scan.startup.mode", "earliest-offset"}});
}

TestTable accounts() {
  TestTable table("acc", Schema({{"id", LogicalType::bigint().not_null()}, {"name", LogicalType::string()}}),
                  {{"connector", "upsert-kafka"},
                   {"topic", "acc"},
                   {"properties.bootstrap.servers", "127.0.0.1:1"},
                   {"key.format", "json"},
                   {"value.format", "json"}});
  table.key({0});
  return table;
}

/// The error of making the source, as text with its code; "none".
std::string source_error(const TestTable& table) {
  try {
    table.table_source();
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::kUser);
    return error.to_string();
  }
  return "none";
}

std::string sink_error(const TestTable& table) {
  try {
    table.table_sink()->create_sink({});
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::kUser);
    return error.to_string();
  }
  return "none";
}

void expect_named(const std::string& error, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) EXPECT_NE(error.find(part), std::string::npos) << part << " in: " << error;
}

TEST(KafkaTable, SourceAndSinkAreMadeWithoutABroker) {
  EXPECT_EQ(source_error(clicks()), "none");
  EXPECT_EQ(sink_error(clicks()), "none");
  EXPECT_FALSE(clicks().table_source()->bounded());
  EXPECT_TRUE(clicks().with("scan.bounded.mode", "latest-offset").table_source()->bounded());
  EXPECT_EQ(clicks().with("scan.parallelism", "3").table_source()->parallelism(), 3);
}

TEST(KafkaTable, RequiredOptionsAreNamed) {
  expect_named(source_error(clicks().without("properties.bootstrap.servers")), {"properties.bootstrap.servers"});
  expect_named(source_error(clicks().without("format")), {"'format'", "value.format"});
  expect_named(source_error(clicks().without("topic")), {"'topic'", "topic-pattern"});
  expect_named(source_error(clicks().with("topic-pattern", "c.*")), {"topic-pattern"});
}

TEST(KafkaTable, EmptyBrokerListsAreRefused) {
  for (const char* servers : {"", " ", ",,", " , "}) {
    expect_named(source_error(clicks().with("properties.bootstrap.servers", servers)), {"names no broker"});
  }
}

TEST(KafkaTable, NamesThatAreNoTopicsAreRefused) {
  for (const std::string& topic : {std::string("my clicks"), std::string("clicks;a/b"), std::string(".."),
                                   std::string("클릭"), std::string(250, 'a')}) {
    EXPECT_NE(source_error(clicks().with("topic", topic)).find("Kafka takes no topic"), std::string::npos) << topic;
    EXPECT_NE(sink_error(clicks().with("topic", topic)).find("Kafka takes no topic"), std::string::npos) << topic;
  }
  EXPECT_EQ(source_error(clicks().with("topic", "a.b_c-D;" + std::string(249, 'a'))), "none");
}

TEST(KafkaTable, BrokersAreLookedAtOneByOne) {
  for (const char* bad :
       {"127.0.0.1:abc", "127.0.0.1:99999", "a:1;b:2", "http://a", "SSL://a", ":24092", "a:1/x", "a"}) {
    expect_named(source_error(clicks().with("properties.bootstrap.servers", bad)),
                 {"table 'clicks'", "option 'properties.bootstrap.servers'", bad});
    expect_named(sink_error(accounts().with("properties.bootstrap.servers", bad)), {"table 'acc'", bad});
  }
}

TEST(KafkaTable, ABlankGroupIsTheGeneratedOne) {
  for (const char* blank : {"", " "}) EXPECT_EQ(source_error(clicks().with("properties.group.id", blank)), "none");
}

TEST(KafkaTable, TimesBefore1970AreRefused) {
  TestTable table = clicks().with("scan.startup.mode", "timestamp").with("scan.startup.timestamp-millis", "-1");
  expect_named(source_error(table), {"'scan.startup.timestamp-millis' = -1", "negative"});
  table = clicks().with("scan.bounded.mode", "timestamp").with("scan.bounded.timestamp-millis", "-5");
  expect_named(source_error(table), {"'scan.bounded.timestamp-millis' = -5", "negative"});
}

TEST(KafkaTable, ColumnsThatAFormatCannotTakeAreRefusedAtOnce) {
  TestTable table("maps", Schema({{"m", LogicalType::map(LogicalType::integer(), LogicalType::string())}}),
                  clicks().context.options);
  expect_named(source_error(table), {"table 'maps'", "'format'", "'m'", "string keys"});
  expect_named(sink_error(table), {"table 'maps'", "'format'", "'m'", "string keys"});
  expect_named(source_error(clicks().with("format", "raw")), {"table 'clicks'", "exactly one column"});
  expect_named(sink_error(clicks().with("format", "raw")), {"table 'clicks'", "exactly one column"});
  TestTable keyed = clicks().with("key.format", "raw").with("key.fields", "uid;act");
  expect_named(source_error(keyed), {"'key.format'", "exactly one column"});
  expect_named(sink_error(keyed), {"'key.format'", "exactly one column"});
}

TEST(KafkaTable, ValuesOfClientPropertiesAreCheckedWithTheTable) {
  expect_named(sink_error(clicks().with("properties.acks", "2")), {"'properties.acks' = '2'", "all, -1, 0, 1"});
  EXPECT_EQ(source_error(clicks().with("properties.fetch.max.bytes", "0")), "none");
  EXPECT_EQ(source_error(clicks().with("properties.reconnect.backoff.max.ms", "10")), "none");
  EXPECT_EQ(source_error(clicks().with("properties.client.dns.lookup", "use_all_dns_ips")), "none");
}

/// What making the table's sink says to the log.
std::string sink_log(const TestTable& table) {
  testing::internal::CaptureStderr();
  table.table_sink();
  return testing::internal::GetCapturedStderr();
}

TEST(KafkaTable, AcknowledgementsThatDoNotKeepThePromiseAreWarnedOf) {
  const auto with_acks = [](const char* acks) { return clicks().with("properties.acks", acks); };
  expect_named(sink_log(with_acks("1")), {"WARN", "table 'clicks'", "'acks' = '1'", "lost"});
  expect_named(sink_log(with_acks("0")), {"'acks' = '0'"});
  expect_named(sink_log(accounts().with("properties.acks", "1")), {"table 'acc'", "'acks' = '1'"});
  EXPECT_EQ(sink_log(with_acks("all")), "");
  EXPECT_EQ(sink_log(with_acks("-1")), "");
  EXPECT_EQ(sink_log(with_acks("1").with("sink.delivery-guarantee", "none")), "");
}

TEST(KafkaTable, MisspeltOptionsNameTheNearest) {
  expect_named(source_error(clicks().with("scan.startup.mod", "x")), {"'scan.startup.mod'", "'scan.startup.mode'"});
  expect_named(source_error(clicks().with("properties.fetch.max.wait.m", "1")), {"'fetch.max.wait.ms'"});
  EXPECT_EQ(source_error(clicks().with("properties.foo.bar", "x")), "none");
  expect_named(source_error(clicks().with("json.ignore-parse-error", "true")), {"ignore-parse-errors"});
}

TEST(KafkaTable, KeyOptionsMustFitTogether) {
  expect_named(source_error(clicks().with("key.format", "json")), {"key.fields"});
  expect_named(source_error(clicks().with("key.fields", "uid")), {"key.format"});
  TestTable keyed = clicks();
  keyed.with("key.format", "json").with("key.fields", "uid;nope");
  expect_named(source_error(keyed), {"key.fields", "nope"});
  keyed.with("key.fields", "uid").with("key.fields-prefix", "u");
  expect_named(source_error(keyed), {"key.fields-prefix", "EXCEPT_KEY"});
  keyed.with("value.fields-include", "EXCEPT_KEY");
  EXPECT_EQ(source_error(keyed), "none");
  keyed.with("key.fields", "uid;iid");
  expect_named(source_error(keyed), {"iid", "key.fields-prefix"});
  expect_named(source_error(clicks().with("value.fields-include", "KEY_ONLY")), {"value.fields-include"});
}

TEST(KafkaTable, ModesNeedTheirCompanions) {
  expect_named(source_error(clicks().with("scan.startup.mode", "timestamp")), {"scan.startup.timestamp-millis"});
  expect_named(source_error(clicks().with("scan.startup.mode", "specific-offsets")), {"scan.startup.specific-offsets"});
  expect_named(source_error(clicks().with("scan.bounded.mode", "timestamp")), {"scan.bounded.timestamp-millis"});
  expect_named(source_error(clicks().with("scan.bounded.mode", "specific-offsets")), {"scan.bounded.specific-offsets"});
  EXPECT_EQ(source_error(clicks().with("scan.startup.mode", "EARLIEST-OFFSET")), "none");
}

TEST(KafkaTable, SpecificOffsets) {
  EXPECT_EQ(parse_specific_offsets("k", "partition:0,offset:42;partition:1,offset:300"),
            (std::map<int32_t, int64_t>{{0, 42}, {1, 300}}));
  EXPECT_EQ(parse_specific_offsets("k", "partition:0,offset:1;partition:0,offset:2;"),
            (std::map<int32_t, int64_t>{{0, 2}}));
  for (const std::string_view bad : {"", "partition:0", "partition:0,offset:", "partition:0, offset:1", "0:1",
                                     "partition:-1,offset:3", "partition:0,offset:1,partition:1,offset:2"}) {
    EXPECT_THROW(parse_specific_offsets("k", bad), Error) << bad;
  }
}

TEST(KafkaTable, WhatIsNotThereYetIsRefusedByName) {
  expect_named(sink_error(clicks().with("sink.delivery-guarantee", "exactly-once")), {"exactly-once", "not supported"});
  expect_named(sink_error(clicks().with("sink.semantic", "exactly-once")), {"exactly-once", "not supported"});
  expect_named(source_error(clicks().with("properties.security.protocol", "TLS")), {"security.protocol"});
  expect_named(source_error(clicks().with("scan.on-error", "dead-letter")), {"dead-letter"});
}

TEST(KafkaTable, Partitioners) {
  EXPECT_EQ(sink_error(clicks().with("sink.partitioner", "round-robin")), "none");
  TestTable keyed = clicks();
  keyed.with("key.format", "json").with("key.fields", "uid").with("sink.partitioner", "round-robin");
  expect_named(sink_error(keyed), {"round-robin", "key.fields"});
  expect_named(sink_error(clicks().with("sink.partitioner", "org.mycompany.Mine")), {"org.mycompany.Mine"});
}

TEST(KafkaTable, SeveralTopicsNeedTheTopicColumn) {
  const TestTable table = clicks().with("topic", "oa;ob");
  expect_named(sink_error(table), {"topic", "METADATA"});
  EXPECT_NO_THROW(table.table_sink()->create_sink({"topic"}));
  const auto writable = [](const TableSink& sink) {
    for (const MetadataColumn& column : sink.metadata()) {
      if (column.key == "topic") return column.writable;
    }
    return false;
  };
  EXPECT_TRUE(writable(*table.table_sink()));
  EXPECT_FALSE(writable(*clicks().table_sink()));
}

TEST(KafkaTable, TellsTheJobWhatItIsToWarnOf) {
  const auto relies = [](const TestTable& table) {
    return table.table_sink()->create_sink({})->relies_on_checkpoints();
  };
  EXPECT_FALSE(relies(clicks()));
  EXPECT_TRUE(relies(clicks().with("sink.delivery-guarantee", "at-least-once")));
  EXPECT_TRUE(relies(clicks().with("sink.semantic", "at-least-once")));
  EXPECT_FALSE(relies(clicks().with("sink.delivery-guarantee", "none")));
}

TEST(KafkaTable, APrimaryKeyNeedsAChangelog) {
  expect_named(source_error(clicks().key({0})), {"PRIMARY KEY", "upsert-kafka"});
  expect_named(sink_error(clicks().key({0})), {"PRIMARY KEY", "upsert-kafka"});
}

TEST(UpsertKafkaTable, IsAnUpsertChangelogOnItsKey) {
  const auto source = accounts().table_source();
  EXPECT_TRUE(source->is_upsert());
  EXPECT_FALSE(source->changelog_mode().contains(RowKind::kUpdateBefore));
  EXPECT_EQ(accounts().table_sink()->accepted_mode(ChangelogMode::all()), ChangelogMode::upsert());
}

TEST(UpsertKafkaTable, RequiresKeyAndFormats) {
  expect_named(source_error(accounts().key({})), {"PRIMARY KEY"});
  expect_named(sink_error(accounts().key({})), {"PRIMARY KEY"});
  expect_named(source_error(accounts().without("key.format")), {"key.format"});
  expect_named(source_error(accounts().without("value.format")), {"value.format"});
}

TEST(UpsertKafkaTable, WarnsOfPartitionersThatTakeTheChangesOfAKeyApart) {
  const std::string uniform = "org.apache.kafka.clients.producer.UniformStickyPartitioner";
  expect_named(sink_log(accounts().with("properties.partitioner.class", uniform)),
               {"table 'acc'", "out of order", "'properties.partitioner.class'"});
  expect_named(sink_log(accounts().with("properties.partitioner.ignore.keys", "true")), {"out of order"});
  EXPECT_EQ(sink_log(accounts()), "");
  EXPECT_EQ(sink_log(clicks().with("properties.partitioner.class", uniform)), "");
}

TEST(UpsertKafkaTable, HasOptionsOfItsOwn) {
  expect_named(source_error(accounts().with("scan.startup.mode", "latest-offset")), {"scan.startup.mode"});
  expect_named(source_error(accounts().with("format", "json")), {"format"});
  expect_named(sink_error(accounts().with("sink.buffer-flush.max-rows", "10")), {"sink.buffer-flush.interval"});
  EXPECT_EQ(source_error(accounts().with("scan.topic-partition-discovery.interval", "10 s")), "none");
}

}  // namespace
}  // namespace yeoul
