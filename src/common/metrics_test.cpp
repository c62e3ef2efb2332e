#include <gtest/gtest.h>

#include "yeoul/common/log.h"
#include "yeoul/common/metric_group.h"
#include "yeoul/common/rate_window.h"

namespace yeoul {
namespace {

TEST(MetricGroup, ReportsWhatIsRegisteredInItsScopes) {
  MetricGroup group;
  group.group("KafkaSourceReader").counter("commitsSucceeded").add(2);
  MetricGroup& partition = group.group("KafkaSourceReader").group("topic", "t").group("partition", "3");
  partition.gauge("currentOffset", -1);
  partition.gauge("currentOffset", -1).set(41);
  MetricReport report;
  group.report(std::make_shared<MetricScope>(MetricScope{"operator", {{"job_name", "j"}}}), report);
  ASSERT_EQ(report.size(), 2u);
  EXPECT_EQ(report[0].scope->name + "." + report[0].name, "operator.KafkaSourceReader.commitsSucceeded");
  EXPECT_EQ(report[0].value, 2);
  EXPECT_EQ(report[1].scope->name, "operator.KafkaSourceReader.topic.partition");
  EXPECT_EQ(report[1].value, 41);
  using Variables = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(report[1].scope->variables, (Variables{{"job_name", "j"}, {"topic", "t"}, {"partition", "3"}}));
  group.clear();
  report.clear();
  group.report(std::make_shared<MetricScope>(), report);
  EXPECT_TRUE(report.empty());
}

TEST(RateWindow, IsTheGrowthOverTheLastMinute) {
  RateWindow rate;
  EXPECT_EQ(rate.per_second(1'000, 10), 0);
  rate.sample(0, 0);
  EXPECT_EQ(rate.per_second(2'000, 100), 50);
  for (int64_t at_ms = 5'000; at_ms <= 120'000; at_ms += 5'000) rate.sample(at_ms, at_ms < 60'000 ? at_ms : 60'000);
  EXPECT_EQ(rate.per_second(120'000, 60'000), 0);
  EXPECT_EQ(rate.per_second(121'000, 60'000 + 6'100), 100);
}

TEST(Log, LinesAreTextOrOneJsonObject) {
  EXPECT_EQ(log_text(LogFormat::kText, 1'500, LogLevel::kWarn, "kafka", "fetch-0", "slow"),
            "1970-01-01T00:00:01.500Z WARN kafka [fetch-0] slow\n");
  EXPECT_EQ(log_text(LogFormat::kJson, 1'500, LogLevel::kInfo, "job", "t", "a \"b\"\n\\"),
            R"({"time":"1970-01-01T00:00:01.500Z","level":"INFO","component":"job","thread":"t",)"
            R"("message":"a \"b\"\u000a\\"})"
            "\n");
}

}  // namespace
}  // namespace yeoul
