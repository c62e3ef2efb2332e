#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <future>

#include "yeoul/common/error.h"
#include "yeoul/connectors/kafka/kafka_test_table.h"
#include "yeoul/connectors/kafka/source_driver.h"
#include "yeoul/connectors/kafka/test_broker.h"
#include "yeoul/formats/json/json_format.h"
#include "yeoul/kafka/client/partitioner.h"
#include "yeoul/types/row_literal.h"

namespace yeoul {
const FormatRegistry& test_formats() {
  static const std::unique_ptr<const FormatRegistry> registry = [] {
    auto made = std::make_unique<FormatRegistry>();
    made->add(make_json_format());
    return made;
  }();
  return *registry;
}

namespace {

using Lines = std::vector<std::string>;

class KafkaBroker : public testing::Test {
 protected:
  void SetUp() override {
    if (!TestBroker::is_available()) GTEST_SKIP() << "YEOUL_TEST_BOOTSTRAP is not set";
    broker = std::make_unique<TestBroker>();
  }

  std::unique_ptr<TestBroker> broker;
};

Schema number_columns() {
  return Schema({{"n", LogicalType::bigint()}});
}

TestTable numbers(const std::string& topic) {
  return TestTable("numbers", number_columns(),
                   {{"connector", "kafka"},
                    {"topic", topic},
                    {"properties.bootstrap.servers", TestBroker::bootstrap()},
                    {"format", "json"},
                    {"scan.startup.mode", "earliest-offset"},
                    {"scan.bounded.mode", "latest-offset"}});
}

TestTable accounts(const std::string& topic) {
  TestTable table(
      "acc",
      Schema(
          {{"id", LogicalType::bigint().not_null()}, {"name", LogicalType::string()}, {"amt", LogicalType::integer()}}),
      {{"connector", "upsert-kafka"},
       {"topic", topic},
       {"properties.bootstrap.servers", TestBroker::bootstrap()},
       {"key.format", "json"},
       {"value.format", "json"},
       {"scan.bounded.mode", "latest-offset"}});
  table.key({0});
  return table;
}

TestRecord number(int64_t n, int32_t partition = 0) {
  return {partition, std::nullopt, "{\"n\":" + std::to_string(n) + "}"};
}

std::vector<TestRecord> number_range(int64_t from, int64_t to, int32_t partition = 0) {
  std::vector<TestRecord> records;
  for (int64_t n = from; n < to; ++n) records.push_back(number(n, partition));
  return records;
}

Lines lines(int64_t from, int64_t to) {
  Lines all;
  for (int64_t n = from; n < to; ++n) all.push_back("+I " + std::to_string(n));
  std::sort(all.begin(), all.end());
  return all;
}

ScanRequest all_columns(const TestTable& table, std::vector<std::string> metadata = {}) {
  ScanRequest request;
  for (int i = 0; i < static_cast<int>(table.context.physical.size()); ++i) request.columns.push_back(i);
  request.metadata = std::move(metadata);
  return request;
}

std::shared_ptr<const Source> source_of(const TestTable& table, std::vector<std::string> metadata = {}) {
  return table.table_source()->create_source(all_columns(table, std::move(metadata)));
}

Lines read_all(const TestTable& table, std::vector<std::string> metadata = {}, int parallelism = 1,
               int64_t batch_records_max = 1024) {
  SourceDriver driver(source_of(table, std::move(metadata)), parallelism, batch_records_max);
  driver.start();
  driver.run_to_end();
  return driver.sorted_rows();
}

/// The message of the failure of reading a table; "none".
std::string read_error(const TestTable& table) {
  try {
    read_all(table);
  } catch (const Error& error) {
    return error.to_string();
  }
  return "none";
}

/// Writes batches as a task would, then waits as at the end of input.
void write(const TestTable& table, const std::vector<RowBatchPtr>& batches, std::vector<std::string> metadata = {},
           int subtask = 0) {
  WakeUp wake;
  SinkMetrics metrics;
  std::promise<void> prepared;
  SinkWriterContext context;
  context.subtask = subtask;
  context.wake_up = [&] { wake.raise(); };
  context.fail = [&](std::exception_ptr error) { prepared.set_exception(std::move(error)); };
  context.clock = &system_clock();
  context.metrics = &metrics;
  const auto sink = table.table_sink()->create_sink(metadata);
  const auto writer = sink->create_writer(std::move(context));
  for (const RowBatchPtr& batch : batches) {
    while (!writer->has_room()) wake.wait({}, 30'000);
    writer->write(batch);
  }
  writer->begin_prepare(1, true, [&](std::vector<std::string>) { prepared.set_value(); });
  prepared.get_future().get();
}

TEST_F(KafkaBroker, ReadsWhatIsThereAndEnds) {
  const std::string topic = broker->create_topic(2);
  broker->produce(topic, number_range(0, 3000, 0));
  broker->produce(topic, number_range(3000, 5000, 1));
  EXPECT_EQ(read_all(numbers(topic)), lines(0, 5000));
  EXPECT_EQ(read_all(numbers(topic), {}, 2), lines(0, 5000));
  EXPECT_EQ(read_all(numbers(topic), {}, 3, 1), lines(0, 5000)) << "spare readers, one row a batch";
}

TEST_F(KafkaBroker, AnEmptyTopicEndsAtOnce) {
  const std::string topic = broker->create_topic(3);
  EXPECT_EQ(read_all(numbers(topic)), Lines());
  broker->produce(topic, {number(1, 2)});
  EXPECT_EQ(read_all(numbers(topic)), Lines({"+I 1"}));
}

TEST_F(KafkaBroker, EndsInTransactionMarkers) {
  const std::string topic = broker->create_topic(2);
  broker->produce_transaction(topic, {number(1), number(2)}, true);
  broker->produce_transaction(topic, {number(3)}, false);
  broker->produce_transaction(topic, {number(4, 1)}, false);
  EXPECT_EQ(read_all(numbers(topic)), Lines({"+I 1", "+I 2"}));
  TestTable uncommitted = numbers(topic);
  uncommitted.with("properties.isolation.level", "read_uncommitted");
  EXPECT_EQ(read_all(uncommitted), Lines({"+I 1", "+I 2", "+I 3", "+I 4"}));
}

TEST_F(KafkaBroker, MetadataKeyAndHeaders) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, {{0, "k", "{\"n\":1}", 1700000000000, {{"trace", "\x01\x02"}, {"a", "x"}, {"trace", "y"}}},
                          {0, std::nullopt, "{\"n\":2}", 1700000000001}});
  EXPECT_EQ(read_all(numbers(topic), {"topic", "partition", "offset", "timestamp", "timestamp-type", "leader-epoch"}),
            Lines({"+I 1 " + topic + " 0 0 '2023-11-14 22:13:20.000' CreateTime 0",
                   "+I 2 " + topic + " 0 1 '2023-11-14 22:13:20.001' CreateTime 0"}));
  const Lines headers = read_all(numbers(topic), {"headers"});
  EXPECT_EQ(headers[0], "+I 1 '{a=x, trace=y}'") << "the last of equal names wins";
  EXPECT_EQ(headers[1], "+I 2 {}");
}

TEST_F(KafkaBroker, KeyFormatWithNullAndBadKeys) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, {{0, "{\"id\":1}", "{\"n\":10}"},
                          {0, std::nullopt, "{\"n\":20}"},
                          {0, "oops", "{\"n\":30}"},
                          {0, "{\"id\":4}", "{\"n\":40}"},
                          {0, "{\"id\":5}", std::nullopt}});
  TestTable table("keyed", Schema({{"k_id", LogicalType::bigint()}, {"n", LogicalType::bigint()}}),
                  numbers(topic).without("format").context.options);
  table.with("key.format", "json").with("key.fields", "k_id").with("key.fields-prefix", "k_");
  table.with("value.format", "json").with("value.fields-include", "EXCEPT_KEY");
  const std::string error = read_error(table);
  EXPECT_NE(error.find("topic=" + topic + " partition=0 offset=2: key"), std::string::npos) << error;
  table.with("key.json.ignore-parse-errors", "true");
  EXPECT_EQ(read_all(table, {"offset"}), Lines({"+I . 20 1", "+I 1 10 0", "+I 4 40 3"}));
}

TEST_F(KafkaBroker, ABadRecordNamesItsPlace) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, {number(1), {0, std::nullopt, "not json"}, number(3)});
  const std::string error = read_error(numbers(topic));
  EXPECT_NE(error.find("table 'numbers': kafka topic=" + topic + " partition=0 offset=1: value"), std::string::npos)
      << error;
  EXPECT_NE(error.find("[YEOUL-3001]"), std::string::npos) << error;
  EXPECT_EQ(read_all(numbers(topic).with("scan.on-error", "skip")), Lines({"+I 1", "+I 3"}));
  SourceDriver driver(source_of(numbers(topic).with("json.ignore-parse-errors", "true")), 1);
  driver.start();
  driver.run_to_end();
  EXPECT_EQ(driver.sorted_rows(), Lines({"+I 1", "+I 3"}));
  EXPECT_EQ(driver.metrics().records_skipped.value(), 1);
  EXPECT_EQ(driver.metrics().records_in.value(), 3);
}

TEST_F(KafkaBroker, StartupAndBoundedModes) {
  const std::string topic = broker->create_topic(2);
  for (int32_t partition = 0; partition < 2; ++partition) {
    for (int64_t i = 0; i < 5; ++i) {
      broker->produce(topic, {{partition, std::nullopt, "{\"n\":" + std::to_string(partition * 10 + i) + "}",
                               1700000000000 + i * 10}});
    }
  }
  broker->commit_offsets("g-" + topic, topic, {2, 4});
  const auto read = [&](OptionMap options) {
    TestTable table = numbers(topic);
    table.with("properties.group.id", "g-" + topic);
    for (const auto& [key, value] : options) table.with(key, value);
    return read_all(table);
  };
  EXPECT_EQ(read({{"scan.startup.mode", "group-offsets"}}), Lines({"+I 14", "+I 2", "+I 3", "+I 4"}));
  EXPECT_EQ(read({{"scan.startup.mode", "latest-offset"}}), Lines());
  EXPECT_EQ(read({{"scan.startup.mode", "timestamp"}, {"scan.startup.timestamp-millis", "1700000000025"}}),
            Lines({"+I 13", "+I 14", "+I 3", "+I 4"}));
  EXPECT_EQ(read({{"scan.startup.mode", "timestamp"}, {"scan.startup.timestamp-millis", "1800000000000"}}), Lines());
  EXPECT_EQ(read({{"scan.startup.mode", "specific-offsets"},
                  {"scan.startup.specific-offsets", "partition:0,offset:4;partition:1,offset:3"}}),
            Lines({"+I 13", "+I 14", "+I 4"}));
  EXPECT_EQ(read({{"scan.bounded.mode", "group-offsets"}}),
            Lines({"+I 0", "+I 1", "+I 10", "+I 11", "+I 12", "+I 13"}));
  EXPECT_EQ(read({{"scan.bounded.mode", "timestamp"}, {"scan.bounded.timestamp-millis", "1700000000020"}}),
            Lines({"+I 0", "+I 1", "+I 10", "+I 11"}));
  EXPECT_EQ(
      read({{"scan.bounded.mode", "specific-offsets"}, {"scan.bounded.specific-offsets", "partition:0,offset:3"}}),
      Lines({"+I 0", "+I 1", "+I 2"}));
}

TEST_F(KafkaBroker, GroupOffsetsWithoutACommitFailUnlessAResetIsNamed) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, {number(1)});
  TestTable table = numbers(topic);
  table.with("scan.startup.mode", "group-offsets").with("properties.group.id", "none-" + topic);
  const std::string error = read_error(table);
  for (const std::string& part : {"none-" + topic, "topic=" + topic + " partition=0", std::string("scan.startup.mode"),
                                  std::string("auto.offset.reset")}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  EXPECT_EQ(read_all(table.with("properties.auto.offset.reset", "earliest")), Lines({"+I 1"}));
  EXPECT_EQ(read_all(table.with("properties.auto.offset.reset", "latest")), Lines());
}

TEST_F(KafkaBroker, AMissingTopicIsNamed) {
  const std::string error = read_error(numbers("no-such-topic-here"));
  EXPECT_NE(error.find("no-such-topic-here"), std::string::npos) << error;
}

TEST_F(KafkaBroker, CheckpointsHoldPositionsAndCommitThem) {
  const std::string topic = broker->create_topic(2);
  TestTable table = numbers(topic);
  table.without("scan.bounded.mode").with("properties.group.id", "cp-" + topic);
  broker->produce(topic, number_range(0, 50, 0));
  broker->produce(topic, number_range(50, 100, 1));
  SourceDriver::Checkpoint checkpoint;
  size_t emitted = 0;
  {
    SourceDriver driver(source_of(table), 1, 7);
    driver.start();
    driver.run_until([&] { return driver.rows().size() >= 60; });
    checkpoint = driver.checkpoint(1);
    emitted = driver.rows().size();
    driver.complete_checkpoint(1);
    int64_t committed = 0;
    driver.run_until([&] {
      committed = 0;
      for (const int64_t offset : broker->committed_offsets("cp-" + topic, topic, 2))
        committed += std::max<int64_t>(offset, 0);
      return committed > 0;
    });
    EXPECT_EQ(committed, static_cast<int64_t>(emitted));
    driver.run_until([&] { return driver.rows().size() == 100; });
    EXPECT_EQ(driver.sorted_rows(), lines(0, 100));
  }
  SourceDriver again(source_of(table), 2);
  again.restore(checkpoint);
  broker->produce(topic, {number(100)});
  again.run_until([&] { return !again.rows().empty() && again.caught_up().size() == 2; });
  EXPECT_EQ(again.rows().size() + emitted, 101u) << "nothing from before the checkpoint comes again";
}

TEST_F(KafkaBroker, ARestoredBoundedReadEndsAtTheOldBound) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, number_range(0, 100));
  SourceDriver::Checkpoint checkpoint;
  {
    SourceDriver driver(source_of(numbers(topic)), 1, 10);
    driver.start();
    driver.run_until([&] { return driver.rows().size() >= 40; });
    checkpoint = driver.checkpoint(1);
  }
  broker->produce(topic, number_range(100, 200));
  SourceDriver again(source_of(numbers(topic)), 1, 10);
  again.restore(checkpoint);
  again.run_to_end();
  EXPECT_EQ(again.rows().size(), 60u);
}

TEST_F(KafkaBroker, ANewPartitionIsFoundAndReadFromItsBeginning) {
  const std::string topic = broker->create_topic(1);
  TestTable table = numbers(topic);
  table.without("scan.bounded.mode").with("scan.startup.mode", "latest-offset");
  table.with("scan.topic-partition-discovery.interval", "100 ms");
  SourceDriver driver(source_of(table), 2);
  driver.start();
  driver.run_until([&] { return driver.caught_up().size() == 1; });
  broker->add_partitions(topic, 2);
  broker->produce(topic, {number(7, 1)});
  driver.run_until([&] { return driver.rows().size() == 1; });
  EXPECT_EQ(driver.rows(), Lines({"+I 7"}));
  EXPECT_EQ(driver.rows_of_split().count(topic + "-1"), 1u);
}

TEST_F(KafkaBroker, ATopicPatternFindsTopicsLater) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, {number(1)});
  TestTable table = numbers(topic);
  table.without("topic").without("scan.bounded.mode").with("topic-pattern", topic + "(-pattern)?");
  table.with("scan.topic-partition-discovery.interval", "100 ms");
  SourceDriver driver(source_of(table, {"topic"}), 1);
  driver.start();
  driver.run_until([&] { return driver.rows().size() == 1; });
  const std::string late = topic + "-pattern";
  broker->produce(late, {number(2)});
  driver.run_until([&] { return driver.rows().size() == 2; });
  EXPECT_EQ(driver.sorted_rows(), Lines({"+I 1 " + topic, "+I 2 " + late}));
}

TEST_F(KafkaBroker, OffsetsThatAreGoneFailOrResetAsTold) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, number_range(0, 10));
  broker->delete_records_before(topic, 0, 6);
  TestTable table = numbers(topic);
  table.with("scan.startup.mode", "specific-offsets").with("scan.startup.specific-offsets", "partition:0,offset:2");
  const std::string error = read_error(table);
  EXPECT_NE(error.find("topic=" + topic + " partition=0 offset=2"), std::string::npos) << error;
  EXPECT_NE(error.find("4 records"), std::string::npos) << error;
  EXPECT_EQ(read_all(table.with("properties.auto.offset.reset", "earliest")), lines(6, 10));
}

// Where YEOUL_TEST_RESTART names a command that restarts the broker and returns once it is up.
TEST_F(KafkaBroker, ReadingAndWritingGoOnAfterABrokerRestart) {
  const char* restart = std::getenv("YEOUL_TEST_RESTART");
  if (restart == nullptr) GTEST_SKIP() << "YEOUL_TEST_RESTART is not set";
  const std::string topic = broker->create_topic(2);
  TestTable table = numbers(topic);
  table.without("scan.bounded.mode").with("scan.topic-partition-discovery.interval", "100 ms");
  SourceDriver driver(source_of(table), 1);
  driver.start();
  write(table, {rows(number_columns(), "+I 0\n+I 1")});
  driver.run_until([&] { return driver.rows().size() == 2; });
  std::jthread restarting = start_thread("restart", [&](std::stop_token) { EXPECT_EQ(std::system(restart), 0); });
  for (int i = 2; i < 10; ++i) write(table, {rows(number_columns(), "+I " + std::to_string(i))});
  restarting.join();
  write(table, {rows(number_columns(), "+I 10")});
  driver.run_until([&] { return driver.rows().size() == 11; });
  EXPECT_EQ(driver.sorted_rows(), lines(0, 11));
}

TEST_F(KafkaBroker, PausedSplitsEmitNothingUntilResumed) {
  const std::string topic = broker->create_topic(2);
  broker->produce(topic, number_range(0, 20, 0));
  broker->produce(topic, number_range(20, 40, 1));
  TestTable table = numbers(topic);
  table.without("scan.bounded.mode");
  SourceDriver driver(source_of(table), 1, 3);
  driver.start();
  driver.run_until([&] { return driver.rows().size() >= 3; });
  driver.pause_or_resume({topic + "-0"}, {});
  const int64_t paused_at = driver.rows_of_split().count(topic + "-0") ? driver.rows_of_split().at(topic + "-0") : 0;
  driver.run_until(
      [&] { return driver.rows_of_split().count(topic + "-1") && driver.rows_of_split().at(topic + "-1") == 20; });
  const auto& counts = driver.rows_of_split();
  EXPECT_EQ(counts.count(topic + "-0") ? counts.at(topic + "-0") : 0, paused_at);
  driver.pause_or_resume({}, {topic + "-0"});
  driver.run_until([&] { return driver.rows().size() == 40; });
  EXPECT_EQ(driver.sorted_rows(), lines(0, 40));
}

TEST_F(KafkaBroker, UpsertSourceGivesUpdatesAndDeletes) {
  const std::string topic = broker->create_topic(1, {{"cleanup.policy", "compact"}});
  broker->produce(topic, {{0, R"({"id":1})", R"({"id":1,"name":"a","amt":5})"},
                          {0, R"({"id":2})", R"({"id":2,"name":"b","amt":7})"},
                          {0, R"({"id":1})", R"({"id":1,"amt":6})"},
                          {0, R"({"id":2})", std::nullopt}});
  SourceDriver driver(source_of(accounts(topic)), 1);
  driver.start();
  driver.run_to_end();
  EXPECT_EQ(driver.rows(), Lines({"+U 1 a 5", "+U 2 b 7", "+U 1 . 6", "-D 2 . ."}));
}

TEST_F(KafkaBroker, UpsertKeysMustBeThere) {
  const std::string topic = broker->create_topic(1);
  broker->produce(topic, {{0, std::nullopt, R"({"id":1,"name":"a","amt":5})"}});
  const std::string error = read_error(accounts(topic));
  EXPECT_NE(error.find("offset=0: the record has no key"), std::string::npos) << error;
}

TEST_F(KafkaBroker, UpsertSinkWritesTombstonesAndKeepsKeysTogether) {
  const std::string topic = broker->create_topic(4);
  const TestTable table = accounts(topic);
  write(table, {rows(table.context.physical, "+I 1 a 5\n+I 2 b 7\n-U 1 a 5\n+U 1 a 6\n-D 2 b 7"),
                rows(table.context.physical, "+I 3 c 1\n+I 4 d 1")});
  std::vector<std::string> written;
  for (const TestRecord& record : broker->read(topic, 4)) {
    EXPECT_EQ(record.partition, partition_for_key(*record.key, 4));
    written.push_back(*record.key + " " + record.value.value_or("null"));
  }
  EXPECT_EQ(written, Lines({R"({"id":1} {"id":1,"name":"a","amt":5})", R"({"id":2} {"id":2,"name":"b","amt":7})",
                            R"({"id":1} {"id":1,"name":"a","amt":6})", R"({"id":2} null)",
                            R"({"id":4} {"id":4,"name":"d","amt":1})", R"({"id":3} {"id":3,"name":"c","amt":1})"}));
}

TEST_F(KafkaBroker, UpsertSinkBufferKeepsTheLastOfEachKey) {
  const std::string topic = broker->create_topic(1);
  TestTable table = accounts(topic);
  table.with("sink.buffer-flush.max-rows", "100").with("sink.buffer-flush.interval", "1 h");
  table.with("value.fields-include", "EXCEPT_KEY");
  write(table,
        {rows(table.context.physical, "+I 1 a 1\n+I 2 b 2\n+U 1 a 3"), rows(table.context.physical, "-D 2 b 2")});
  std::vector<std::string> written;
  for (const TestRecord& record : broker->read(topic, 1))
    written.push_back(*record.key + " " + record.value.value_or("null"));
  EXPECT_EQ(written, Lines({R"({"id":1} {"name":"a","amt":3})", R"({"id":2} null)"}));
}

TEST_F(KafkaBroker, SinkWritesTimestampsHeadersAndTopics) {
  const std::string first = broker->create_topic(1);
  const std::string second = broker->create_topic(1);
  TestTable table = numbers(first + ";" + second);
  const Schema with_metadata({{"n", LogicalType::bigint()},
                              {"topic", LogicalType::string()},
                              {"ts", LogicalType::timestamp_ltz(3)},
                              {"h", LogicalType::map(LogicalType::string(), LogicalType::bytes())}});
  write(table,
        {rows(with_metadata, "+I 1 " + first + " '2023-11-14 22:13:20.000' {trace=0x0102}\n+I 2 " + second + " . .")},
        {"topic", "timestamp", "headers"});
  const std::vector<TestRecord> in_first = broker->read(first, 1);
  ASSERT_EQ(in_first.size(), 1u);
  EXPECT_EQ(*in_first[0].value, R"({"n":1})");
  EXPECT_FALSE(in_first[0].key);
  EXPECT_EQ(in_first[0].timestamp_ms, 1700000000000);
  ASSERT_EQ(in_first[0].headers.size(), 1u);
  EXPECT_EQ(in_first[0].headers[0].second, "\x01\x02");
  EXPECT_EQ(broker->read(second, 1).size(), 1u);
  EXPECT_THROW(write(table, {rows(with_metadata, "+I 1 elsewhere . .")}, {"topic", "timestamp", "headers"}), Error);
}

TEST_F(KafkaBroker, SinkPartitioners) {
  const std::string topic = broker->create_topic(2);
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "+I " + std::to_string(1'000'000 + i) + "\n";
  const RowBatchPtr batch = rows(number_columns(), text);
  write(numbers(topic), {batch});
  int64_t counts[2] = {0, 0};
  for (const TestRecord& record : broker->read(topic, 2)) ++counts[record.partition];
  EXPECT_EQ(counts[0] + counts[1], 50'000);
  EXPECT_GT(counts[0], 10'000);
  EXPECT_GT(counts[1], 10'000);
  const std::string fixed = broker->create_topic(2);
  write(numbers(fixed).with("sink.partitioner", "fixed"), {batch}, {}, 1);
  for (const TestRecord& record : broker->read(fixed, 2)) ASSERT_EQ(record.partition, 1);
}

}  // namespace
}  // namespace yeoul
