#include "yeoul/common/log.h"

#include <fmt/chrono.h>
#include <pthread.h>

#include <atomic>
#include <cstdio>
#include <ctime>

#include "yeoul/common/clock.h"

namespace yeoul {
namespace {

std::atomic<LogLevel> g_level{LogLevel::kWarn};
std::atomic<LogFormat> g_format{LogFormat::kText};
constexpr std::string_view kNames[] = {"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "OFF"};

void append_json_text(std::string_view text, std::string& out) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

void set_log_level(LogLevel level) {
  g_level.store(level, std::memory_order_relaxed);
}
LogLevel log_level() {
  return g_level.load(std::memory_order_relaxed);
}
void set_log_format(LogFormat format) {
  g_format.store(format, std::memory_order_relaxed);
}
LogFormat log_format() {
  return g_format.load(std::memory_order_relaxed);
}

std::string log_text(LogFormat format, int64_t wall_ms, LogLevel level, std::string_view component,
                     std::string_view thread, std::string_view text) {
  const std::string time =
      fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(wall_ms / 1000)), wall_ms % 1000);
  const std::string_view name = kNames[static_cast<int>(level)];
  if (format == LogFormat::kText) return fmt::format("{} {} {} [{}] {}\n", time, name, component, thread, text);
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","component":)", time, name);
  append_json_text(component, line);
  line += R"(,"thread":)";
  append_json_text(thread, line);
  line += R"(,"message":)";
  append_json_text(text, line);
  return line + "}\n";
}

void log_line(LogLevel level, std::string_view component, std::string_view text) {
  char thread[16] = "";
  ::pthread_getname_np(::pthread_self(), thread, sizeof thread);
  const std::string line = log_text(log_format(), system_clock().wall_ms(), level, component, thread, text);
  std::fwrite(line.data(), 1, line.size(), stderr);  // one write a line: stdio locks the stream
}

}  // namespace yeoul
