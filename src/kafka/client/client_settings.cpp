#include "yeoul/kafka/client/client_settings.h"

#include <algorithm>

#include "yeoul/common/ascii.h"

namespace yeoul {
namespace {

/// A fetch may be answered so much later than the broker was told to wait at most.
constexpr int64_t kFetchGraceMs = 1'000;
/// Fetched and unpacked bytes of all partitions of a reader.
constexpr size_t kBufferedBytesMax = size_t{32} << 20;
/// Where the user sets no `batch.size`: Java's 16 KB cost three times as much a record. Records wait no longer for it.
constexpr size_t kBatchBytes = 1'000'000;

int64_t fetch_wait_ms(const ClientProperties& properties) {
  return properties.integer("fetch.max.wait.ms", 500);
}

int64_t duration_ns(const ClientProperties& properties, std::string_view name, int64_t fallback_ms) {
  return properties.integer(name, fallback_ms) * kNanosPerMs;
}

int32_t size_of(const ClientProperties& properties, std::string_view name, int32_t fallback) {
  return static_cast<int32_t>(properties.integer(name, fallback));
}

}  // namespace

bool reads_committed(const ClientProperties& properties) {
  return properties.get("isolation.level").value_or("read_committed") == "read_committed";
}

ClusterClientSettings cluster_client_settings(const ClientProperties& properties) {
  ClusterClientSettings settings;
  settings.bootstrap_servers = properties.bootstrap_servers();
  LinkSettings& link = settings.link;
  link.client_id = properties.client_id();
  link.request_timeout_ns = duration_ns(properties, "request.timeout.ms", 30'000);
  link.connect_timeout_ns = duration_ns(properties, "socket.connection.setup.timeout.ms", 10'000);
  link.connect_timeout_max_ns = duration_ns(properties, "socket.connection.setup.timeout.max.ms", 30'000);
  link.backoff_max_ns = duration_ns(properties, "reconnect.backoff.max.ms", 1'000);
  link.backoff_ns = std::min(duration_ns(properties, "reconnect.backoff.ms", 50), link.backoff_max_ns);
  const int64_t idle_ms = properties.integer("connections.max.idle.ms", 540'000);
  link.idle_max_ns = idle_ms > 0 ? idle_ms * kNanosPerMs : kNever;
  link.buffers = {size_of(properties, "receive.buffer.bytes", 0), size_of(properties, "send.buffer.bytes", 0)};
  link.security =
      make_security_settings(properties.java(), [&](std::string_view name) { return properties.label(name); });
  link.canonical_bootstrap_names =
      lower_case(properties.get("client.dns.lookup").value_or("")) == "resolve_canonical_bootstrap_servers_only";
  ClusterSettings& cluster = settings.cluster;
  cluster.max_age_ns = duration_ns(properties, "metadata.max.age.ms", 300'000);
  const QuestionSettings question = question_settings(properties);
  cluster.backoff_ns = question.backoff_ns;
  cluster.backoff_max_ns = question.backoff_max_ns;
  return settings;
}

FetchConsumerSettings fetch_consumer_settings(const ClientProperties& properties) {
  FetchConsumerSettings settings;
  static_cast<ClusterClientSettings&>(settings) = cluster_client_settings(properties);
  settings.link.request_timeout_ns =
      std::max(settings.link.request_timeout_ns, (fetch_wait_ms(properties) + kFetchGraceMs) * kNanosPerMs);
  settings.cluster.creates_topics = properties.boolean("allow.auto.create.topics", false);
  settings.patience_ns = kNever;
  FetchSettings& fetch = settings.fetch;
  fetch.max_wait_ms = static_cast<int32_t>(fetch_wait_ms(properties));
  fetch.min_bytes = size_of(properties, "fetch.min.bytes", fetch.min_bytes);
  fetch.max_bytes = size_of(properties, "fetch.max.bytes", fetch.max_bytes);
  fetch.partition_max_bytes = size_of(properties, "max.partition.fetch.bytes", fetch.partition_max_bytes);
  fetch.read_committed = reads_committed(properties);
  fetch.check_crcs = properties.boolean("check.crcs", true);
  fetch.rack = properties.get("client.rack").value_or("");
  fetch.retry_backoff_ns = settings.cluster.backoff_ns;
  fetch.buffered_bytes_max = kBufferedBytesMax;
  return settings;
}

ProduceClientSettings produce_client_settings(const ClientProperties& properties) {
  ProduceClientSettings settings;
  static_cast<ClusterClientSettings&>(settings) = cluster_client_settings(properties);
  settings.cluster.creates_topics = true;
  settings.max_block_ns = duration_ns(properties, "max.block.ms", 60'000);
  ProduceSettings& produce = settings.produce;
  const std::string acks = properties.get("acks").value_or("all");
  produce.acks = static_cast<int16_t>(acks == "0" ? 0 : acks == "1" ? 1 : -1);
  produce.idempotent = properties.is_idempotent();
  produce.linger_ns = duration_ns(properties, "linger.ms", 5);
  produce.buffer_bytes = static_cast<size_t>(properties.integer("buffer.memory", int64_t{32} << 20));
  produce.request_bytes_max = static_cast<size_t>(properties.integer("max.request.size", 1 << 20));
  const auto batch_bytes = static_cast<int64_t>(std::min(kBatchBytes, produce.request_bytes_max));
  produce.batch_bytes = static_cast<size_t>(properties.integer("batch.size", batch_bytes));
  produce.request_timeout_ms = size_of(properties, "request.timeout.ms", 30'000);
  // Unless the user has set it, it makes room for the other two.
  produce.delivery_timeout_ns = std::max(duration_ns(properties, "delivery.timeout.ms", 120'000),
                                         produce.linger_ns + produce.request_timeout_ms * kNanosPerMs);
  produce.retries = size_of(properties, "retries", INT32_MAX);
  produce.in_flight_max = static_cast<size_t>(properties.integer("max.in.flight.requests.per.connection", 5));
  produce.backoff_ns = settings.cluster.backoff_ns;
  produce.backoff_max_ns = settings.cluster.backoff_max_ns;
  const std::string compression = properties.get("compression.type").value_or("none");
  produce.compression = find_compression(compression).value_or(Compression::kNone);
  const std::string level = "compression." + compression + ".level";
  if (properties.get(level)) produce.compression_level = static_cast<int>(properties.integer(level, 0));
  return settings;
}

void check_client(const ClientProperties& properties) {
  if (properties.role() != ClientRole::kProducer) {
    cluster_client_settings(properties);
    return;
  }
  const ProduceSettings produce = produce_client_settings(properties).produce;
  check_produce_settings(produce);
  Compressor(produce.compression, produce.compression_level);
}

QuestionSettings question_settings(const ClientProperties& properties) {
  QuestionSettings settings;
  settings.timeout_ns = duration_ns(properties, "default.api.timeout.ms", 60'000);
  settings.backoff_max_ns = duration_ns(properties, "retry.backoff.max.ms", 1'000);
  settings.backoff_ns = std::min(duration_ns(properties, "retry.backoff.ms", 100), settings.backoff_max_ns);
  return settings;
}

}  // namespace yeoul
