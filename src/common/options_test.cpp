#include "yeoul/common/options.h"

#include <gtest/gtest.h>

namespace yeoul {
namespace {

constexpr OptionSpec kSpecs[] = {
    {.key = "topic", .help = "Topic to read.", .required = true},
    {.key = "scan.startup.mode",
     .type = OptionType::kEnum,
     .fallback = "group-offsets",
     .values = "earliest-offset|group-offsets"},
    {.key = "interval", .type = OptionType::kDuration, .fallback = "5 min"},
    {.key = "properties.", .type = OptionType::kMap},
};

int code_of(const OptionMap& values) {
  try {
    Options("table 't'", kSpecs, values);
  } catch (const Error& error) {
    return error.code();
  }
  return 0;
}

TEST(Options, ReadsValuesAndFallbacks) {
  const Options options("table 't'", kSpecs, {{"topic", "a; b"}, {"properties.bootstrap.servers", "h:1"}});
  EXPECT_EQ(options.list("topic"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(options.text("scan.startup.mode"), "group-offsets");
  EXPECT_EQ(options.duration_ms("interval"), 300000);
  EXPECT_EQ(options.below("properties."), (OptionMap{{"bootstrap.servers", "h:1"}}));
}

TEST(Options, RefusesWhatNoRowNames) {
  EXPECT_EQ(code_of({{"topic", "t"}, {"scan.startup.mod", "x"}}), 2011);
  EXPECT_EQ(code_of({}), 2012);
  EXPECT_EQ(code_of({{"topic", "t"}, {"scan.startup.mode", "latest"}}), 2010);
  try {
    Options("table 't'", kSpecs, {{"topic", "t"}, {"scan.startup.mod", "x"}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("did you mean 'scan.startup.mode'"), std::string::npos) << error.message();
  }
}

TEST(Options, ParsesUnits) {
  EXPECT_EQ(parse_duration_ms("k", "200 ms"), 200);
  EXPECT_EQ(parse_duration_ms("k", "1s"), 1000);
  EXPECT_EQ(parse_duration_ms("k", " 2 hours "), 7200000);
  EXPECT_EQ(parse_duration_ms("k", "7"), 7);
  EXPECT_THROW(parse_duration_ms("k", "1 fortnight"), Error);
  EXPECT_THROW(parse_duration_ms("k", "-1 s"), Error);
  EXPECT_THROW(parse_duration_ms("k", "99999999999999999 d"), Error);
  EXPECT_EQ(parse_memory_bytes("k", "64 kb"), 65536);
}

}  // namespace
}  // namespace yeoul
