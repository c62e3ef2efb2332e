#include "yeoul/kafka/security/jaas_config.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"
#include "yeoul/kafka/security/base64.h"

namespace yeoul {
namespace {

std::string failure(std::string_view text) {
  try {
    parse_jaas_config(text);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 2010);
    EXPECT_EQ(error.message().find("s3cret"), std::string::npos);
    return error.message();
  }
}

TEST(JaasConfigTest, ReadsWhatKafkaReads) {
  const JaasConfig config = parse_jaas_config(
      "org.apache.kafka.common.security.plain.PlainLoginModule Required\n"
      "  username=\"al\\\"ice\" /* who */ password='s3 c;ret=\\101\\\\' // how\n debug=true empty=\"\" number = 42 ; ");
  EXPECT_EQ(config.module, "org.apache.kafka.common.security.plain.PlainLoginModule");
  EXPECT_EQ(config.option("username"), "al\"ice");
  EXPECT_EQ(config.option("password"), "s3 c;ret=A\\");
  EXPECT_EQ(config.option("debug"), "true");
  EXPECT_EQ(config.option("number"), "42");
  EXPECT_TRUE(config.options.contains("empty"));
  EXPECT_EQ(config.option("none"), "");
}

TEST(JaasConfigTest, KnowsShadedModules) {
  for (const char* prefix :
       {"", "org.apache.kafka.common.", "org.apache.flink.kafka.shaded.org.apache.kafka.common."}) {
    const JaasConfig config = parse_jaas_config(std::string(prefix) + "security.plain.PlainLoginModule required;");
    EXPECT_TRUE(config.is_module("security.plain.PlainLoginModule")) << prefix;
    EXPECT_FALSE(config.is_module("security.scram.ScramLoginModule"));
  }
  EXPECT_FALSE(
      parse_jaas_config("my.insecurity.plain.PlainLoginModule required;").is_module("security.plain.PlainLoginModule"));
}

TEST(JaasConfigTest, SaysWhatIsMissingWhere) {
  EXPECT_EQ(failure(""), "no login module is named (it is empty)");
  EXPECT_EQ(
      failure("a.B needed;"),
      "after the login module must stand 'required', 'requisite', 'sufficient' or 'optional' (at character 5 of 11)");
  EXPECT_EQ(failure("a.B required password=s3cret"), "there is no ';' at the end (at its end)");
  EXPECT_EQ(failure("a.B required password s3cret;"),
            "after the option 'password' must stand '=' and a value (at character 23 of 29)");
  EXPECT_EQ(failure("a.B required password=;"), "the option 'password' has no value (at character 23 of 23)");
  EXPECT_EQ(failure("a.B required =x;"), "the name of an option is missing (at character 14 of 16)");
  EXPECT_EQ(failure("a.B required password=\"s3cret;"), "a quoted value has no closing quote (at character 23 of 30)");
  EXPECT_EQ(failure("a.B required; c.D required;"), "only one login module can be used (at character 15 of 27)");
  EXPECT_EQ(failure("a.B required /* x"), "a comment has no end (at character 14 of 17)");
  EXPECT_EQ(failure(" \n"), "no login module is named (it is empty)");
  EXPECT_EQ(failure("; a.B"), "no login module is named (at character 1 of 5)");
  EXPECT_EQ(failure("a.B // required;"),
            "after the login module must stand 'required', 'requisite', 'sufficient' or 'optional' (at its end)");
  EXPECT_EQ(failure("a.B required user=\"\xc3\xa9\" ="), "the name of an option is missing (at character 23 of 23)");
  EXPECT_EQ(failure("a.B required password = // s3cret"), "the option 'password' has no value (at its end)");
}

TEST(Base64Test, GoesBothWays) {
  for (const std::string bytes : {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xFF\xFE\xFD"}) {
    EXPECT_EQ(base64_decoded(base64(bytes)), bytes);
    EXPECT_EQ(base64_decoded(base64_url(bytes)), bytes);
  }
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64_url("\xFF\xFE"), "__4");
  EXPECT_EQ(base64_decoded("Zm9v!"), std::nullopt);
  EXPECT_EQ(base64_decoded("Z"), std::nullopt);
}

TEST(JaasConfigTest, ReadsSectionsOfFiles) {
  constexpr std::string_view kFile = R"(
    // of a machine
    Client { org.apache.zookeeper.server.auth.DigestLoginModule required username="bob"; };
    KafkaClient{
      com.sun.security.auth.module.Krb5LoginModule required useKeyTab=true
        keyTab="/etc/a b.keytab" principal="alice@REALM";
      org.apache.kafka.common.security.plain.PlainLoginModule optional username=alice password="s3cret}";
    };
  )";
  const std::vector<JaasConfig> modules = parse_jaas_file(kFile, "KafkaClient");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_TRUE(modules[0].is_module("security.auth.module.Krb5LoginModule"));
  EXPECT_EQ(modules[0].option("keyTab"), "/etc/a b.keytab");
  EXPECT_EQ(modules[1].option("password"), "s3cret}");
  EXPECT_TRUE(parse_jaas_file(kFile, "KafkaServer").empty());
  EXPECT_TRUE(parse_jaas_file("", "KafkaClient").empty());
}

TEST(JaasConfigTest, FilesThatEndTooEarlySayWhere) {
  const auto failure_of = [](std::string_view text) {
    try {
      parse_jaas_file(text, "KafkaClient");
      return std::string();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), 2010);
      EXPECT_EQ(error.message().find("s3cret"), std::string::npos);
      return error.message();
    }
  };
  EXPECT_EQ(failure_of("KafkaClient"), "after the section's name 'KafkaClient' must stand '{' (at its end)");
  EXPECT_NE(failure_of("KafkaClient { a.B required c=s3cret").find("there is no ';' at the end"), std::string::npos);
  EXPECT_NE(failure_of("KafkaClient { a.B required;").find("the section 'KafkaClient' has no '}' at its end"),
            std::string::npos);
  EXPECT_NE(failure_of("KafkaClient { a.B required; }").find("after the section 'KafkaClient' must stand ';'"),
            std::string::npos);
  EXPECT_NE(failure_of("{ a.B required; };").find("the name of a section is missing"), std::string::npos);
}

}  // namespace
}  // namespace yeoul
