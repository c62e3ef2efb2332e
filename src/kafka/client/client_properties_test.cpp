#include "yeoul/kafka/client/client_properties.h"

#include <gtest/gtest.h>

#include "yeoul/kafka/client/client_settings.h"

namespace yeoul {
namespace {

ClientProperties consumer(OptionMap java) {
  return ClientProperties("table 't'", ClientRole::kConsumer, java);
}
ClientProperties producer(OptionMap java) {
  return ClientProperties("table 't'", ClientRole::kProducer, java);
}

Error failure(ClientRole role, OptionMap java) {
  try {
    ClientProperties("table 't'", role, java);
  } catch (const Error& error) {
    return error;
  }
  return user_error(0, "no error");
}

TEST(ClientProperties, ValuesComeInOneForm) {
  EXPECT_EQ(producer({{"compression.type", "LZ4"}}).get("compression.type"), "lz4");
  EXPECT_EQ(consumer({{"isolation.level", "READ_UNCOMMITTED"}}).get("isolation.level"), "read_uncommitted");
}

TEST(ClientProperties, AProducerIsIdempotentUnlessASettingExcludesIt) {
  EXPECT_TRUE(producer({}).is_idempotent());
  EXPECT_FALSE(producer({{"enable.idempotence", "false"}}).is_idempotent());
  EXPECT_FALSE(producer({{"acks", "1"}}).is_idempotent());
  EXPECT_FALSE(producer({{"retries", "0"}}).is_idempotent());
  EXPECT_FALSE(producer({{"max.in.flight.requests.per.connection", "6"}}).is_idempotent());
}

TEST(ClientProperties, PropertiesOfTheOtherRoleAreIgnored) {
  EXPECT_TRUE(consumer({{"linger.ms", "soon"}}).notes().empty());
  EXPECT_TRUE(producer({{"fetch.max.bytes", "many"}}).notes().empty());
}

TEST(ClientProperties, NotesWhatHasNoEffect) {
  const ClientProperties c = consumer({{"session.timeout.ms", "1000"},
                                       {"key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"},
                                       {"foo.bar", "x"}});
  EXPECT_EQ(c.notes().size(), 3u);
  EXPECT_EQ(consumer({{"receive.buffer.bytes", "65536"}, {"connections.max.idle.ms", "-1"}}).notes().size(), 0u);
  EXPECT_EQ(producer({{"receive.buffer.bytes", "65536"}, {"connections.max.idle.ms", "-1"}}).notes().size(), 0u);
  EXPECT_EQ(consumer({{"retry.backoff.max.ms", "70"}}).notes().size(), 0u);
  EXPECT_EQ(producer({{"retry.backoff.max.ms", "70"}}).notes().size(), 0u);
}

TEST(ClientProperties, NamesTheNearestOfAMisspeltName) {
  const Error error = failure(ClientRole::kConsumer, {{"fetch.max.wait.m", "1"}});
  EXPECT_EQ(error.code(), 2011);
  EXPECT_NE(error.message().find("'fetch.max.wait.ms'"), std::string::npos) << error.message();
}

TEST(ClientProperties, ValuesThatChangeNothingAreTakenWhereOthersAreRefused) {
  const auto expect_usual = [](const char* name, const char* usual, const char* other) {
    EXPECT_TRUE(producer({{name, usual}}).notes().empty()) << name;
    EXPECT_EQ(failure(ClientRole::kProducer, {{name, other}}).code(), 2013) << name;
  };
  expect_usual("partitioner.class", "org.apache.kafka.clients.producer.internals.DefaultPartitioner", "org.a.Mine");
  expect_usual("sasl.oauthbearer.jwt.retriever.class",
               "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever", "org.a.Mine");
  const Error error = failure(ClientRole::kProducer, {{"partitioner.class", "org.a.Mine"}});
  EXPECT_NE(error.message().find("'sink.partitioner'"), std::string::npos) << error.message();
}

TEST(ClientProperties, WhatJavaJobsHaveNeverFailsOne) {
  const auto expect_note = [](const char* name, const char* value, const char* reason) {
    const ClientProperties properties = producer({{name, value}});
    ASSERT_EQ(properties.notes().size(), 1u) << name;
    EXPECT_NE(properties.notes()[0].find(name), std::string::npos) << properties.notes()[0];
    EXPECT_NE(properties.notes()[0].find(reason), std::string::npos) << properties.notes()[0];
  };
  expect_note("partitioner.class", "org.apache.kafka.clients.producer.RoundRobinPartitioner", "'sink.partitioner'");
  expect_note("transactional.id", "mine", "the sink names its transactions itself");
  expect_note("bootstrap.controllers", "localhost:9093", "'bootstrap.servers'");
  EXPECT_TRUE(consumer({{"transactional.id", "mine"}}).notes().empty());
  EXPECT_TRUE(producer({{"partitioner.ignore.keys", "TRUE"}}).notes().empty());
  EXPECT_TRUE(consumer({{"partitioner.ignore.keys", "soon"}}).notes().empty());
  EXPECT_EQ(failure(ClientRole::kProducer, {{"partitioner.ignore.keys", "soon"}}).code(), 2010);
}

TEST(ClientProperties, KeysChooseNoPartitionWhereTheProducerIsToldSo) {
  const std::string classes = "org.apache.kafka.clients.producer.";
  const auto ignores = [](OptionMap java) { return producer(std::move(java)).ignores_keys(); };
  EXPECT_FALSE(ignores({}));
  EXPECT_TRUE(ignores({{"partitioner.class", classes + "UniformStickyPartitioner"}}));
  EXPECT_FALSE(ignores({{"partitioner.class", classes + "internals.DefaultPartitioner"}}));
  EXPECT_TRUE(ignores({{"partitioner.ignore.keys", "true"}}));
  EXPECT_FALSE(ignores({{"partitioner.ignore.keys", "FALSE"}}));
  // A class of the user's knows nothing of the property.
  EXPECT_FALSE(ignores({{"partitioner.ignore.keys", "true"}, {"partitioner.class", "DefaultPartitioner"}}));
}

TEST(ClientProperties, EveryPropertyOfAJavaClientsLoginIsKnown) {
  for (const char* name :
       {"sasl.oauthbearer.clock.skew.seconds", "sasl.oauthbearer.expected.audience", "sasl.oauthbearer.expected.issuer",
        "sasl.oauthbearer.jwks.endpoint.refresh.ms", "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms",
        "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms", "sasl.oauthbearer.jwks.endpoint.url",
        "sasl.oauthbearer.scope.claim.name", "sasl.oauthbearer.sub.claim.name"}) {
    const ClientProperties properties = consumer({{name, "100"}});
    ASSERT_EQ(properties.notes().size(), 1u) << name;
    EXPECT_NE(properties.notes()[0].find("has no effect: "), std::string::npos) << properties.notes()[0];
  }
}

TEST(ClientProperties, RefusesWithTheReason) {
  EXPECT_EQ(failure(ClientRole::kProducer, {{"value.serializer", "org.mycompany.Mine"}}).code(), 2013);
  EXPECT_TRUE(consumer({{"security.protocol", "PLAINTEXT"}}).notes().empty());
}

TEST(ClientProperties, RefusesBadValuesBeforeAnythingRuns) {
  EXPECT_EQ(failure(ClientRole::kConsumer, {{"isolation.level", "read_some"}}).code(), 2010);
  EXPECT_EQ(failure(ClientRole::kConsumer, {{"auto.offset.reset", "first"}}).code(), 2010);
  EXPECT_EQ(failure(ClientRole::kProducer, {{"linger.ms", "soon"}}).code(), 2010);
  EXPECT_EQ(failure(ClientRole::kProducer, {{"acks", "0"}, {"enable.idempotence", "true"}}).code(), 2010);
}

TEST(ClientProperties, ABlankGroupIsNone) {
  for (const char* blank : {"", " ", "\t"}) {
    ClientProperties c = consumer({{"group.id", blank}});
    EXPECT_FALSE(c.get("group.id"));
    c.set_group_id("generated");
    EXPECT_EQ(c.group_id(), "generated");
  }
}

TEST(ClientProperties, WhatJavaTakesRunsWithANoteWhereItIsMoved) {
  const auto taken = [](const ClientProperties& p, const std::string& name, const std::string& expected, size_t notes) {
    EXPECT_EQ(p.get(name), expected) << name;
    EXPECT_EQ(p.notes().size(), notes) << name;
    for (const std::string& note : p.notes()) EXPECT_NE(note.find("'" + name + "'"), std::string::npos) << note;
  };
  const auto written = [&](const std::string& name, const std::string& value, const std::string& expected,
                           size_t notes) {
    taken(producer({{name, value}}), name, expected, notes);
  };
  const auto read = [&](const std::string& name, const std::string& value, const std::string& expected, size_t notes) {
    taken(consumer({{name, value}}), name, expected, notes);
  };
  written("request.timeout.ms", "600000", "600000", 0);
  written("request.timeout.ms", "0", "1", 1);
  written("metadata.max.age.ms", "0", "100", 1);
  written("linger.ms", "1000000", "1000000", 0);
  written("batch.size", "0", "0", 0);
  written("compression.zstd.level", "-5", "-5", 0);
  read("request.timeout.ms", "600000", "600000", 0);
  read("request.timeout.ms", "1000", "1000", 1);
  read("fetch.min.bytes", "0", "0", 0);
  read("fetch.max.bytes", "0", "0", 0);
  read("max.partition.fetch.bytes", "2147483647", "2147483647", 0);
  read("metadata.max.age.ms", "0", "100", 1);
  for (const char* lookup : {"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only", "default"}) {
    EXPECT_EQ(producer({{"client.dns.lookup", lookup}}).notes().size(), 0u);
    EXPECT_EQ(consumer({{"client.dns.lookup", lookup}}).notes().size(), 0u);
  }
}

TEST(ClientProperties, ValuesThatJavaRefusesAreRefusedByTheNameTheUserKnows) {
  const auto expect_refused = [](ClientRole role, const char* name, const char* value) {
    const Error error = failure(role, {{name, value}});
    EXPECT_EQ(error.code(), 2010) << name;
    EXPECT_NE(error.message().find(fmt::format("option 'properties.{}' = '{}'", name, value)), std::string::npos)
        << error.message();
    EXPECT_EQ(error.message().find('\n'), std::string::npos);
  };
  expect_refused(ClientRole::kProducer, "acks", "2");
  expect_refused(ClientRole::kProducer, "acks", "-2");
  expect_refused(ClientRole::kProducer, "linger.ms", "-1");
  expect_refused(ClientRole::kProducer, "linger.ms", "+-1");
  expect_refused(ClientRole::kProducer, "linger.ms", "++1");
  expect_refused(ClientRole::kProducer, "compression.type", "rar");
  expect_refused(ClientRole::kProducer, "buffer.memory", "32mb");
  expect_refused(ClientRole::kProducer, "compression.lz4.level", "18");
  expect_refused(ClientRole::kProducer, "delivery.timeout.ms", "5");
  expect_refused(ClientRole::kConsumer, "request.timeout.ms", "30 s");
  expect_refused(ClientRole::kConsumer, "receive.buffer.bytes", "-2");
  expect_refused(ClientRole::kConsumer, "fetch.max.wait.ms", "3000000000");
  expect_refused(ClientRole::kConsumer, "client.dns.lookup", "sometimes");
  expect_refused(ClientRole::kConsumer, "check.crcs", "yes");
  expect_refused(ClientRole::kConsumer, "enable.auto.commit", "yes");
  expect_refused(ClientRole::kConsumer, "metadata.recovery.strategy", "sometimes");
}

TEST(ClientProperties, ANumberMayHaveAPlusSignAsInJava) {
  const ClientProperties properties("table t", ClientRole::kConsumer, {{"fetch.max.bytes", " +5000 "}});
  EXPECT_EQ(properties.integer("fetch.max.bytes", 0), 5000);
}

TEST(ClientProperties, AClientCanBeMadeWithTheLimits) {
  OptionMap lowest;
  OptionMap highest;
  for (const char* name : {"request.timeout.ms", "retry.backoff.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms",
                           "socket.connection.setup.timeout.ms", "metadata.max.age.ms", "fetch.min.bytes",
                           "fetch.max.bytes", "fetch.max.wait.ms", "max.partition.fetch.bytes", "retries", "linger.ms",
                           "batch.size", "max.request.size", "buffer.memory", "max.block.ms"}) {
    lowest[name] = "0";
    highest[name] = "2147483647";
  }
  highest["connections.max.idle.ms"] = "9223372036854775807";
  highest["max.block.ms"] = "9223372036854775807";
  for (const ClientRole role : {ClientRole::kConsumer, ClientRole::kProducer}) {
    check_client(ClientProperties("table 't'", role, lowest));
    check_client(ClientProperties("table 't'", role, highest));
  }
}

}  // namespace
}  // namespace yeoul
