#include "yeoul/kafka/client/client_settings.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/kafka/client/client_settings.h"

namespace yeoul {
namespace {

FetchConsumerSettings settings_of(OptionMap java) {
  java["bootstrap.servers"] = "b:1";
  return fetch_consumer_settings(ClientProperties("table 't'", ClientRole::kConsumer, java));
}

TEST(ClientSettings, DefaultsAreJavasButForTheIsolationLevel) {
  const FetchConsumerSettings settings = settings_of({});
  EXPECT_EQ(settings.bootstrap_servers, "b:1");
  EXPECT_EQ(settings.link.client_id, "yeoul");
  EXPECT_EQ(settings.link.request_timeout_ns, 30'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.connect_timeout_ns, 10'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.backoff_ns, 50 * kNanosPerMs);
  EXPECT_EQ(settings.link.backoff_max_ns, 1'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.idle_max_ns, 540'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.buffers.receive_bytes, 0);
  EXPECT_EQ(settings.cluster.max_age_ns, 300'000 * kNanosPerMs);
  EXPECT_EQ(settings.cluster.backoff_ns, 100 * kNanosPerMs);
  EXPECT_FALSE(settings.cluster.creates_topics);
  EXPECT_EQ(settings.fetch.max_wait_ms, 500);
  EXPECT_EQ(settings.fetch.min_bytes, 1);
  EXPECT_EQ(settings.fetch.max_bytes, 50 << 20);
  EXPECT_EQ(settings.fetch.partition_max_bytes, 1 << 20);
  EXPECT_TRUE(settings.fetch.read_committed);
  EXPECT_TRUE(settings.fetch.check_crcs);
  EXPECT_EQ(settings.patience_ns, kNever);
  const ClientProperties admin("table 't'", ClientRole::kAdmin, {{"bootstrap.servers", "b:1"}});
  EXPECT_EQ(question_settings(admin).timeout_ns, 60'000 * kNanosPerMs);
}

TEST(ClientSettings, PropertiesAreTaken) {
  const FetchConsumerSettings settings = settings_of({{"client.id", "mine"},
                                                      {"client.rack", "r1"},
                                                      {"connections.max.idle.ms", "-1"},
                                                      {"receive.buffer.bytes", "65536"},
                                                      {"send.buffer.bytes", "-1"},
                                                      {"request.timeout.ms", "20000"},
                                                      {"socket.connection.setup.timeout.ms", "3000"},
                                                      {"socket.connection.setup.timeout.max.ms", "9000"},
                                                      {"reconnect.backoff.ms", "5000"},
                                                      {"reconnect.backoff.max.ms", "2000"},
                                                      {"metadata.max.age.ms", "0"},
                                                      {"retry.backoff.ms", "7"},
                                                      {"retry.backoff.max.ms", "70"},
                                                      {"fetch.max.wait.ms", "100"},
                                                      {"fetch.min.bytes", "0"},
                                                      {"fetch.max.bytes", "2147483647"},
                                                      {"max.partition.fetch.bytes", "5"},
                                                      {"isolation.level", "READ_UNCOMMITTED"},
                                                      {"check.crcs", "False"},
                                                      {"allow.auto.create.topics", "true"}});
  EXPECT_EQ(settings.link.client_id, "mine");
  EXPECT_EQ(settings.fetch.rack, "r1");
  EXPECT_EQ(settings.link.idle_max_ns, kNever);
  EXPECT_EQ(settings.link.buffers.receive_bytes, 65536);
  EXPECT_EQ(settings.link.buffers.send_bytes, 0);
  EXPECT_EQ(settings.link.request_timeout_ns, 20'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.connect_timeout_ns, 3'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.connect_timeout_max_ns, 9'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.backoff_ns, 2'000 * kNanosPerMs);
  EXPECT_EQ(settings.link.backoff_max_ns, 2'000 * kNanosPerMs);
  EXPECT_EQ(settings.cluster.max_age_ns, 100 * kNanosPerMs);
  EXPECT_EQ(settings.cluster.backoff_ns, 7 * kNanosPerMs);
  EXPECT_EQ(settings.cluster.backoff_max_ns, 70 * kNanosPerMs);
  EXPECT_EQ(settings.fetch.max_wait_ms, 100);
  EXPECT_EQ(settings.fetch.min_bytes, 0);
  EXPECT_EQ(settings.fetch.max_bytes, INT32_MAX);
  EXPECT_EQ(settings.fetch.partition_max_bytes, 5);
  EXPECT_FALSE(settings.fetch.read_committed);
  EXPECT_FALSE(settings.fetch.check_crcs);
  EXPECT_TRUE(settings.cluster.creates_topics);
}

ProduceClientSettings writer_settings_of(OptionMap java) {
  java["bootstrap.servers"] = "b:1";
  return produce_client_settings(ClientProperties("table 't'", ClientRole::kProducer, java));
}

TEST(ClientSettings, AWritersDefaultsAreJavasButForTheSizeOfBatches) {
  const ProduceClientSettings settings = writer_settings_of({});
  EXPECT_TRUE(settings.cluster.creates_topics);
  EXPECT_EQ(settings.max_block_ns, 60'000 * kNanosPerMs);
  const ProduceSettings& produce = settings.produce;
  EXPECT_TRUE(produce.idempotent);
  EXPECT_EQ(produce.acks, -1);
  EXPECT_EQ(produce.linger_ns, 5 * kNanosPerMs);
  EXPECT_EQ(produce.batch_bytes, 1'000'000u);
  EXPECT_EQ(produce.buffer_bytes, size_t{32} << 20);
  EXPECT_EQ(produce.request_bytes_max, size_t{1} << 20);
  EXPECT_EQ(produce.delivery_timeout_ns, 120'000 * kNanosPerMs);
  EXPECT_EQ(produce.request_timeout_ms, 30'000);
  EXPECT_EQ(produce.retries, INT32_MAX);
  EXPECT_EQ(produce.in_flight_max, 5u);
  EXPECT_EQ(produce.compression, Compression::kNone);
}

TEST(ClientSettings, AWritersPropertiesAreTaken) {
  const ProduceClientSettings settings = writer_settings_of({{"acks", "1"},
                                                             {"linger.ms", "200000"},
                                                             {"batch.size", "0"},
                                                             {"buffer.memory", "1000"},
                                                             {"max.request.size", "2000"},
                                                             {"request.timeout.ms", "20000"},
                                                             {"retries", "3"},
                                                             {"max.in.flight.requests.per.connection", "9"},
                                                             {"max.block.ms", "7"},
                                                             {"retry.backoff.ms", "8"},
                                                             {"compression.type", "ZSTD"},
                                                             {"compression.zstd.level", "-3"},
                                                             {"compression.lz4.level", "9"}});
  EXPECT_EQ(settings.max_block_ns, 7 * kNanosPerMs);
  const ProduceSettings& produce = settings.produce;
  EXPECT_FALSE(produce.idempotent);
  EXPECT_EQ(produce.acks, 1);
  EXPECT_EQ(produce.batch_bytes, 0u);
  EXPECT_EQ(produce.buffer_bytes, 1000u);
  EXPECT_EQ(produce.request_bytes_max, 2000u);
  EXPECT_EQ(produce.delivery_timeout_ns, 220'000 * kNanosPerMs);
  EXPECT_EQ(produce.retries, 3);
  EXPECT_EQ(produce.in_flight_max, 9u);
  EXPECT_EQ(produce.backoff_ns, 8 * kNanosPerMs);
  EXPECT_EQ(produce.compression, Compression::kZstd);
  EXPECT_EQ(produce.compression_level, -3);
}

TEST(ClientSettings, AFetchIsNotTimedOutWhileTheBrokerMayWait) {
  EXPECT_EQ(settings_of({{"fetch.max.wait.ms", "120000"}}).link.request_timeout_ns, 121'000 * kNanosPerMs);
  EXPECT_EQ(settings_of({{"request.timeout.ms", "0"}}).link.request_timeout_ns, 1'500 * kNanosPerMs);
}

TEST(ClientSettings, ConnectionsAreSecuredAsTheUserSays) {
  EXPECT_EQ(settings_of({}).link.security.tls, nullptr);
  EXPECT_EQ(settings_of({{"security.protocol", "NONE"}}).link.security.tls, nullptr);
  EXPECT_NE(settings_of({{"security.protocol", "SSL"}}).link.security.tls, nullptr);
  const FetchConsumerSettings login = settings_of(
      {{"security.protocol", "SASL_PLAINTEXT"},
       {"sasl.mechanism", "PLAIN"},
       {"sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"u\" password=\"secret\";"}});
  ASSERT_NE(login.link.security.login, nullptr);
  EXPECT_NE(writer_settings_of({{"security.protocol", "SSL"}}).link.security.tls, nullptr);
  EXPECT_EQ(login.link.security.login->name(), "PLAIN");
  const ClientProperties wrong("table 't'", ClientRole::kConsumer,
                               {{"bootstrap.servers", "b:1"}, {"security.protocol", "TLS"}});
  try {
    check_client(wrong);
    FAIL() << "no such protocol";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 2010);
    EXPECT_NE(error.message().find("table 't': option 'properties.security.protocol'"), std::string::npos)
        << error.message();
  }
  EXPECT_TRUE(
      settings_of({{"client.dns.lookup", "resolve_canonical_bootstrap_servers_only"}}).link.canonical_bootstrap_names);
}

TEST(ClientSettings, TheUsersClientAndGroupComeFirst) {
  ClientProperties named("table 't'", ClientRole::kConsumer, {{"client.id", "mine"}, {"group.id", "ours"}});
  named.set_client_id("generated");
  named.set_group_id("generated");
  EXPECT_EQ(named.client_id(), "mine");
  EXPECT_EQ(named.group_id(), "ours");
  ClientProperties unnamed("table 't'", ClientRole::kConsumer, {{"group.id", " "}});
  EXPECT_EQ(unnamed.group_id(), "");
  unnamed.set_client_id("generated");
  EXPECT_EQ(unnamed.client_id(), "generated");
}

}  // namespace
}  // namespace yeoul
