#include "yeoul/connectors/kafka/kafka_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "yeoul/common/ascii.h"
#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/connectors/kafka/topic_pattern.h"
#include "yeoul/kafka/client/bootstrap_servers.h"
#include "yeoul/kafka/client/client_settings.h"
#include "yeoul/kafka/client/engine_properties.h"
#include "yeoul/kafka/client/topic_names.h"

namespace yeoul {
namespace {

using enum OptionType;

// Options of both connectors.
constexpr OptionSpec kShared[] = {
    {.key = "connector", .help = "the connector's name", .required = true},
    {.key = "topic", .type = kStringList, .help = "topics, separated by ';'"},
    {.key = "topic-pattern", .help = "a regular expression that whole topic names match"},
    {.key = "properties.bootstrap.servers", .help = "the brokers, 'host:port,…'", .required = true},
    {.key = "properties.", .type = kMap, .help = "properties of Kafka's clients, under their Java names"},
    {.key = "key.format", .help = "the format of record keys"},
    {.key = "value.format", .help = "the format of record values"},
    {.key = "key.fields-prefix", .help = "a prefix of key columns that the key format does not see"},
    {.key = "value.fields-include",
     .type = kEnum,
     .fallback = "ALL",
     .help = "whether values hold the key columns too",
     .values = "ALL|EXCEPT_KEY"},
    {.key = "scan.bounded.mode",
     .type = kEnum,
     .fallback = "unbounded",
     .help = "where reading ends",
     .values = "unbounded|latest-offset|group-offsets|timestamp|specific-offsets"},
    {.key = "scan.bounded.specific-offsets", .help = "'partition:0,offset:42;…'"},
    {.key = "scan.bounded.timestamp-millis", .type = kLong, .help = "milliseconds since 1970-01-01 UTC"},
    {.key = "scan.topic-partition-discovery.interval",
     .type = kDuration,
     .fallback = "5 min",
     .help = "how often new partitions are looked for; 0: never"},
    {.key = "scan.parallelism", .type = kInt, .help = "parallelism of the source"},
    {.key = "scan.on-error",
     .type = kEnum,
     .fallback = "fail",
     .help = "what happens to records that cannot be decoded",
     .values = "fail|skip|dead-letter"},
    {.key = "scan.watermark.emit.strategy", .help = "see the table's watermark"},
    {.key = "scan.watermark.idle-timeout", .type = kDuration, .help = "see the table's watermark"},
    {.key = "scan.watermark.alignment.group", .help = "see the table's watermark"},
    {.key = "scan.watermark.alignment.max-drift", .type = kDuration, .help = "see the table's watermark"},
    {.key = "scan.watermark.alignment.update-interval", .type = kDuration, .help = "see the table's watermark"},
    {.key = "sink.delivery-guarantee",
     .type = kEnum,
     .fallback = "at-least-once",
     .help = "what a checkpoint of the sink promises",
     .values = "at-least-once|exactly-once|none"},
    {.key = "sink.transactional-id-prefix", .help = "needed with 'exactly-once'"},
    {.key = "sink.parallelism", .type = kInt, .help = "parallelism of the sink"},
};

constexpr OptionSpec kKafkaOnly[] = {
    {.key = "format", .help = "the format of record values"},
    {.key = "key.fields", .type = kStringList, .help = "the columns of the key, separated by ';'"},
    {.key = "scan.startup.mode",
     .type = kEnum,
     .fallback = "group-offsets",
     .help = "where reading starts when no checkpoint says it",
     .values = "earliest-offset|latest-offset|group-offsets|timestamp|specific-offsets"},
    {.key = "scan.startup.specific-offsets", .help = "'partition:0,offset:42;…'"},
    {.key = "scan.startup.timestamp-millis", .type = kLong, .help = "milliseconds since 1970-01-01 UTC"},
    {.key = "sink.partitioner", .fallback = "default", .help = "'default', 'fixed' or 'round-robin'"},
    {.key = "sink.semantic",
     .type = kEnum,
     .help = "deprecated: sink.delivery-guarantee",
     .values = "at-least-once|exactly-once|none"},
};

constexpr OptionSpec kUpsertOnly[] = {
    {.key = "sink.buffer-flush.max-rows",
     .type = kInt,
     .fallback = "0",
     .help = "changes kept per flush, the last of each key"},
    {.key = "sink.buffer-flush.interval",
     .type = kDuration,
     .fallback = "0 ms",
     .help = "how often changes are flushed"},
};

constexpr std::string_view kIdentifiers[] = {"kafka", "upsert-kafka"};

void require(const Options& options, bool condition, std::string_view text) {
  if (!condition) throw user_error(2014, "{}: {}", options.owner(), text);
}

int64_t take_number(std::string_view key, std::string_view text, std::string_view& rest, std::string_view prefix) {
  const auto bad = [&] {
    return user_error(2010, "option '{}': '{}' is not of the form 'partition:0,offset:42;partition:1,offset:300'", key,
                      text);
  };
  if (!rest.starts_with(prefix)) throw bad();
  rest.remove_prefix(prefix.size());
  int64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || value < 0) throw bad();
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  return value;
}

/// The Java properties of a table, "properties." cut off, and what the session says of all its clients.
OptionMap java_properties(const TableContext& context, const Options& options) {
  OptionMap java = options.below("properties.");
  // A blank group is none (KS-033).
  if (const auto group = java.find("group.id"); group != java.end()) {
    if (group->second.find_first_not_of(" \t\r\n") == std::string::npos) java.erase(group);
  }
  java.merge(engine_properties(context.session));
  return java;
}

OffsetReset offset_reset(const Options& options) {
  const auto it = options.values().find("properties.auto.offset.reset");
  if (it == options.values().end()) return OffsetReset::kNone;
  std::string value = lower_case(it->second);
  std::erase_if(value, [](unsigned char c) { return std::isspace(c) != 0; });
  return value == "earliest" ? OffsetReset::kEarliest : value == "latest" ? OffsetReset::kLatest : OffsetReset::kNone;
}

void check_subscription(const Options& options) {
  const bool topics = options.has("topic");
  const bool pattern = options.has("topic-pattern");
  require(options, topics != pattern,
          topics ? "options 'topic' and 'topic-pattern' exclude each other"
                 : "option 'topic' is required (or 'topic-pattern')");
  require(options, !topics || !options.list("topic").empty(), "option 'topic' names no topic");
  if (!topics) return;
  for (const std::string& topic : options.list("topic")) {
    if (const std::string fault = topic_name_fault(topic); !fault.empty()) {
      throw user_error(2010, "{}: option 'topic': Kafka takes no topic '{}': {}", options.owner(), topic, fault);
    }
  }
}

/// A mode's companion must be there.
void require_companion(const Options& options, std::string_view mode_key, std::string_view mode,
                       std::string_view companion) {
  if (lower_case(options.text(mode_key)) != mode) return;
  if (options.has(companion)) return;
  throw user_error(2012, "{}: option '{}' is required with '{}' = '{}'", options.owner(), companion, mode_key, mode);
}

int64_t timestamp_millis(const Options& options, std::string_view key) {
  const int64_t millis = options.integer(key);
  if (millis >= 0) return millis;
  throw user_error(2010, "{}: option '{}' = {} must not be negative: no record is older than 1970", options.owner(),
                   key, millis);
}

void read_startup(const Options& options, KafkaSourceConfig& config) {
  require_companion(options, "scan.startup.mode", "timestamp", "scan.startup.timestamp-millis");
  require_companion(options, "scan.startup.mode", "specific-offsets", "scan.startup.specific-offsets");
  const std::string mode = lower_case(options.text("scan.startup.mode"));
  if (mode == "earliest-offset") config.startup = StartupMode::kEarliest;
  if (mode == "latest-offset") config.startup = StartupMode::kLatest;
  if (mode == "group-offsets") config.startup = StartupMode::kGroupOffsets;
  if (mode == "timestamp") {
    config.startup = StartupMode::kTimestamp;
    config.startup_timestamp_ms = timestamp_millis(options, "scan.startup.timestamp-millis");
  }
  if (mode == "specific-offsets") {
    require(options, config.topics.size() == 1, "'scan.startup.specific-offsets' needs exactly one topic");
    config.startup = StartupMode::kSpecificOffsets;
    config.startup_offsets =
        parse_specific_offsets("scan.startup.specific-offsets", options.text("scan.startup.specific-offsets"));
  }
}

void read_bounded(const Options& options, KafkaSourceConfig& config) {
  require_companion(options, "scan.bounded.mode", "timestamp", "scan.bounded.timestamp-millis");
  require_companion(options, "scan.bounded.mode", "specific-offsets", "scan.bounded.specific-offsets");
  const std::string mode = lower_case(options.text("scan.bounded.mode"));
  if (mode == "latest-offset") config.bounded = BoundedMode::kLatest;
  if (mode == "group-offsets") config.bounded = BoundedMode::kGroupOffsets;
  if (mode == "timestamp") {
    config.bounded = BoundedMode::kTimestamp;
    config.bounded_timestamp_ms = timestamp_millis(options, "scan.bounded.timestamp-millis");
  }
  if (mode == "specific-offsets") {
    require(options, config.topics.size() == 1, "'scan.bounded.specific-offsets' needs exactly one topic");
    config.bounded = BoundedMode::kSpecificOffsets;
    config.bounded_offsets =
        parse_specific_offsets("scan.bounded.specific-offsets", options.text("scan.bounded.specific-offsets"));
  }
}

void read_commits(const TableContext& context, const Options& options, KafkaSourceConfig& config) {
  const auto it = config.properties.find("group.id");
  const std::string path =
      context.name.find('.') == std::string::npos ? "default_catalog.default_database." + context.name : context.name;
  config.group_id = it != config.properties.end() ? it->second : "KafkaSource-" + path;
  const ClientProperties properties = config.client_properties(ClientRole::kConsumer, "0");
  check_client(properties);
  config.client_id_prefix = properties.get("client.id.prefix").value_or(config.group_id);
  config.commit_on_checkpoint = properties.boolean("commit.offsets.on.checkpoint", true);
  if (!context.checkpointing && properties.boolean("enable.auto.commit", false)) {
    config.auto_commit_ms = properties.integer("auto.commit.interval.ms", 5000);
    require(options, config.auto_commit_ms > 0, "'properties.auto.commit.interval.ms' must be above 0");
  }
  for (const std::string& note : properties.notes()) log(LogLevel::kWarn, "kafka", "{}: {}", options.owner(), note);
}

void check_pattern(const Options& options) {
  if (!options.has("topic-pattern")) return;
  const TopicPattern checked(fmt::format("{}: option 'topic-pattern'", options.owner()), options.text("topic-pattern"));
}

std::string delivery_guarantee(const Options& options) {
  if (options.has("sink.semantic") && !options.has("sink.delivery-guarantee")) {
    log(LogLevel::kWarn, "kafka", "{}: option 'sink.semantic' is deprecated; use 'sink.delivery-guarantee'",
        options.owner());
    return lower_case(options.text("sink.semantic"));
  }
  return lower_case(options.text("sink.delivery-guarantee"));
}

SinkPartitioner sink_partitioner(const Options& options) {
  const std::string value = options.text("sink.partitioner");
  const std::string name = lower_case(value);
  if (name == "fixed" || value == "org.apache.flink.streaming.connectors.kafka.partitioner.FlinkFixedPartitioner") {
    return SinkPartitioner::kFixed;
  }
  if (name == "round-robin") {
    require(options, !options.has("key.fields"),
            "'sink.partitioner' = 'round-robin' works only without 'key.fields': a key decides the partition");
    return SinkPartitioner::kDefault;
  }
  if (name == "default") return SinkPartitioner::kDefault;
  throw user_error(2010,
                   "{}: option 'sink.partitioner' = '{}': no such partitioner; known are 'default', 'fixed' and "
                   "'round-robin' (Java classes cannot be loaded)",
                   options.owner(), value);
}

void read_buffer(const Options& options, KafkaSinkConfig& config) {
  config.buffer_rows_max = options.integer("sink.buffer-flush.max-rows");
  config.buffer_interval_ms = options.duration_ms("sink.buffer-flush.interval");
  require(options, (config.buffer_rows_max > 0) == (config.buffer_interval_ms > 0),
          "'sink.buffer-flush.max-rows' and 'sink.buffer-flush.interval' must both be set, or neither");
}

}  // namespace

std::map<int32_t, int64_t> parse_specific_offsets(std::string_view key, std::string_view text) {
  std::map<int32_t, int64_t> offsets;
  std::string_view rest = text;
  while (!rest.empty()) {
    const int64_t partition = take_number(key, text, rest, "partition:");
    const int64_t offset = take_number(key, text, rest, ",offset:");
    offsets[static_cast<int32_t>(partition)] = offset;
    if (rest.empty()) break;
    if (!rest.starts_with(';')) take_number(key, text, rest, ";");
    rest.remove_prefix(1);
  }
  if (offsets.empty()) take_number(key, text, rest, "partition:");
  return offsets;
}

std::optional<int> kafka_parallelism(const Options& options, std::string_view key) {
  if (!options.has(key)) return std::nullopt;
  const int64_t value = options.integer(key);
  if (value < 1) throw user_error(2010, "{}: option '{}' = {} must be at least 1", options.owner(), key, value);
  return static_cast<int>(value);
}

Options kafka_table_options(const TableContext& context, KafkaTableKind kind) {
  constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
      {"format", ""}, {"key.format", "key."}, {"value.format", "value."}};
  const bool upsert = kind == KafkaTableKind::kUpsertKafka;
  std::vector<OptionSpec> specs(std::begin(kShared), std::end(kShared));
  if (upsert) {
    specs.insert(specs.end(), std::begin(kUpsertOnly), std::end(kUpsertOnly));
  } else {
    specs.insert(specs.end(), std::begin(kKafkaOnly), std::end(kKafkaOnly));
  }
  Options options(fmt::format("table '{}' (connector '{}')", context.name, kIdentifiers[static_cast<size_t>(kind)]),
                  specs, without_format_options(context, std::span(kFormats).subspan(upsert ? 1 : 0)));
  checked_bootstrap_servers(fmt::format("{}: option 'properties.bootstrap.servers'", options.owner()),
                            options.text("properties.bootstrap.servers"));
  check_subscription(options);
  check_pattern(options);
  if (upsert) {
    require(options, options.has("key.format"), "option 'key.format' is required: it writes and reads the PRIMARY KEY");
    require(options, options.has("value.format"), "option 'value.format' is required");
    require(options, !context.primary_key.empty(),
            "a PRIMARY KEY is required: it says which rows replace one another and is the key of Kafka records");
    return options;
  }
  const bool format = options.has("format");
  const bool value_format = options.has("value.format");
  require(options, format || value_format, "option 'format' (or 'value.format') is required");
  require(options, !(format && value_format) || options.text("format") == options.text("value.format"),
          "options 'format' and 'value.format' differ; set one of them");
  return options;
}

KafkaTableLayout kafka_table_layout(const TableContext& context, KafkaTableKind kind, const Options& options) {
  KafkaTableLayout layout;
  layout.key_prefix = options.has("key.fields-prefix") ? options.text("key.fields-prefix") : "";
  layout.value_has_key_columns = lower_case(options.text("value.fields-include")) == "all";
  require(options, layout.key_prefix.empty() || !layout.value_has_key_columns,
          "'key.fields-prefix' needs 'value.fields-include' = 'EXCEPT_KEY'");
  if (kind == KafkaTableKind::kUpsertKafka) {
    layout.key_columns = context.primary_key;
  } else {
    require(options, !options.has("key.format") || options.has("key.fields"),
            "'key.format' needs 'key.fields': which columns make up the key?");
    require(options, !options.has("key.fields") || options.has("key.format"),
            "'key.fields' needs 'key.format': how are keys written?");
    for (const std::string& name :
         options.has("key.fields") ? options.list("key.fields") : std::vector<std::string>()) {
      const int column = context.physical.index_of(name);
      require(options, column >= 0,
              fmt::format("'key.fields' names '{}', which is not a physical column of the table", name));
      layout.key_columns.push_back(column);
    }
  }
  for (const int column : layout.key_columns) {
    const std::string& name = context.physical[static_cast<size_t>(column)].name;
    require(options, name.starts_with(layout.key_prefix),
            fmt::format("key column '{}' does not start with 'key.fields-prefix' = '{}'", name, layout.key_prefix));
  }
  for (int column = 0; column < static_cast<int>(context.physical.size()); ++column) {
    const bool is_key =
        std::find(layout.key_columns.begin(), layout.key_columns.end(), column) != layout.key_columns.end();
    if (!is_key || layout.value_has_key_columns) layout.value_columns.push_back(column);
  }
  return layout;
}

std::shared_ptr<const KafkaSourceConfig> kafka_source_config(const TableContext& context, KafkaTableKind kind,
                                                             const Options& options) {
  auto config = std::make_shared<KafkaSourceConfig>();
  config->table = context.name;
  config->connector = kIdentifiers[static_cast<size_t>(kind)];
  config->properties = java_properties(context, options);
  if (options.has("topic")) config->topics = options.list("topic");
  if (options.has("topic-pattern")) config->topic_pattern = options.text("topic-pattern");
  config->startup = StartupMode::kEarliest;
  if (kind == KafkaTableKind::kKafka) read_startup(options, *config);
  read_bounded(options, *config);
  config->discovery_interval_ms = options.duration_ms("scan.topic-partition-discovery.interval");
  config->reset = offset_reset(options);
  const std::string on_error = lower_case(options.text("scan.on-error"));
  require(options, on_error != "dead-letter", "'scan.on-error' = 'dead-letter' is not supported yet; use 'skip'");
  config->skip_bad_records = on_error == "skip";
  read_commits(context, options, *config);
  return config;
}

KafkaSinkConfig kafka_sink_config(const TableContext& context, KafkaTableKind kind, const Options& options) {
  KafkaSinkConfig config;
  config.table = context.name;
  config.connector = kIdentifiers[static_cast<size_t>(kind)];
  config.properties = java_properties(context, options);
  config.upsert = kind == KafkaTableKind::kUpsertKafka;
  require(options, options.has("topic"),
          "a sink with 'topic-pattern' is not supported yet; list its topics in 'topic'");
  config.topics = options.list("topic");
  const std::string guarantee = kind == KafkaTableKind::kKafka ? delivery_guarantee(options)
                                                               : lower_case(options.text("sink.delivery-guarantee"));
  require(options, guarantee != "exactly-once",
          "'sink.delivery-guarantee' = 'exactly-once' is not supported yet; use 'at-least-once'");
  config.flush_at_checkpoint = guarantee != "none";
  config.relies_on_checkpoints =
      config.flush_at_checkpoint && (options.has("sink.delivery-guarantee") || options.has("sink.semantic"));
  if (config.upsert) {
    read_buffer(options, config);
  } else {
    config.partitioner = sink_partitioner(options);
  }
  check_sink_properties(config);
  return config;
}

}  // namespace yeoul
