#include "yeoul/kafka/client/topic_names.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

TEST(TopicNames, FollowKafkasRules) {
  EXPECT_EQ(topic_name_fault("orders-2.EU_x"), "");
  EXPECT_EQ(topic_name_fault(std::string(249, 'a')), "");
  for (const std::string& bad : {std::string(), std::string("."), std::string(".."), std::string(250, 'a'),
                                 std::string("a b"), std::string("a/b"), std::string("주문"), std::string("a\nb")}) {
    EXPECT_NE(topic_name_fault(bad), "") << bad;
  }
}

}  // namespace
}  // namespace yeoul
