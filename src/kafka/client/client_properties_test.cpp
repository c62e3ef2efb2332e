#include "yeoul/kafka/client/client_properties.h"

#include <gtest/gtest.h>

#include "yeoul/kafka/client/native_client.h"

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

TEST(ClientProperties, DefaultsAreJavasButForTheIsolationLevel) {
  const ClientProperties c = consumer({{"bootstrap.servers", "b:1"}});
  EXPECT_EQ(c.native().at("isolation.level"), "read_committed");
  EXPECT_EQ(c.native().at("check.crcs"), "true");
  EXPECT_EQ(c.native().at("connections.max.idle.ms"), "540000");
  EXPECT_EQ(c.native().at("enable.auto.commit"), "false");
  const ClientProperties p = producer({{"bootstrap.servers", "b:1"}});
  EXPECT_EQ(p.native().at("enable.idempotence"), "true");
  EXPECT_EQ(p.native().at("max.in.flight.requests.per.connection"), "5");
  EXPECT_EQ(p.native().at("delivery.timeout.ms"), "120000");
  EXPECT_EQ(p.native().count("isolation.level"), 0u);
}

TEST(ClientProperties, TranslatesNamesAndValues) {
  const ClientProperties c = consumer({{"fetch.max.wait.ms", "100"},
                                       {"isolation.level", "READ_UNCOMMITTED"},
                                       {"receive.buffer.bytes", "65536"},
                                       {"request.timeout.ms", "20000"}});
  EXPECT_EQ(c.native().at("fetch.wait.max.ms"), "100");
  EXPECT_EQ(c.native().at("isolation.level"), "read_uncommitted");
  EXPECT_EQ(c.native().at("socket.receive.buffer.bytes"), "65536");
  EXPECT_EQ(c.native().at("socket.timeout.ms"), "20000");
  const ClientProperties p = producer({{"compression.type", "LZ4"}, {"max.request.size", "2000000"}, {"acks", "1"}});
  EXPECT_EQ(p.native().at("compression.codec"), "lz4");
  EXPECT_EQ(p.native().at("message.max.bytes"), "2000000");
  EXPECT_EQ(p.native().at("enable.idempotence"), "false") << "acks=1 excludes idempotence, as in Java";
}

TEST(ClientProperties, PropertiesOfTheOtherRoleAreIgnored) {
  EXPECT_EQ(consumer({{"linger.ms", "50"}}).native().count("linger.ms"), 0u);
  EXPECT_EQ(producer({{"group.id", "g"}}).native().count("group.id"), 0u);
}

TEST(ClientProperties, NotesWhatHasNoEffect) {
  const ClientProperties c = consumer({{"session.timeout.ms", "1000"},
                                       {"key.deserializer", "org.apache.kafka.common.serialization.StringDeserializer"},
                                       {"foo.bar", "x"}});
  EXPECT_EQ(c.notes().size(), 3u);
  EXPECT_EQ(c.native().count("foo.bar"), 0u);
}

TEST(ClientProperties, NamesTheNearestOfAMisspeltName) {
  const Error error = failure(ClientRole::kConsumer, {{"fetch.max.wait.m", "1"}});
  EXPECT_EQ(error.code(), 2011);
  EXPECT_NE(error.message().find("'fetch.max.wait.ms'"), std::string::npos) << error.message();
}

TEST(ClientProperties, RefusesWithTheReason) {
  EXPECT_EQ(failure(ClientRole::kConsumer, {{"security.protocol", "SASL_SSL"}}).code(), 2013);
  EXPECT_EQ(failure(ClientRole::kConsumer, {{"sasl.jaas.config", "x"}}).code(), 2013);
  EXPECT_EQ(failure(ClientRole::kProducer, {{"value.serializer", "org.mycompany.Mine"}}).code(), 2013);
  EXPECT_EQ(consumer({{"security.protocol", "PLAINTEXT"}}).native().count("security.protocol"), 0u);
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
    EXPECT_EQ(c.native().at("group.id"), "generated");
  }
}

TEST(ClientProperties, WhatJavaTakesRunsWithANoteWhereItIsMoved) {
  const auto taken = [](ClientRole role, const std::string& name, const std::string& value, const std::string& native,
                        const std::string& expected, size_t notes) {
    const ClientProperties p("table 't'", role, {{name, value}});
    EXPECT_EQ(p.native().at(native), expected) << name << " = " << value;
    EXPECT_EQ(p.notes().size(), notes) << name << " = " << value;
    for (const std::string& note : p.notes()) EXPECT_NE(note.find("'" + name + "'"), std::string::npos) << note;
  };
  constexpr ClientRole kReader = ClientRole::kConsumer;
  constexpr ClientRole kWriter = ClientRole::kProducer;
  taken(kReader, "request.timeout.ms", "305000", "socket.timeout.ms", "300000", 1);
  taken(kReader, "request.timeout.ms", "600000", "socket.timeout.ms", "300000", 1);
  taken(kReader, "send.buffer.bytes", "-1", "socket.send.buffer.bytes", "0", 0);
  taken(kWriter, "receive.buffer.bytes", "-1", "socket.receive.buffer.bytes", "0", 0);
  taken(kReader, "connections.max.idle.ms", "-1", "connections.max.idle.ms", "0", 0);
  taken(kReader, "fetch.min.bytes", "0", "fetch.min.bytes", "1", 0);
  taken(kReader, "fetch.max.bytes", "0", "fetch.max.bytes", "1000", 1);
  taken(kReader, "metadata.max.age.ms", "0", "metadata.max.age.ms", "1000", 1);
  taken(kReader, "metadata.max.age.ms", "172800000", "metadata.max.age.ms", "86400000", 1);
  taken(kReader, "max.partition.fetch.bytes", "2147483647", "max.partition.fetch.bytes", "1000000000", 1);
  taken(kReader, "fetch.max.wait.ms", "120000", "socket.timeout.ms", "121000", 0);
  taken(kReader, "reconnect.backoff.max.ms", "10", "reconnect.backoff.ms", "10", 0);
  taken(kWriter, "linger.ms", "1000000", "linger.ms", "900000", 1);
  taken(kWriter, "batch.size", "0", "batch.size", "1", 0);
  for (const char* lookup : {"use_all_dns_ips", "resolve_canonical_bootstrap_servers_only", "default"}) {
    EXPECT_EQ(consumer({{"client.dns.lookup", lookup}}).notes().size(), 1u);
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
  expect_refused(ClientRole::kProducer, "compression.type", "rar");
  expect_refused(ClientRole::kProducer, "buffer.memory", "32mb");
  expect_refused(ClientRole::kProducer, "delivery.timeout.ms", "5");
  expect_refused(ClientRole::kConsumer, "request.timeout.ms", "30 s");
  expect_refused(ClientRole::kConsumer, "receive.buffer.bytes", "-2");
  expect_refused(ClientRole::kConsumer, "fetch.max.wait.ms", "3000000000");
  expect_refused(ClientRole::kConsumer, "client.dns.lookup", "sometimes");
  expect_refused(ClientRole::kConsumer, "check.crcs", "yes");
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
