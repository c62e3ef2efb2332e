#include "yeoul/connectors/kafka/kafka_source_settings.h"

#include <random>

#include "yeoul/common/error.h"
#include "yeoul/common/log.h"
#include "yeoul/connectors/kafka/topic_pattern.h"
#include "yeoul/kafka/client/client_settings.h"
#include "yeoul/kafka/client/topic_names.h"

namespace yeoul {
namespace {

constexpr std::string_view kDiscoveryInterval = "partition.discovery.interval.ms";

/// A property's value by a function that reads options' values, whose errors speak of options.
template <class Value>
Value read_property(std::string_view name, const std::optional<std::string>& value, Value fallback,
                    Value (*parse)(std::string_view, std::string_view), std::string_view what) {
  if (!value) return fallback;
  try {
    return parse(name, *value);
  } catch (const Error&) {
    throw user_error(2010, "KafkaSource: property '{}' = '{}' is {}", name, *value, what);
  }
}
bool boolean_property(std::string_view name, const std::optional<std::string>& value, bool fallback) {
  return read_property(name, value, fallback, parse_boolean, "neither true nor false");
}
int64_t integer_property(std::string_view name, const std::optional<std::string>& value, int64_t fallback) {
  return read_property(name, value, fallback, parse_integer, "not a whole number");
}

/// "KafkaSource-4711": sources without group or prefix are told apart by brokers (KD-O15).
std::string drawn_prefix() {
  std::random_device random;
  return fmt::format("KafkaSource-{}", random());
}

}  // namespace

void KafkaSourceSettings::check_subscription(std::string_view setter) const {
  const std::string_view known = !topics_.empty()       ? "set_topics"
                                 : topic_pattern_       ? "set_topic_pattern"
                                 : !partitions_.empty() ? "set_partitions"
                                                        : "";
  if (known.empty()) return;
  throw user_error(2014, "KafkaSource: {}() follows {}(): topics, a pattern or partitions are already set; use one",
                   setter, known);
}

void KafkaSourceSettings::set_topics(std::vector<std::string> topics) {
  check_subscription("set_topics");
  for (const std::string& topic : topics) check_topic_name("KafkaSource: set_topics()", topic);
  topics_ = std::move(topics);
}

void KafkaSourceSettings::set_topic_pattern(std::string pattern) {
  check_subscription("set_topic_pattern");
  const TopicPattern checked("KafkaSource: set_topic_pattern()", pattern);
  topic_pattern_ = std::move(pattern);
}

void KafkaSourceSettings::set_partitions(std::set<KafkaTopicPartition> partitions) {
  check_subscription("set_partitions");
  for (const KafkaTopicPartition& partition : partitions) {
    check_topic_name("KafkaSource: set_partitions()", partition.topic);
    if (partition.partition >= 0) continue;
    throw user_error(2010,
                     "KafkaSource: set_partitions(): {} of topic '{}' is no number of a partition, which count from 0",
                     partition.partition, partition.topic);
  }
  partitions_ = std::move(partitions);
}

void KafkaSourceSettings::set_stopping_offsets(KafkaOffsetsInitializer offsets, bool bounded) {
  stopping_ = std::move(offsets);
  bounded_ = bounded;
}

void KafkaSourceSettings::check_required(bool has_deserializer) const {
  const auto missing = [](std::string_view what, std::string_view setter) {
    return user_error(2012, "KafkaSource: {} missing: call {} before build()", what, setter);
  };
  if (!properties_.contains("bootstrap.servers")) throw missing("bootstrap servers are", "set_bootstrap_servers()");
  if (topics_.empty() && !topic_pattern_ && partitions_.empty()) {
    throw missing("a subscription is", "set_topics(), set_topic_pattern() or set_partitions()");
  }
  if (!has_deserializer) {
    throw missing("a deserializer is", "set_value_only_deserializer() or set_deserializer()");
  }
  const auto group = properties_.find("group.id");
  const bool has_group = group != properties_.end() && group->second.find_first_not_of(" \t\r\n") != std::string::npos;
  if ((starting_.needs_group() || (stopping_ && stopping_->needs_group())) && !has_group) {
    throw user_error(2012,
                     "KafkaSource: committed_offsets() needs a group, whose offsets they are: call set_group_id() "
                     "('group.id')");
  }
  const auto commits = properties_.find("commit.offsets.on.checkpoint");
  if (commits != properties_.end() && boolean_property(commits->first, commits->second, false) && !has_group) {
    throw user_error(2012,
                     "KafkaSource: 'commit.offsets.on.checkpoint' = 'true' needs a group to commit to: call "
                     "set_group_id() ('group.id')");
  }
}

/// What the builder knows better than the properties (KD-047, KD-048).
void KafkaSourceSettings::override_properties(KafkaSourceConfig& config) const {
  for (const char* key : {"auto.offset.reset", "auto.offset.reset.strategy"}) {
    const auto it = config.properties.find(key);
    if (it == config.properties.end()) continue;
    log(LogLevel::kWarn, "kafka", "KafkaSource: property '{}' = '{}' is overridden by the starting offsets' strategy",
        it->first, it->second);
    config.properties.erase(it);
  }
  const auto it = config.properties.find(kDiscoveryInterval);
  if (bounded_ && it != config.properties.end()) {
    log(LogLevel::kWarn, "kafka", "KafkaSource: property '{}' = '{}' is overridden by set_bounded(): -1", it->first,
        it->second);
    it->second = "-1";
  }
}

void KafkaSourceSettings::read_properties(KafkaSourceConfig& config) const {
  const ClientProperties properties = config.client_properties(ClientRole::kConsumer, "0");
  check_client(properties);
  const auto boolean = [&](std::string_view name, bool fallback) {
    return boolean_property(name, properties.get(name), fallback);
  };
  const auto integer = [&](std::string_view name, int64_t fallback) {
    return integer_property(name, properties.get(name), fallback);
  };
  config.group_id = properties.get("group.id").value_or("");
  config.client_id_prefix =
      properties.get("client.id.prefix").value_or(config.group_id.empty() ? drawn_prefix() : config.group_id);
  config.commit_on_checkpoint =
      boolean("commit.offsets.on.checkpoint", !config.group_id.empty()) && !config.group_id.empty();
  if (config.group_id.empty()) {
    log(LogLevel::kWarn, "kafka",
        "KafkaSource: without set_group_id() no offsets are committed, so other tools cannot see its progress");
  } else if (boolean("enable.auto.commit", false)) {
    config.auto_commit_ms = integer("auto.commit.interval.ms", 5000);
    if (config.auto_commit_ms <= 0) {
      throw user_error(2010, "KafkaSource: 'auto.commit.interval.ms' = {} must be above 0", config.auto_commit_ms);
    }
  }
  const int64_t interval_ms = integer(kDiscoveryInterval, 300'000);
  config.discovery_interval_ms = partitions_.empty() && interval_ms > 0 ? interval_ms : 0;
  for (const std::string& note : properties.notes()) log(LogLevel::kWarn, "kafka", "KafkaSource: {}", note);
}

std::shared_ptr<const KafkaSourceConfig> KafkaSourceSettings::build(bool has_deserializer) const {
  check_required(has_deserializer);
  auto config = std::make_shared<KafkaSourceConfig>();
  config->connector = "kafka";
  config->properties = properties_;
  config->topics = topics_;
  config->topic_pattern = topic_pattern_;
  config->partitions = partitions_;
  for (const KafkaTopicPartition& partition : partitions_) {
    if (config->topics.empty() || config->topics.back() != partition.topic) config->topics.push_back(partition.topic);
  }
  starting_.start(*config);
  if (stopping_) stopping_->stop(*config);
  config->unbounded_with_stop = stopping_ && !bounded_;
  override_properties(*config);
  read_properties(*config);
  config->rack_id_supplier = rack_id_supplier_;
  return config;
}

}  // namespace yeoul
