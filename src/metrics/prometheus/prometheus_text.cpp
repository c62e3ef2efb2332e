#include "yeoul/metrics/prometheus/prometheus_text.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string_view>

namespace yeoul {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ':' || c == '_';
}

std::string filtered(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return !is_plain(c); }, '_');
  return text;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string labels_text(const MetricScope& scope, bool filter) {
  std::string out;
  for (const auto& [name, value] : scope.variables) {
    out +=
        fmt::format("{}{}=\"{}\"", out.empty() ? "" : ",", filtered(name), filter ? filtered(value) : escaped(value));
  }
  return out;
}

/// Pages of memory that the process holds.
int64_t resident_pages() {
  int64_t total = 0;
  int64_t resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
  std::fclose(file);
  return resident;
}

}  // namespace

std::string prometheus_text(const MetricReport& report, bool filter_label_values) {
  // All lines of one name must stand together.
  std::map<std::string, std::string> families;
  std::map<const MetricScope*, std::string> labels;
  for (const MetricValue& metric : report) {
    const MetricScope& scope = *metric.scope;
    auto [known, is_new] = labels.try_emplace(&scope);
    if (is_new) known->second = labels_text(scope, filter_label_values);
    const std::string name = filtered(fmt::format("flink_{}_{}", scope.name, metric.name));
    std::string& family = families[name];
    if (family.empty()) {
      family = fmt::format("# HELP {} {} (scope: {})\n# TYPE {} gauge\n", name, escaped(metric.name),
                           filtered(scope.name), name);
    }
    family += fmt::format("{}{{{}}} {}\n", name, known->second, number_text(metric.value));
  }
  std::string out;
  for (const auto& [name, family] : families) out += family;
  return out;
}

std::string process_metrics_text() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return fmt::format(
      "# HELP process_cpu_seconds_total Total user and system CPU time spent in seconds.\n"
      "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total {}\n"
      "# HELP process_resident_memory_bytes Resident memory size in bytes.\n"
      "# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes {}\n",
      seconds(usage.ru_utime) + seconds(usage.ru_stime), resident_pages() * ::sysconf(_SC_PAGESIZE));
}

}  // namespace yeoul
