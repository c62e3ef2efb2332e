#include "yeoul/kafka/security/security_settings.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/common/file_system.h"

namespace yeoul {
namespace {

std::string label(std::string_view name) {
  return "property '" + std::string(name) + "'";
}

constexpr const char* kPlainModule = "org.apache.kafka.common.security.plain.PlainLoginModule";
constexpr const char* kScramModule = "org.apache.kafka.common.security.scram.ScramLoginModule";

std::string jaas(const std::string& module) {
  return module + " required username=\"alice\" password=\"s3cret\";";
}

std::string failure(const OptionMap& properties, int code = 2010) {
  try {
    make_security_settings(properties, label);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.family(), ErrorFamily::kUser);
    EXPECT_EQ(error.code(), code) << error.message();
    EXPECT_EQ(error.message().find("s3cret"), std::string::npos);
    return error.message();
  }
}

TEST(SecuritySettingsTest, ReadsProtocolsAndMechanisms) {
  const SecuritySettings none = make_security_settings({}, label);
  EXPECT_EQ(none.tls, nullptr);
  EXPECT_EQ(none.login, nullptr);
  const SecuritySettings tls = make_security_settings({{"security.protocol", "SSL"}}, label);
  EXPECT_NE(tls.tls, nullptr);
  EXPECT_EQ(tls.login, nullptr);
  const SecuritySettings plain = make_security_settings(
      {{"security.protocol", "SASL_PLAINTEXT"}, {"sasl.mechanism", "PLAIN"}, {"sasl.jaas.config", jaas(kPlainModule)}},
      label);
  EXPECT_EQ(plain.tls, nullptr);
  EXPECT_EQ(plain.login->name(), "PLAIN");
  const SecuritySettings scram = make_security_settings({{"security.protocol", "sasl_ssl"},
                                                         {"sasl.mechanism", "SCRAM-SHA-512"},
                                                         {"sasl.jaas.config", jaas(kScramModule)}},
                                                        label);
  EXPECT_NE(scram.tls, nullptr);
  EXPECT_EQ(scram.login->name(), "SCRAM-SHA-512");
}

TEST(SecuritySettingsTest, LoginsThatDoNotFitAreRefused) {
  const auto fails = [](const std::string& mechanism, const std::string& config) {
    return failure({{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", mechanism}, {"sasl.jaas.config", config}});
  };
  EXPECT_TRUE(fails("ROT13", jaas(kPlainModule))
                  .starts_with("property 'sasl.mechanism': 'ROT13' is not one of GSSAPI, PLAIN, "));
  EXPECT_EQ(
      fails("PLAIN", jaas(kScramModule)),
      "property 'sasl.jaas.config': the login module 'org.apache.kafka.common.security.scram.ScramLoginModule' does "
      "not fit 'sasl.mechanism' = 'PLAIN', which wants ...security.plain.PlainLoginModule");
  EXPECT_EQ(fails("PLAIN", std::string(kPlainModule) + " required username=alice;"),
            "property 'sasl.jaas.config': the option 'password' is missing");
  EXPECT_TRUE(fails("PLAIN", std::string(kPlainModule) + " required password=s3cret")
                  .starts_with("property 'sasl.jaas.config': there is no ';' at the end"));
  EXPECT_EQ(fails("PLAIN", ""), "property 'sasl.jaas.config': it must be set: a login by PLAIN needs its login module");
}

TEST(SecuritySettingsTest, BadValuesNameTheirProperty) {
  EXPECT_EQ(failure({{"security.protocol", "TLS"}}),
            "property 'security.protocol': 'tls' is not one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL");
  const auto fails = [](const std::string& name, const std::string& value, int code = 2010) {
    return failure({{"security.protocol", "SSL"}, {name, value}}, code);
  };
  EXPECT_EQ(fails("ssl.truststore.location", "/no/such/file.jks", 2017).find("property 'ssl.truststore.location': "),
            0u);
  EXPECT_EQ(failure({{"security.protocol", "SSL"}, {"ssl.keystore.type", "BKS"}, {"ssl.keystore.location", "x"}}),
            "property 'ssl.keystore.type': 'BKS' is not one of JKS, PKCS12, PEM");
  EXPECT_EQ(fails("ssl.endpoint.identification.algorithm", "ldaps"),
            "property 'ssl.endpoint.identification.algorithm': 'ldaps' is neither https nor empty, which switches the "
            "check off");
  EXPECT_EQ(fails("ssl.protocol", "SSLv3"), "property 'ssl.protocol': there is no TLS protocol 'SSLv3'");
  EXPECT_EQ(fails("ssl.enabled.protocols", "TLSv1.3,TLSv2"),
            "property 'ssl.enabled.protocols': there is no TLS protocol 'TLSv2'");
  EXPECT_EQ(fails("ssl.cipher.suites", "TLS_ROT13"),
            "property 'ssl.cipher.suites': there is no cipher suite 'TLS_ROT13'");
  EXPECT_EQ(fails("ssl.truststore.certificates", "nothing", 2017),
            "property 'ssl.truststore.certificates': it holds no PEM certificate and no private key");
  EXPECT_EQ(fails("ssl.keystore.key", "s3cret"),
            "property 'ssl.keystore.certificate.chain': it must be set where 'ssl.keystore.key' is");
  EXPECT_EQ(fails("ssl.engine.factory.class", "my.Factory", 2013),
            "property 'ssl.engine.factory.class': Java classes cannot be loaded, so it can only be one of Kafka's own: "
            "DefaultSslEngineFactory");
}

TEST(SecuritySettingsTest, KafkasOwnClassesAreTakenAndOthersRefusedWhereTheyAreUsed) {
  const std::string package = "org.apache.flink.kafka.shaded.org.apache.kafka.common.security.";
  OptionMap tls{{"security.protocol", "SSL"}, {"sasl.login.class", "my.Login"}};
  tls["ssl.engine.factory.class"] = package + "ssl.DefaultSslEngineFactory";
  EXPECT_EQ(failure(tls), "");
  tls["ssl.engine.factory.class"] = "DefaultSslEngineFactory";
  EXPECT_NE(failure(tls, 2013), "");
  OptionMap plain{
      {"security.protocol", "SASL_PLAINTEXT"},
      {"sasl.mechanism", "PLAIN"},
      {"sasl.jaas.config", jaas(kPlainModule)},
      {"ssl.engine.factory.class", "my.Factory"},
      {"sasl.login.class", package + "authenticator.DefaultLogin"},
      {"sasl.client.callback.handler.class", package + "authenticator.SaslClientCallbackHandler"},
      {"sasl.login.callback.handler.class", package + "authenticator.AbstractLogin$DefaultLoginCallbackHandler"}};
  EXPECT_EQ(failure(plain), "");
  for (const char* name :
       {"sasl.login.class", "sasl.client.callback.handler.class", "sasl.login.callback.handler.class"}) {
    OptionMap other = plain;
    other[name] = "my.Class";
    EXPECT_EQ(failure(other, 2013).find("property '" + std::string(name) + "': Java classes cannot be loaded"), 0u);
  }
  EXPECT_EQ(failure({{"ssl.engine.factory.class", "my.Factory"},
                     {"sasl.login.class", "my.Login"},
                     {"sasl.client.callback.handler.class", "my.Handler"}}),
            "");
}

TEST(SecuritySettingsTest, InlineCertificatesArePem) {
  EXPECT_EQ(
      failure({{"security.protocol", "SSL"}, {"ssl.truststore.type", "JKS"}, {"ssl.truststore.certificates", "x"}}),
      "property 'ssl.truststore.certificates': it needs 'ssl.truststore.type' = 'PEM'");
  EXPECT_EQ(
      failure({{"security.protocol", "SSL"}, {"ssl.truststore.location", "y"}, {"ssl.truststore.certificates", "x"}}),
      "property 'ssl.truststore.certificates': it and 'ssl.truststore.location' exclude each other");
}

constexpr const char* kOauthModule = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule";
constexpr const char* kOidcHandler = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler";

TEST(SecuritySettingsTest, ReadsTokensByTheLoginHandler) {
  const auto properties = [](const std::string& options, const std::string& handler) {
    OptionMap out{{"security.protocol", "SASL_PLAINTEXT"},
                  {"sasl.mechanism", "OAUTHBEARER"},
                  {"sasl.jaas.config", std::string(kOauthModule) + " required " + options + ";"}};
    if (!handler.empty()) out["sasl.login.callback.handler.class"] = handler;
    return out;
  };
  EXPECT_EQ(make_security_settings(properties("unsecuredLoginStringClaim_sub=alice", ""), label).login->name(),
            "OAUTHBEARER");
  EXPECT_EQ(failure(properties("", "")),
            "property 'sasl.jaas.config': the option 'unsecuredLoginStringClaim_sub' is missing");
  EXPECT_EQ(failure(properties("unsecuredLoginStringClaim_sub=a unsecuredLoginNumberClaim_x=y", ""))
                .find("property 'sasl.jaas.config': "),
            0u);
  OptionMap oidc = properties("clientId=c clientSecret=s3cret", kOidcHandler);
  EXPECT_EQ(failure(oidc), "property 'sasl.oauthbearer.token.endpoint.url': it must be set");
  oidc["sasl.oauthbearer.token.endpoint.url"] = "ftp://idp";
  EXPECT_EQ(failure(oidc), "property 'sasl.oauthbearer.token.endpoint.url': 'ftp://idp' is no http, https or file URL");
  oidc["sasl.oauthbearer.token.endpoint.url"] = "https://idp/token";
  EXPECT_EQ(make_security_settings(oidc, label).login->name(), "OAUTHBEARER");
  oidc["sasl.login.connect.timeout.ms"] = "0";
  EXPECT_EQ(failure(oidc), "property 'sasl.login.connect.timeout.ms': '0' must be at least 1");
  EXPECT_EQ(failure(properties("unsecuredLoginStringClaim_sub=alice", "my.Handler"), 2013).find("my.Handler"),
            std::string::npos);
}

TEST(SecuritySettingsTest, ReadsKerberos) {
  OptionMap properties{{"security.protocol", "SASL_PLAINTEXT"},
                       {"sasl.jaas.config",
                        "com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true "
                        "keyTab=\"/no/such.keytab\" principal=\"alice@REALM\";"}};
  EXPECT_EQ(failure(properties), "property 'sasl.jaas.config': there is no key table '/no/such.keytab'");
  properties["sasl.jaas.config"] = "com.sun.security.auth.module.Krb5LoginModule required useTicketCache=true;";
  EXPECT_EQ(make_security_settings(properties, label).login->name(), "GSSAPI");
}

/// A file that goes with the test.
class TestFile {
 public:
  TestFile(const std::string& name, const std::string& content) : path_(testing::TempDir() + "yeoul-" + name) {
    local_file_system().write_file(path_, content);
  }
  ~TestFile() { local_file_system().remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string login_of(const OptionMap& properties) {
  return std::string(make_security_settings(properties, label).login->name());
}

TEST(SecuritySettingsTest, TheEnginesKerberosIsTheLoginOfClientsWithoutOne) {
  const TestFile table("engine.keytab", "");
  OptionMap properties{{"security.protocol", "SASL_PLAINTEXT"},
                       {"security.kerberos.login.keytab", "file://" + table.path()},
                       {"security.kerberos.login.principal", "alice@REALM"}};
  EXPECT_EQ(failure(properties).find("property 'sasl.jaas.config': it must be set"), 0u);
  properties["security.kerberos.login.contexts"] = "Client";
  EXPECT_EQ(failure(properties).find("property 'sasl.jaas.config': it must be set"), 0u);
  properties["security.kerberos.login.contexts"] = "Client, KafkaClient";
  EXPECT_EQ(login_of(properties), "GSSAPI");
  properties["sasl.mechanism"] = "PLAIN";
  EXPECT_EQ(failure(properties),
            "property 'sasl.jaas.config': it must be set: a login by PLAIN needs its login module");
  properties["sasl.jaas.config"] = jaas(kPlainModule);
  EXPECT_EQ(login_of(properties), "PLAIN");
}

TEST(SecuritySettingsTest, TheEnginesKerberosTakesTicketsUnlessToldNotTo) {
  OptionMap properties{{"security.protocol", "SASL_PLAINTEXT"}, {"security.kerberos.login.contexts", "KafkaClient"}};
  EXPECT_EQ(login_of(properties), "GSSAPI");
  properties["security.kerberos.login.use-ticket-cache"] = "false";
  EXPECT_EQ(failure(properties)
                .find("property 'security.kerberos.login.contexts': KafkaClient has nothing to log in "
                      "with"),
            0u);
  properties["security.kerberos.login.use-ticket-cache"] = "maybe";
  EXPECT_EQ(failure(properties).find("property 'security.kerberos.login.use-ticket-cache': "), 0u);
}

TEST(SecuritySettingsTest, AKeyTableAndAPrincipalComeTogetherUsedOrNot) {
  const TestFile table("lone.keytab", "");
  EXPECT_EQ(failure({{"security.kerberos.login.keytab", table.path()}}),
            "property 'security.kerberos.login.principal': it must be set where 'security.kerberos.login.keytab' is");
  EXPECT_EQ(failure({{"security.kerberos.login.principal", "alice"}}),
            "property 'security.kerberos.login.keytab': it must be set where 'security.kerberos.login.principal' is");
  EXPECT_EQ(
      failure({{"security.kerberos.login.keytab", "/no/such.keytab"}, {"security.kerberos.login.principal", "alice"}},
              2017),
      "property 'security.kerberos.login.keytab': there is no file '/no/such.keytab'");
}

TEST(SecuritySettingsTest, TheVirtualMachinesJaasFileIsTheLoginOfClientsWithoutOne) {
  const TestFile file("jaas.conf", "KafkaClient { com.sun.security.auth.module.Krb5LoginModule required; " +
                                       jaas(kScramModule) + " };");
  const TestFile other("other-jaas.conf", "Client { " + jaas(kScramModule) + " };");
  const TestFile damaged("damaged-jaas.conf", "KafkaClient { " + jaas(kScramModule));
  OptionMap properties{{"security.protocol", "SASL_PLAINTEXT"},
                       {"sasl.mechanism", "SCRAM-SHA-256"},
                       {"java.security.auth.login.config", file.path()}};
  EXPECT_EQ(login_of(properties), "SCRAM-SHA-256");
  properties["sasl.mechanism"] = "GSSAPI";
  EXPECT_EQ(login_of(properties), "GSSAPI");
  properties["sasl.mechanism"] = "PLAIN";
  EXPECT_EQ(failure(properties).find("property 'java.security.auth.login.config': the login module "), 0u);
  properties["java.security.auth.login.config"] = other.path();
  EXPECT_EQ(failure(properties), "property 'java.security.auth.login.config': the file has no section 'KafkaClient'");
  properties["java.security.auth.login.config"] = damaged.path();
  EXPECT_EQ(failure(properties).find("property 'java.security.auth.login.config': the section 'KafkaClient' has no "),
            0u);
  properties["java.security.auth.login.config"] = "/no/such.conf";
  EXPECT_EQ(failure(properties, 2017).find("property 'java.security.auth.login.config': "), 0u);
  properties["sasl.jaas.config"] = jaas(kPlainModule);
  EXPECT_EQ(login_of(properties), "PLAIN");
  properties = {{"security.protocol", "SASL_PLAINTEXT"},
                {"java.security.auth.login.config", other.path()},
                {"security.kerberos.login.contexts", "KafkaClient"}};
  EXPECT_EQ(login_of(properties), "GSSAPI");
}

}  // namespace
}  // namespace yeoul
