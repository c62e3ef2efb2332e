#include "yeoul/kafka/client/client_properties.h"

#include <algorithm>
#include <limits>
#include <span>

#include "yeoul/common/ascii.h"
#include "yeoul/kafka/client/bootstrap_servers.h"
#include "yeoul/kafka/client/engine_properties.h"
#include "yeoul/kafka/client/property_limits.h"

namespace yeoul {
namespace {

/// What becomes of a Java property.
enum class Treatment {
  kPass,        ///< to the client, for the roles in `roles`
  kEngine,      ///< read by the connector itself
  kNoEffect,    ///< accepted; `reason` says why nothing happens in the roles of `roles`
  kSecure,      ///< how connections are secured
  kByteArrays,  ///< a class name: Kafka's own serializers have no effect, others are refused
  kRefused,     ///< `reason` says why and what to do; but for `usual` values, which are what happens anyway, and for
                ///< those `without_effect`, which get a note
};

constexpr uint8_t kConsumerBit = 1;
constexpr uint8_t kProducerBit = 2;
constexpr uint8_t kAllRoles = 7;

struct Rule {
  std::string_view name;
  Treatment treatment;
  uint8_t roles = kAllRoles;
  std::string_view reason = "";
  std::string_view usual = "";  ///< separated by '|'; classes without their package
  std::string_view without_effect = "";
};

constexpr std::string_view kManual = "partitions are assigned by the job, not by the consumer group";
constexpr std::string_view kJvm = "it configures the Java virtual machine";
constexpr std::string_view kMetrics = "metrics are Yeoul's own";
constexpr std::string_view kRenewal = "a new login is made as the broker asks for it";
constexpr std::string_view kTickets = "tickets are the Kerberos library's business";
constexpr std::string_view kClasses = "Java classes cannot be loaded";
constexpr std::string_view kValidation = "brokers check tokens, clients do not";

using enum Treatment;

constexpr Rule kRules[] = {
    // Both roles.
    {"bootstrap.servers", kPass},
    {"bootstrap.controllers", kNoEffect, kAllRoles, "jobs find the cluster by 'bootstrap.servers'"},
    {"client.id", kPass},
    {"client.rack", kPass, kConsumerBit},
    {"client.dns.lookup", kEngine},
    {"request.timeout.ms", kPass},
    {"default.api.timeout.ms", kEngine, kConsumerBit},
    {"retry.backoff.ms", kPass},
    {"retry.backoff.max.ms", kPass},
    {"reconnect.backoff.ms", kPass},
    {"reconnect.backoff.max.ms", kPass},
    {"connections.max.idle.ms", kPass},
    {"socket.connection.setup.timeout.ms", kPass},
    {"socket.connection.setup.timeout.max.ms", kPass},
    {"receive.buffer.bytes", kPass},
    {"send.buffer.bytes", kPass},
    {"metadata.max.age.ms", kEngine},
    {"metadata.max.idle.ms", kNoEffect, kAllRoles, "metadata of the topics in use is kept"},
    {"metadata.recovery.strategy", kEngine},
    {"metadata.recovery.rebootstrap.trigger.ms", kNoEffect, kAllRoles, "it never waits with that, or does not do it"},
    {"metrics.num.samples", kNoEffect, kAllRoles, kMetrics},
    {"metrics.recording.level", kNoEffect, kAllRoles, kMetrics},
    {"metrics.sample.window.ms", kNoEffect, kAllRoles, kMetrics},
    {"metric.reporters", kNoEffect, kAllRoles, kMetrics},
    {"enable.metrics.push", kNoEffect, kAllRoles, kMetrics},
    {"auto.include.jmx.reporter", kNoEffect, kAllRoles, kJvm},
    {"interceptor.classes", kNoEffect, kAllRoles, kClasses},
    {"flink.disable-metrics", kNoEffect, kAllRoles, kMetrics},
    // Consumers.
    {"group.id", kPass, kConsumerBit},
    {"isolation.level", kPass, kConsumerBit},
    {"fetch.min.bytes", kPass, kConsumerBit},
    {"fetch.max.bytes", kPass, kConsumerBit},
    {"fetch.max.wait.ms", kPass, kConsumerBit},
    {"max.partition.fetch.bytes", kPass, kConsumerBit},
    {"check.crcs", kPass, kConsumerBit},
    {"allow.auto.create.topics", kPass, kConsumerBit},
    {"auto.offset.reset", kEngine, kConsumerBit},
    {"enable.auto.commit", kEngine, kConsumerBit},
    {"auto.commit.interval.ms", kEngine, kConsumerBit},
    {"client.id.prefix", kEngine},
    {"partition.discovery.interval.ms", kEngine},
    {"commit.offsets.on.checkpoint", kEngine},
    {"register.consumer.metrics", kEngine, kConsumerBit},
    {"max.poll.records", kNoEffect, kAllRoles, "the reader takes whole fetched buffers"},
    {"max.poll.interval.ms", kNoEffect, kAllRoles, kManual},
    {"session.timeout.ms", kNoEffect, kAllRoles, kManual},
    {"heartbeat.interval.ms", kNoEffect, kAllRoles, kManual},
    {"group.instance.id", kNoEffect, kAllRoles, kManual},
    {"group.protocol", kNoEffect, kAllRoles, kManual},
    {"group.remote.assignor", kNoEffect, kAllRoles, kManual},
    {"partition.assignment.strategy", kNoEffect, kAllRoles, kManual},
    {"exclude.internal.topics", kNoEffect, kAllRoles, "patterns never match internal topics"},
    {"key.deserializer", kByteArrays},
    {"value.deserializer", kByteArrays},
    // Producers.
    {"acks", kPass, kProducerBit},
    {"retries", kPass, kProducerBit},
    {"linger.ms", kPass, kProducerBit},
    {"batch.size", kPass, kProducerBit},
    {"compression.type", kPass, kProducerBit},
    {"compression.gzip.level", kPass, kProducerBit},
    {"compression.lz4.level", kPass, kProducerBit},
    {"compression.zstd.level", kPass, kProducerBit},
    {"delivery.timeout.ms", kPass, kProducerBit},
    {"enable.idempotence", kPass, kProducerBit},
    {"max.in.flight.requests.per.connection", kPass, kProducerBit},
    {"max.request.size", kPass, kProducerBit},
    {"buffer.memory", kEngine, kProducerBit},
    {"max.block.ms", kEngine, kProducerBit},
    {"partitioner.class", kRefused, kAllRoles,
     "Java classes cannot be loaded; a table's 'sink.partitioner' can be 'default', 'fixed' or 'round-robin'",
     "DefaultPartitioner|UniformStickyPartitioner", "RoundRobinPartitioner"},  // see ignores_keys()
    {"partitioner.adaptive.partitioning.enable", kNoEffect, kAllRoles, "keyless records rotate evenly"},
    {"partitioner.availability.timeout.ms", kNoEffect, kAllRoles, "keyless records rotate evenly"},
    {"partitioner.ignore.keys", kPass, kProducerBit},
    {"register.producer.metrics", kEngine, kProducerBit},
    {"key.serializer", kByteArrays},
    {"value.serializer", kByteArrays},
    {"transaction.timeout.ms", kNoEffect, kAllRoles, "the sink opens no transactions"},
    {"transactional.id", kNoEffect, kProducerBit, "the sink names its transactions itself"},
    // Of the engine's, for all clients: engine_properties().
    {"java.security.auth.login.config", kSecure},
    {"java.security.krb5.conf", kSecure},
    {"security.kerberos.krb5-conf.path", kSecure},
    {"security.kerberos.login.contexts", kSecure},
    {"security.kerberos.login.keytab", kSecure},
    {"security.kerberos.login.principal", kSecure},
    {"security.kerberos.login.use-ticket-cache", kSecure},
    // Security.
    {"security.protocol", kSecure},
    {"security.providers", kNoEffect, kAllRoles, kJvm},
    {"sasl.mechanism", kSecure},
    {"sasl.jaas.config", kSecure},
    {"sasl.kerberos.service.name", kSecure},
    {"sasl.oauthbearer.client.credentials.client.id", kSecure},
    {"sasl.oauthbearer.client.credentials.client.secret", kSecure},
    {"sasl.oauthbearer.header.urlencode", kSecure},
    {"sasl.oauthbearer.scope", kSecure},
    {"sasl.oauthbearer.token.endpoint.url", kSecure},
    {"sasl.oauthbearer.jwt.retriever.class", kRefused, kAllRoles, kClasses, "DefaultJwtRetriever"},
    {"sasl.oauthbearer.jwt.validator.class", kRefused, kAllRoles, kClasses, "DefaultJwtValidator|ClientJwtValidator"},
    {"sasl.oauthbearer.clock.skew.seconds", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.expected.audience", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.expected.issuer", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.jwks.endpoint.refresh.ms", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.jwks.endpoint.url", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.scope.claim.name", kNoEffect, kAllRoles, kValidation},
    {"sasl.oauthbearer.sub.claim.name", kNoEffect, kAllRoles, kValidation},
    {"sasl.login.retry.backoff.max.ms", kSecure},
    {"sasl.login.retry.backoff.ms", kSecure},
    {"sasl.login.connect.timeout.ms", kSecure},
    {"sasl.login.read.timeout.ms", kSecure},
    {"sasl.login.refresh.buffer.seconds", kNoEffect, kAllRoles, kRenewal},
    {"sasl.login.refresh.min.period.seconds", kNoEffect, kAllRoles, kRenewal},
    {"sasl.login.refresh.window.factor", kNoEffect, kAllRoles, kRenewal},
    {"sasl.login.refresh.window.jitter", kNoEffect, kAllRoles, kRenewal},
    {"sasl.kerberos.kinit.cmd", kNoEffect, kAllRoles, kTickets},
    {"sasl.kerberos.min.time.before.relogin", kNoEffect, kAllRoles, kTickets},
    {"sasl.kerberos.ticket.renew.jitter", kNoEffect, kAllRoles, kTickets},
    {"sasl.kerberos.ticket.renew.window.factor", kNoEffect, kAllRoles, kTickets},
    {"sasl.login.class", kSecure},
    {"sasl.client.callback.handler.class", kSecure},
    {"sasl.login.callback.handler.class", kSecure},
    {"ssl.truststore.location", kSecure},
    {"ssl.truststore.password", kSecure},
    {"ssl.truststore.type", kSecure},
    {"ssl.truststore.certificates", kSecure},
    {"ssl.keystore.location", kSecure},
    {"ssl.keystore.password", kSecure},
    {"ssl.keystore.type", kSecure},
    {"ssl.keystore.key", kSecure},
    {"ssl.keystore.certificate.chain", kSecure},
    {"ssl.key.password", kSecure},
    {"ssl.engine.factory.class", kSecure},
    {"ssl.endpoint.identification.algorithm", kSecure},
    {"ssl.protocol", kSecure},
    {"ssl.enabled.protocols", kSecure},
    {"ssl.cipher.suites", kSecure},
    {"ssl.provider", kNoEffect, kAllRoles, kJvm},
    {"ssl.trustmanager.algorithm", kNoEffect, kAllRoles, kJvm},
    {"ssl.keymanager.algorithm", kNoEffect, kAllRoles, kJvm},
    {"ssl.secure.random.implementation", kNoEffect, kAllRoles, kJvm},
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

bool is_choice(std::string_view value, std::string_view choices) {
  for (size_t at = 0; at <= choices.size();) {
    const size_t bar = std::min(choices.find('|', at), choices.size());
    if (choices.substr(at, bar - at) == value) return true;
    at = bar + 1;
  }
  return false;
}

std::string listed(std::string_view choices) {
  std::string text(choices);
  for (size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar)) text.replace(bar, 1, ", ");
  return text;
}

/// Kafka's own serializers of byte arrays and texts: what the connector does anyway.
constexpr std::string_view kByteArrayClasses =
    "ByteArraySerializer|ByteArrayDeserializer|StringSerializer|StringDeserializer|BytesSerializer|BytesDeserializer|"
    "ByteBufferSerializer|ByteBufferDeserializer";

std::string class_of(std::string_view value) {
  return std::string(trimmed(value.substr(value.rfind('.') + 1)));
}

bool applies(const Rule& rule, ClientRole role) {
  if (role == ClientRole::kProducer) return (rule.roles & kProducerBit) != 0;
  // The admin client looks up offsets, which follow the consumer's properties.
  return (rule.roles & kConsumerBit) != 0;
}

}  // namespace

ClientProperties::ClientProperties(std::string owner, ClientRole role, const OptionMap& java)
    : owner_(std::move(owner)), role_(role), java_(java) {
  // A blank group is none (KS-033).
  if (const auto group = java_.find("group.id"); group != java_.end() && trimmed(group->second).empty()) {
    java_.erase(group);
  }
  const OptionMap given = java_;
  for (const auto& [name, value] : given) add(name, value);
  if (role_ == ClientRole::kProducer) {
    finish_producer();
  } else {
    finish_consumer();
  }
}

/// A property as the user wrote it: tables have their own prefix.
std::string ClientProperties::label(std::string_view name) const {
  const std::string_view kind = is_engine_property(name)       ? "option '"
                                : owner_.starts_with("table ") ? "option 'properties."
                                                               : "property '";
  return fmt::format("{}: {}{}'", owner_, kind, name);
}

/// Checks a value as Java's client does, and brings it into the form and the limits of the client in use.
std::string ClientProperties::checked_value(const std::string& name, const std::string& value) {
  if (name == "bootstrap.servers") return checked_bootstrap_servers(label(name), value);
  if (const std::string_view choices = property_choices(name); !choices.empty()) {
    std::string chosen = lower_case(trimmed(value));
    if (is_choice(chosen, choices)) return chosen;
    throw user_error(2010, "{} = '{}' is not one of {}", label(name), value, listed(choices));
  }
  const PropertyLimits* limits = find_property_limits(name);
  if (limits == nullptr) return value;
  int64_t number = 0;
  try {
    // Java's numbers may have a plus sign.
    const std::string_view text = trimmed(value);
    const bool has_plus = text.starts_with('+') && text.size() > 1 && text[1] != '-';
    number = parse_integer(name, std::string(has_plus ? text.substr(1) : text));
  } catch (const Error&) {
    throw user_error(2010, "{} = '{}' is not a whole number", label(name), value);
  }
  if (number < limits->java_min || number > limits->java_max) {
    throw user_error(2010, "{} = '{}' must be {}", label(name), value,
                     limits->java_max == std::numeric_limits<int64_t>::max()
                         ? fmt::format("at least {}", limits->java_min)
                         : fmt::format("between {} and {}", limits->java_min, limits->java_max));
  }
  // Java's -1: connections are never closed, or buffers are left to the operating system. The client says 0.
  if (number < 0 && limits->min >= 0) return "0";
  const int64_t taken = std::clamp(number, limits->min, limits->max);
  // A fetch answers at once with 0 as with 1, and a batch of 0 bytes is one of one record.
  if (taken != number && name != "fetch.min.bytes" && name != "batch.size") {
    notes_.push_back(fmt::format("property '{}' = '{}' is taken as {}: here it can be {} to {}", name, value, taken,
                                 limits->min, limits->max));
  }
  java_[name] = std::to_string(taken);
  return java_[name];
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
      if (applies(*rule, role_)) {
        java_[name] = checked_value(name, value);
      }
      return;
    case kEngine:
      if (applies(*rule, role_)) checked_value(name, value);
      return;
    case kSecure:
      return add_secure(name, value);
    case kNoEffect:
      checked_value(name, value);
      if (applies(*rule, role_)) notes_.push_back(fmt::format("property '{}' has no effect: {}", name, rule->reason));
      return;
    case kByteArrays:
      if (!is_choice(class_of(value), kByteArrayClasses)) {
        throw user_error(2013, "{}: property '{}' = '{}': {}; formats turn bytes into columns", owner_, name, value,
                         kClasses);
      }
      notes_.push_back(fmt::format("property '{}' has no effect: formats turn bytes into columns", name));
      return;
    case kRefused:
      if (!rule->usual.empty() && is_choice(class_of(value), rule->usual)) return;
      if (!rule->without_effect.empty() && is_choice(class_of(value), rule->without_effect)) {
        notes_.push_back(fmt::format("property '{}' = '{}' has no effect: {}", name, value, rule->reason));
        return;
      }
      throw user_error(2013, "{}: property '{}' = '{}': {}", owner_, name, value, rule->reason);
  }
}

void ClientProperties::add_secure(const std::string& name, const std::string& value) {
  const bool plain = name == "security.protocol" && (lower_case(value) == "plaintext" || lower_case(value) == "none");
  if (plain) java_[name] = "plaintext";  // "none" stands in old examples
}

void ClientProperties::finish_consumer() {
  const int64_t longest_fetch_ms = integer("fetch.max.wait.ms", 500) + 1000;
  const int64_t timeout_ms = integer("request.timeout.ms", longest_fetch_ms);
  if (timeout_ms < longest_fetch_ms) {
    notes_.push_back(fmt::format("property 'request.timeout.ms' = '{}' is taken as {}: a fetch may take that long",
                                 timeout_ms, longest_fetch_ms));
  }
  boolean("enable.auto.commit", false);
}

void ClientProperties::finish_producer() {
  const int64_t linger_ms = integer("linger.ms", 5);
  const int64_t request_ms = integer("request.timeout.ms", 30'000);
  if (get("delivery.timeout.ms") && integer("delivery.timeout.ms", 0) < linger_ms + request_ms) {
    throw user_error(2010, "{} = '{}' must be at least 'linger.ms' + 'request.timeout.ms' = {}",
                     label("delivery.timeout.ms"), *get("delivery.timeout.ms"), linger_ms + request_ms);
  }
  if (!is_idempotent() && boolean("enable.idempotence", false)) {
    throw user_error(2010,
                     "{}: property 'enable.idempotence' = 'true' needs 'acks' = 'all', 'retries' > 0 and "
                     "'max.in.flight.requests.per.connection' <= 5",
                     owner_);
  }
}

bool ClientProperties::is_idempotent() const {
  const std::string acks = get("acks").value_or("all");
  const bool weaker = (acks != "all" && acks != "-1") || integer("retries", 1) == 0 ||
                      integer("max.in.flight.requests.per.connection", 5) > 5;
  return !weaker && boolean("enable.idempotence", true);
}

bool ClientProperties::ignores_keys() const {
  const std::string partitioner = class_of(get("partitioner.class").value_or(""));
  return partitioner.empty() ? boolean("partitioner.ignore.keys", false) : partitioner == "UniformStickyPartitioner";
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

}  // namespace yeoul
