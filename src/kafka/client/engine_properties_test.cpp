#include "yeoul/kafka/client/engine_properties.h"

#include <gtest/gtest.h>

#include "yeoul/kafka/client/client_properties.h"

namespace yeoul {
namespace {

TEST(EngineProperties, AreTheLoginsOfASession) {
  EXPECT_EQ(engine_properties({{"parallelism.default", "2"},
                               {"security.kerberos.login.contexts", "Client,KafkaClient"},
                               {"security.kerberos.login.keytab", "/a.keytab"},
                               {"java.security.krb5.conf", "/krb5.conf"}}),
            (OptionMap{{"security.kerberos.login.contexts", "Client,KafkaClient"},
                       {"security.kerberos.login.keytab", "/a.keytab"},
                       {"java.security.krb5.conf", "/krb5.conf"}}));
}

TEST(EngineProperties, AreFoundAmongOptionsOfAVirtualMachine) {
  const OptionMap found =
      engine_properties({{"env.java.opts", "-Xmx1g -Djava.security.krb5.conf=/a -Dother=x"},
                         {"env.java.opts.all", " '-Djava.security.auth.login.config==/with blank/jaas.conf'\t-ea"}});
  EXPECT_EQ(found, (OptionMap{{"java.security.krb5.conf", "/a"},
                              {"java.security.auth.login.config", "/with blank/jaas.conf"}}));
  EXPECT_EQ(engine_properties({{"env.java.opts", "-Djava.security.krb5.conf=/a"}, {"java.security.krb5.conf", "/b"}}),
            (OptionMap{{"java.security.krb5.conf", "/b"}}));
}

TEST(EngineProperties, AreKnownToClients) {
  OptionMap java;
  for (const char* name :
       {"java.security.auth.login.config", "java.security.krb5.conf", "security.kerberos.krb5-conf.path",
        "security.kerberos.login.contexts", "security.kerberos.login.keytab", "security.kerberos.login.principal",
        "security.kerberos.login.use-ticket-cache"}) {
    java[name] = "x";
  }
  const ClientProperties properties("table 't'", ClientRole::kConsumer, java);
  EXPECT_TRUE(properties.notes().empty());
  EXPECT_EQ(properties.label("security.kerberos.login.keytab"), "table 't': option 'security.kerberos.login.keytab'");
  EXPECT_EQ(properties.label("ssl.protocol"), "table 't': option 'properties.ssl.protocol'");
}

}  // namespace
}  // namespace yeoul
