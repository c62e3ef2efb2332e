#include "yeoul/kafka/client/bootstrap_servers.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

std::string fault_of(std::string_view list) {
  try {
    checked_bootstrap_servers("option 'b'", list);
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

TEST(BootstrapServers, TakesWhatJavaTakes) {
  EXPECT_EQ(checked_bootstrap_servers("b", "a:1, b-2.example.com:65535 ,,"), "a:1,b-2.example.com:65535");
  EXPECT_EQ(checked_bootstrap_servers("b", "PLAINTEXT://127.0.0.1:9092"), "127.0.0.1:9092");
  EXPECT_EQ(checked_bootstrap_servers("b", "SSL://a:9093, sasl_ssl://[::1]:1,CLIENT://b:2"), "a:9093,[::1]:1,b:2");
  EXPECT_EQ(checked_bootstrap_servers("b", "[::1]:9092,2001:db8::7:9093"), "[::1]:9092,[2001:db8::7]:9093");
}

TEST(BootstrapServers, NamesTheEntryThatIsNone) {
  for (const std::string bad : {"127.0.0.1:abc", "127.0.0.1:99999", "127.0.0.1:0", "a:9092;b:9092", "://a:9092",
                                ":24092", "a:9092/x", "a", "a:", "a b:9092", "SSL://a", "a:9092x", "a:-1"}) {
    const std::string fault = fault_of("good:9092," + bad);
    EXPECT_NE(fault.find("option 'b'"), std::string::npos) << bad << ": " << fault;
    EXPECT_NE(fault.find("entry '" + bad + "'"), std::string::npos) << bad << ": " << fault;
  }
  EXPECT_NE(fault_of(" , ").find("names no broker"), std::string::npos);
}

}  // namespace
}  // namespace yeoul
