#include "yeoul/kafka/client/client_properties.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace yeoul
