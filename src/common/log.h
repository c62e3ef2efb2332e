#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace yeoul {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };
/// How a line looks: `<time> <LEVEL> <component> [<thread>] <text>`, or one JSON object with "time", "level",
/// "component", "thread" and "message".
enum class LogFormat { kText, kJson };

/// Lines below this level are dropped. Default kWarn. Thread-safe.
void set_log_level(LogLevel level);
LogLevel log_level();
void set_log_format(LogFormat format);
LogFormat log_format();

/// Writes one line to standard error, with the name of the calling thread. Secrets never belong in it. Thread-safe.
void log_line(LogLevel level, std::string_view component, std::string_view text);
/// The line that log_line() writes, with its line break.
std::string log_text(LogFormat format, int64_t wall_ms, LogLevel level, std::string_view component,
                     std::string_view thread, std::string_view text);

/// Formats only when the level is on: `log(LogLevel::kInfo, "checkpoint", "completed {}", id);`
template <class... Args>
void log(LogLevel level, std::string_view component, fmt::format_string<Args...> format, Args&&... args) {
  if (level >= log_level()) log_line(level, component, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace yeoul
