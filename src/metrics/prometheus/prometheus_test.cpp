#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <limits>
#include <stdexcept>

#include "yeoul/common/error.h"
#include "yeoul/metrics/prometheus/prometheus_reporter.h"
#include "yeoul/metrics/prometheus/prometheus_text.h"

namespace yeoul {
namespace {

MetricReport two_subtasks() {
  MetricReport report;
  for (const char* subtask : {"0", "1"}) {
    const auto scope = std::make_shared<MetricScope>(
        MetricScope{"taskmanager.job.task", {{"task_name", "Source: \"a\" -> b"}, {"subtask_index", subtask}}});
    report.push_back({scope, "numRecordsIn", 12345678});
    report.push_back({scope, "currentInputWatermark", -9223372036854775808.0});
  }
  return report;
}

TEST(PrometheusText, HasTheNamesOfFlinkAndOneBlockAMetric) {
  EXPECT_EQ(
      prometheus_text(two_subtasks(), true),
      "# HELP flink_taskmanager_job_task_currentInputWatermark currentInputWatermark (scope: taskmanager_job_task)\n"
      "# TYPE flink_taskmanager_job_task_currentInputWatermark gauge\n"
      "flink_taskmanager_job_task_currentInputWatermark{task_name=\"Source:__a_____b\",subtask_index=\"0\"} "
      "-9.223372036854776e+18\n"
      "flink_taskmanager_job_task_currentInputWatermark{task_name=\"Source:__a_____b\",subtask_index=\"1\"} "
      "-9.223372036854776e+18\n"
      "# HELP flink_taskmanager_job_task_numRecordsIn numRecordsIn (scope: taskmanager_job_task)\n"
      "# TYPE flink_taskmanager_job_task_numRecordsIn gauge\n"
      "flink_taskmanager_job_task_numRecordsIn{task_name=\"Source:__a_____b\",subtask_index=\"0\"} 12345678\n"
      "flink_taskmanager_job_task_numRecordsIn{task_name=\"Source:__a_____b\",subtask_index=\"1\"} 12345678\n");
}

TEST(PrometheusText, EscapesLabelsThatAreNotFiltered) {
  const auto scope = std::make_shared<MetricScope>(MetricScope{"job", {{"a-b", "x\\\"\ny"}}});
  const std::string text = prometheus_text({{scope, "records-lag", std::numeric_limits<double>::infinity()}}, false);
  EXPECT_NE(text.find("\nflink_job_records_lag{a_b=\"x\\\\\\\"\\ny\"} +Inf\n"), std::string::npos) << text;
}

/// What a request is answered with.
std::string ask(int port, const std::string& request) {
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return "not connected";
  EXPECT_EQ(::send(client, request.data(), request.size(), MSG_NOSIGNAL), static_cast<ssize_t>(request.size()));
  ::shutdown(client, SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (ssize_t count = 0; (count = ::recv(client, buffer, sizeof buffer, 0)) > 0;) {
    answer.append(buffer, static_cast<size_t>(count));
  }
  ::close(client);
  return answer;
}

TEST(PrometheusReporter, AnswersGetOnly) {
  const PrometheusReporter reporter({.ports = "0"}, two_subtasks);
  const std::string answer = ask(reporter.port(), "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4")) << answer;
  EXPECT_NE(answer.find("numRecordsIn{"), std::string::npos);
  EXPECT_NE(answer.find("process_resident_memory_bytes "), std::string::npos);
  const std::string head = ask(reporter.port(), "HEAD / HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 ")) << head;
  EXPECT_EQ(head.find("numRecordsIn"), std::string::npos);
  EXPECT_TRUE(ask(reporter.port(), "GET /other HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404 "));
  EXPECT_TRUE(ask(reporter.port(), "POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
  EXPECT_TRUE(ask(reporter.port(), "GET / HTTP/1.1\r\n").starts_with("HTTP/1.1 400 "));
  EXPECT_TRUE(ask(reporter.port(), std::string(20'000, 'x')).find("400") != std::string::npos);
}

TEST(PrometheusReporter, WithoutDescriptorsItSaysSo) {
  // Sanitizers need descriptors when they see an object of a class for the first time.
  EXPECT_THROW(PrometheusReporter({.ports = "no port"}, two_subtasks), Error);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  try {
    const PrometheusReporter reporter({.ports = "0"}, two_subtasks);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("Too many open files"), std::string::npos) << error.message();
  }
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(PrometheusReporter, TakesTheFirstFreePortOfARange) {
  const PrometheusReporter first({.ports = "0"}, two_subtasks);
  const std::string busy = std::to_string(first.port());
  EXPECT_THROW(PrometheusReporter({.ports = busy}, two_subtasks), Error);
  const PrometheusReporter second({.ports = busy + "-" + std::to_string(first.port() + 20)}, two_subtasks);
  EXPECT_GT(second.port(), first.port());
  for (const char* wrong : {"", "x", "70000", "10-", "20-10", "-5"}) {
    EXPECT_THROW(PrometheusReporter({.ports = wrong}, two_subtasks), Error) << wrong;
  }
}

}  // namespace
}  // namespace yeoul
