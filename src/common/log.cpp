#include "yeoul/common/log.h"

#include <fmt/chrono.h>

#include <atomic>
#include <cstdio>
#include <ctime>

#include "yeoul/common/clock.h"

namespace yeoul {
namespace {
std::atomic<LogLevel> g_level{LogLevel::kWarn};
constexpr std::string_view kNames[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"};
}  // namespace

void set_log_level(LogLevel level) {
  g_level.store(level, std::memory_order_relaxed);
}
LogLevel log_level() {
  return g_level.load(std::memory_order_relaxed);
}

void log_line(LogLevel level, std::string_view component, std::string_view text) {
  const int64_t now_ms = system_clock().wall_ms();
  const std::string line =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z {} {}: {}\n", fmt::gmtime(static_cast<std::time_t>(now_ms / 1000)),
                  now_ms % 1000, kNames[static_cast<int>(level)], component, text);
  std::fwrite(line.data(), 1, line.size(), stderr);  // one write a line: stdio locks the stream
}

}  // namespace yeoul
