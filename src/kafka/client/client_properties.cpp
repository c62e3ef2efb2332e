#include "yeoul/kafka/client/client_properties.h"

#include <algorithm>
#include <cctype>
#include <span>

#include "yeoul/kafka/client/native_client.h"

namespace yeoul {
namespace {

/// What becomes of a Java property.
enum class Treatment {
  kPass,        ///< to the client, as `native`, for the roles in `roles`
  kLower,       ///< the same, value in lower case
  kEngine,      ///< read by the connector itself
  kNoEffect,    ///< accepted; `reason` says why nothing happens
  kByteArrays,  ///< a class name: Kafka's own serializers and partitioners have no effect, others are refused
  kRefused,     ///< `reason` says why and what to do
};

constexpr uint8_t kConsumerBit = 1;
constexpr uint8_t kProducerBit = 2;
constexpr uint8_t kAllRoles = 7;

struct Rule {
  std::string_view name;
  Treatment treatment;
  std::string_view native = "";
  uint8_t roles = kAllRoles;
  std::string_view reason = "";
};

constexpr std::string_view kManual = "partitions are assigned by the job, not by the consumer group";
constexpr std::string_view kJvm = "it configures the Java virtual machine";
constexpr std::string_view kMetrics = "metrics are Yeoul's own";
constexpr std::string_view kSecurity =
    "encrypted and authenticated connections are not supported yet; use a PLAINTEXT listener";
constexpr std::string_view kClasses = "Java classes cannot be loaded";

using enum Treatment;

constexpr Rule kRules[] = {
    // Both roles.
    {"bootstrap.servers", kPass, "bootstrap.servers"},
    {"client.id", kPass, "client.id"},
    {"client.rack", kPass, "client.rack"},
    {"client.dns.lookup", kPass, "client.dns.lookup"},
    {"request.timeout.ms", kPass, "socket.timeout.ms"},
    {"default.api.timeout.ms", kEngine},
    {"retry.backoff.ms", kPass, "retry.backoff.ms", kProducerBit},
    {"retry.backoff.max.ms", kNoEffect, "", kAllRoles, "the client waits the same time between all attempts"},
    {"reconnect.backoff.ms", kPass, "reconnect.backoff.ms"},
    {"reconnect.backoff.max.ms", kPass, "reconnect.backoff.max.ms"},
    {"connections.max.idle.ms", kPass, "connections.max.idle.ms"},
    {"socket.connection.setup.timeout.ms", kPass, "socket.connection.setup.timeout.ms"},
    {"socket.connection.setup.timeout.max.ms", kNoEffect, "", kAllRoles, "the first timeout holds for all attempts"},
    {"receive.buffer.bytes", kPass, "socket.receive.buffer.bytes"},
    {"send.buffer.bytes", kPass, "socket.send.buffer.bytes"},
    {"metadata.max.age.ms", kEngine},
    {"metadata.max.idle.ms", kNoEffect, "", kAllRoles, "metadata of the topics in use is kept"},
    {"metadata.recovery.strategy", kNoEffect, "", kAllRoles, "the client does not bootstrap again"},
    {"metadata.recovery.rebootstrap.trigger.ms", kNoEffect, "", kAllRoles, "the client does not bootstrap again"},
    {"metrics.num.samples", kNoEffect, "", kAllRoles, kMetrics},
    {"metrics.recording.level", kNoEffect, "", kAllRoles, kMetrics},
    {"metrics.sample.window.ms", kNoEffect, "", kAllRoles, kMetrics},
    {"metric.reporters", kNoEffect, "", kAllRoles, kMetrics},
    {"enable.metrics.push", kNoEffect, "", kAllRoles, kMetrics},
    {"auto.include.jmx.reporter", kNoEffect, "", kAllRoles, kJvm},
    {"interceptor.classes", kNoEffect, "", kAllRoles, kClasses},
    {"flink.disable-metrics", kNoEffect, "", kAllRoles, kMetrics},
    // Consumers.
    {"group.id", kPass, "group.id", kConsumerBit},
    {"isolation.level", kLower, "isolation.level", kConsumerBit},
    {"fetch.min.bytes", kPass, "fetch.min.bytes", kConsumerBit},
    {"fetch.max.bytes", kPass, "fetch.max.bytes", kConsumerBit},
    {"fetch.max.wait.ms", kPass, "fetch.wait.max.ms", kConsumerBit},
    {"max.partition.fetch.bytes", kPass, "max.partition.fetch.bytes", kConsumerBit},
    {"check.crcs", kPass, "check.crcs", kConsumerBit},
    {"allow.auto.create.topics", kPass, "allow.auto.create.topics", kConsumerBit},
    {"auto.offset.reset", kEngine},
    {"enable.auto.commit", kEngine},
    {"auto.commit.interval.ms", kEngine},
    {"client.id.prefix", kEngine},
    {"partition.discovery.interval.ms", kEngine},
    {"commit.offsets.on.checkpoint", kEngine},
    {"register.consumer.metrics", kNoEffect, "", kAllRoles, kMetrics},
    {"max.poll.records", kNoEffect, "", kAllRoles, "the reader takes whole fetched buffers"},
    {"max.poll.interval.ms", kNoEffect, "", kAllRoles, kManual},
    {"session.timeout.ms", kNoEffect, "", kAllRoles, kManual},
    {"heartbeat.interval.ms", kNoEffect, "", kAllRoles, kManual},
    {"group.instance.id", kNoEffect, "", kAllRoles, kManual},
    {"group.protocol", kNoEffect, "", kAllRoles, kManual},
    {"group.remote.assignor", kNoEffect, "", kAllRoles, kManual},
    {"partition.assignment.strategy", kNoEffect, "", kAllRoles, kManual},
    {"exclude.internal.topics", kNoEffect, "", kAllRoles, "patterns never match internal topics"},
    {"key.deserializer", kByteArrays},
    {"value.deserializer", kByteArrays},
    // Producers.
    {"acks", kPass, "acks", kProducerBit},
    {"retries", kPass, "retries", kProducerBit},
    {"linger.ms", kPass, "linger.ms", kProducerBit},
    {"batch.size", kPass, "batch.size", kProducerBit},
    {"compression.type", kLower, "compression.codec", kProducerBit},
    {"compression.gzip.level", kNoEffect, "", kAllRoles, "the codec's default level is used"},
    {"compression.lz4.level", kNoEffect, "", kAllRoles, "the codec's default level is used"},
    {"compression.zstd.level", kNoEffect, "", kAllRoles, "the codec's default level is used"},
    {"delivery.timeout.ms", kPass, "delivery.timeout.ms", kProducerBit},
    {"enable.idempotence", kLower, "enable.idempotence", kProducerBit},
    {"max.in.flight.requests.per.connection", kPass, "max.in.flight.requests.per.connection", kProducerBit},
    {"max.request.size", kPass, "message.max.bytes", kProducerBit},
    {"buffer.memory", kEngine},
    {"max.block.ms", kEngine},
    {"partitioner.class", kByteArrays},
    {"partitioner.adaptive.partitioning.enable", kNoEffect, "", kAllRoles, "keyless records rotate evenly"},
    {"partitioner.availability.timeout.ms", kNoEffect, "", kAllRoles, "keyless records rotate evenly"},
    {"partitioner.ignore.keys", kRefused, "", kAllRoles, "records with a key go by the key's hash"},
    {"register.producer.metrics", kNoEffect, "", kAllRoles, kMetrics},
    {"key.serializer", kByteArrays},
    {"value.serializer", kByteArrays},
    {"transaction.timeout.ms", kNoEffect, "", kAllRoles, "the sink opens no transactions"},
    {"transactional.id", kRefused, "", kAllRoles, "the sink names its transactions itself"},
    // Security.
    {"security.protocol", kEngine},
    {"security.providers", kNoEffect, "", kAllRoles, kJvm},
    {"sasl.mechanism", kRefused, "", kAllRoles, kSecurity},
    {"sasl.jaas.config", kRefused, "", kAllRoles, kSecurity},
    {"sasl.kerberos.service.name", kRefused, "", kAllRoles, kSecurity},
    {"sasl.login.class", kRefused, "", kAllRoles, kSecurity},
    {"sasl.client.callback.handler.class", kRefused, "", kAllRoles, kSecurity},
    {"sasl.login.callback.handler.class", kRefused, "", kAllRoles, kSecurity},
    {"ssl.truststore.location", kRefused, "", kAllRoles, kSecurity},
    {"ssl.truststore.password", kRefused, "", kAllRoles, kSecurity},
    {"ssl.truststore.type", kRefused, "", kAllRoles, kSecurity},
    {"ssl.truststore.certificates", kRefused, "", kAllRoles, kSecurity},
    {"ssl.keystore.location", kRefused, "", kAllRoles, kSecurity},
    {"ssl.keystore.password", kRefused, "", kAllRoles, kSecurity},
    {"ssl.keystore.type", kRefused, "", kAllRoles, kSecurity},
    {"ssl.keystore.key", kRefused, "", kAllRoles, kSecurity},
    {"ssl.keystore.certificate.chain", kRefused, "", kAllRoles, kSecurity},
    {"ssl.key.password", kRefused, "", kAllRoles, kSecurity},
    {"ssl.engine.factory.class", kRefused, "", kAllRoles, kSecurity},
    {"ssl.endpoint.identification.algorithm", kNoEffect, "", kAllRoles, "the connection is not encrypted"},
    {"ssl.protocol", kNoEffect, "", kAllRoles, "the connection is not encrypted"},
    {"ssl.enabled.protocols", kNoEffect, "", kAllRoles, "the connection is not encrypted"},
    {"ssl.cipher.suites", kNoEffect, "", kAllRoles, "the connection is not encrypted"},
    {"ssl.provider", kNoEffect, "", kAllRoles, kJvm},
    {"ssl.trustmanager.algorithm", kNoEffect, "", kAllRoles, kJvm},
    {"ssl.keymanager.algorithm", kNoEffect, "", kAllRoles, kJvm},
    {"ssl.secure.random.implementation", kNoEffect, "", kAllRoles, kJvm},
};

const Rule* find_rule(std::string_view name) {
  const auto* it = std::find_if(std::begin(kRules), std::end(kRules), [&](const Rule& r) { return r.name == name; });
  return it == std::end(kRules) ? nullptr : it;
}

std::string nearest_property(std::string_view name) {
  std::vector<std::string> names;
  for (const Rule& rule : kRules) names.emplace_back(rule.name);
  return nearest_name(name, names);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Kafka's own serializers of byte arrays, and its partitioners: what the connector does anyway.
bool is_known_class(std::string_view value) {
  const size_t dot = value.rfind('.');
  const std::string_view name = dot == std::string_view::npos ? value : value.substr(dot + 1);
  for (const std::string_view known :
       {"ByteArraySerializer", "ByteArrayDeserializer", "StringSerializer", "StringDeserializer", "BytesSerializer",
        "BytesDeserializer", "ByteBufferSerializer", "ByteBufferDeserializer", "DefaultPartitioner",
        "UniformStickyPartitioner"}) {
    if (name == known) return true;
  }
  return false;
}

bool applies(const Rule& rule, ClientRole role) {
  if (role == ClientRole::kProducer) return (rule.roles & kProducerBit) != 0;
  // The admin client looks up offsets, which follow the consumer's properties.
  return (rule.roles & kConsumerBit) != 0;
}

}  // namespace

ClientProperties::ClientProperties(std::string owner, ClientRole role, const OptionMap& java)
    : owner_(std::move(owner)), role_(role), java_(java) {
  for (const auto& [name, value] : java) add(name, value);
  const auto fallback = [&](const char* name, const char* value) { native_.emplace(name, value); };
  fallback("connections.max.idle.ms", "540000");
  fallback("client.id", "yeoul");
  // The Java client's, so that a broker that comes back is found within a second instead of ten.
  fallback("reconnect.backoff.ms", "50");
  fallback("reconnect.backoff.max.ms", "1000");
  const std::string age = get("metadata.max.age.ms").value_or("300000");
  fallback("topic.metadata.refresh.interval.ms", age.c_str());
  native_["metadata.max.age.ms"] = age;
  if (role_ == ClientRole::kProducer) {
    finish_producer();
  } else {
    finish_consumer();
  }
  check_native_properties(owner_, native_);
}

void ClientProperties::add(const std::string& name, const std::string& value) {
  const Rule* rule = find_rule(name);
  if (rule == nullptr) {
    if (const std::string near = nearest_property(name); !near.empty()) {
      throw user_error(2011, "{}: Kafka knows no property '{}'; did you mean '{}'?", owner_, name, near);
    }
    notes_.push_back(fmt::format("property '{}' is not known to Kafka's clients; it has no effect", name));
    return;
  }
  switch (rule->treatment) {
    case kPass:
      if (applies(*rule, role_)) native_[std::string(rule->native)] = value;
      return;
    case kLower:
      if (applies(*rule, role_)) native_[std::string(rule->native)] = lower(value);
      return;
    case kEngine:
      if (name == "security.protocol" && lower(value) != "plaintext" && lower(value) != "none") {
        throw user_error(2013, "{}: property '{}' = '{}': {}", owner_, name, value, kSecurity);
      }
      return;
    case kNoEffect:
      notes_.push_back(fmt::format("property '{}' has no effect: {}", name, rule->reason));
      return;
    case kByteArrays:
      if (!is_known_class(value)) {
        throw user_error(2013, "{}: property '{}' = '{}': {}; formats turn bytes into columns", owner_, name, value,
                         kClasses);
      }
      notes_.push_back(fmt::format("property '{}' has no effect: formats turn bytes into columns", name));
      return;
    case kRefused:
      throw user_error(2013, "{}: property '{}': {}", owner_, name, rule->reason);
  }
}

void ClientProperties::finish_consumer() {
  const auto fallback = [&](const char* name, const char* value) { native_.emplace(name, value); };
  // The seeds' default, not the Java client's (read_uncommitted): rows of aborted transactions never appear.
  fallback("isolation.level", "read_committed");
  fallback("check.crcs", "true");
  fallback("allow.auto.create.topics", "false");
  native_["enable.auto.commit"] = "false";
  native_["enable.auto.offset.store"] = "false";
  native_["enable.partition.eof"] = "true";
  // An offset that is gone is an error that the reader handles, never a silent jump.
  native_["auto.offset.reset"] = "error";
  // Bounds of the client's own queue; see Consumer on the stall at these bounds.
  native_["queued.min.messages"] = "20000";
  native_["queued.max.messages.kbytes"] = "16384";
  if (const auto it = native_.find("fetch.max.bytes"); it != native_.end()) {
    const int64_t bytes = parse_integer("fetch.max.bytes", it->second);
    native_["message.max.bytes"] = std::to_string(std::clamp<int64_t>(bytes, 1000, 1'000'000));
    native_["receive.message.max.bytes"] = std::to_string(std::max<int64_t>(100'000'000, bytes + 512));
  }
  boolean("enable.auto.commit", false);
  integer("auto.commit.interval.ms", 5000);
  if (const auto reset = get("auto.offset.reset")) {
    const std::string strategy = lower(*reset);
    if (strategy != "earliest" && strategy != "latest" && strategy != "none") {
      throw user_error(2010, "{}: property 'auto.offset.reset' = '{}' is not one of earliest, latest, none", owner_,
                       *reset);
    }
  }
}

void ClientProperties::finish_producer() {
  const auto fallback = [&](const char* name, const char* value) { native_.emplace(name, value); };
  fallback("linger.ms", "5");
  fallback("delivery.timeout.ms", "120000");
  fallback("max.in.flight.requests.per.connection", "5");
  // As the Java producer: idempotent unless a setting that excludes it was made without asking for it.
  const std::string acks = get("acks").value_or("all");
  const bool weaker = (acks != "all" && acks != "-1") || integer("retries", 1) == 0 ||
                      integer("max.in.flight.requests.per.connection", 5) > 5;
  if (weaker && boolean("enable.idempotence", false)) {
    throw user_error(2010,
                     "{}: property 'enable.idempotence' = 'true' needs 'acks' = 'all', 'retries' > 0 and "
                     "'max.in.flight.requests.per.connection' <= 5",
                     owner_);
  }
  fallback("enable.idempotence", weaker ? "false" : "true");
  // The bound that counts is the writer's own; the client's must never be met first.
  native_["queue.buffering.max.messages"] = "10000000";
  native_["queue.buffering.max.kbytes"] = "2097151";
  native_["delivery.report.only.error"] = "true";
  if (const auto size = native_.find("batch.size"); size != native_.end() && size->second == "0") size->second = "1";
}

std::optional<std::string> ClientProperties::get(std::string_view java_name) const {
  const auto it = java_.find(java_name);
  return it == java_.end() ? std::nullopt : std::optional(it->second);
}

int64_t ClientProperties::integer(std::string_view java_name, int64_t fallback) const {
  const auto value = get(java_name);
  return value ? parse_integer(fmt::format("properties.{}", java_name), *value) : fallback;
}

bool ClientProperties::boolean(std::string_view java_name, bool fallback) const {
  const auto value = get(java_name);
  return value ? parse_boolean(fmt::format("properties.{}", java_name), *value) : fallback;
}

void ClientProperties::set_client_id(const std::string& id) {
  if (!get("client.id")) native_["client.id"] = id;
}

void ClientProperties::set_group_id(const std::string& id) {
  if (!get("group.id")) native_["group.id"] = id;
}

}  // namespace yeoul
