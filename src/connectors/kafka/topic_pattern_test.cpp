#include "yeoul/connectors/kafka/topic_pattern.h"

#include <gtest/gtest.h>

#include "yeoul/common/error.h"

namespace yeoul {
namespace {

std::string fault_of(std::string_view pattern) {
  try {
    const TopicPattern compiled("option 'topic-pattern'", pattern);
  } catch (const Error& error) {
    return error.message();
  }
  return "none";
}

TEST(TopicPattern, MatchesWholeNames) {
  const TopicPattern pattern("p", "orders-[0-9]+");
  EXPECT_TRUE(pattern.matches("orders-12"));
  EXPECT_FALSE(pattern.matches("orders-12x"));
  EXPECT_FALSE(pattern.matches("Orders-12"));
  EXPECT_TRUE(TopicPattern("p", "(?i)orders-\\d+").matches("ORDERS-1"));
  EXPECT_TRUE(TopicPattern("p", "(?:a|b)\\.(?!x).*").matches("a.y"));
}

TEST(TopicPattern, NamesWhatOfJavaIsMissing) {
  for (const char* pattern : {"(?s)a", "a(?i)b", "(?<name>a)", "(?<=a)b", "(?>a)", "\\Qa\\E", "\\p{Alpha}+", "a++",
                              "a*+", "[a-z&&[^b]]", "[a[b]]", "\\Aa\\z"}) {
    EXPECT_NE(fault_of(pattern).find("is not supported"), std::string::npos) << pattern << ": " << fault_of(pattern);
  }
  EXPECT_NE(fault_of("(a").find("is no regular expression"), std::string::npos) << fault_of("(a");
}

}  // namespace
}  // namespace yeoul
