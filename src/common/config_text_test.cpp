#include "yeoul/common/config_text.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

std::string failure_of(std::string_view text) {
  try {
    parse_config_text(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), 2010);
    EXPECT_EQ(error.message().find("s3cret"), std::string::npos);
    return error.message();
  }
  return "none";
}

TEST(ConfigText, ReadsTheOlderFile) {
  EXPECT_EQ(parse_config_text("# Flink\r\n"
                              "parallelism.default: 2\r\n"
                              "\n"
                              "security.kerberos.login.contexts: Client,KafkaClient   # both\n"
                              "env.java.opts: -Da=b#c -Djava.security.krb5.conf=/etc/k.conf\n"
                              "execution.checkpointing.dir: file:///tmp/a b\n"
                              "state.backend.type:\n"),
            (OptionMap{{"parallelism.default", "2"},
                       {"security.kerberos.login.contexts", "Client,KafkaClient"},
                       {"env.java.opts", "-Da=b#c -Djava.security.krb5.conf=/etc/k.conf"},
                       {"execution.checkpointing.dir", "file:///tmp/a b"}}));
}

TEST(ConfigText, ReadsNestedKeysAndLists) {
  EXPECT_EQ(parse_config_text("---\n"
                              "security:\n"
                              "  kerberos:\n"
                              "    login:\n"
                              "      keytab: \"/etc/a \\\"b\\\".keytab\"   # in quotes\n"
                              "      principal: 'al''ice # x'\n"
                              "\n"
                              "    krb5-conf.path: /k.conf\n"
                              "pipeline:\n"
                              "  jars: [a.jar, 'b.jar']\n"
                              "  classpaths:\n"
                              "  - c\n"
                              "  - d # last\n"
                              "  name: x\n"),
            (OptionMap{{"security.kerberos.login.keytab", "/etc/a \"b\".keytab"},
                       {"security.kerberos.login.principal", "al'ice # x"},
                       {"security.kerberos.krb5-conf.path", "/k.conf"},
                       {"pipeline.jars", "a.jar;b.jar"},
                       {"pipeline.classpaths", "c;d"},
                       {"pipeline.name", "x"}}));
}

TEST(ConfigText, SaysWhereItIsWrong) {
  EXPECT_EQ(failure_of("a: 1\nb\n"), "line 2: it is neither 'key: value' nor '- item'");
  EXPECT_EQ(failure_of("a: 1\n b: s3cret\n"), "line 2: its indentation fits no line above it");
  EXPECT_EQ(failure_of("a:\n    b: 1\n  c: 2\n"), "line 3: its indentation fits no line above it");
  EXPECT_EQ(failure_of("a:\n\tb: 1\n"), "line 2: a tab cannot indent");
  EXPECT_EQ(failure_of("a: 1\na: s3cret\n"), "line 2: 'a' is set already");
  EXPECT_EQ(failure_of("a:\n  b: 1\na.b: 2\n"), "line 3: 'a.b' is set already");
  EXPECT_EQ(failure_of("a:\n- x\n  b: 1\n"), "line 3: a list cannot have keys, too");
  EXPECT_EQ(failure_of("- x\n"), "line 1: the list has no key above it");
  EXPECT_EQ(failure_of("a: \"s3cret\n"), "line 1: a quoted value has no closing quote");
  EXPECT_EQ(failure_of("a: 'b' s3cret\n"), "line 1: something stands behind the closing quote");
  EXPECT_EQ(failure_of("a: |\n"), "line 1: what begins with '|' has to stand in quotes");
  EXPECT_EQ(failure_of("a: [b\n"), "line 1: the list has no ']' at the end of its line");
  EXPECT_EQ(failure_of("a: \"\\x\"\n"), "line 1: '\\x' is not known in a quoted value");
}

}  // namespace
}  // namespace yeoul
