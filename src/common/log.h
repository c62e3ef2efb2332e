#pragma once

#include <fmt/format.h>

#include <string_view>

namespace yeoul {

enum class LogLevel { kTrace, kDebug, kInfo, kWarn, kError, kOff };

/// Lines below this level are dropped. Default kWarn. Thread-safe.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Writes one line `<time> <LEVEL> <component>: <text>` to standard error. Thread-safe.
void log_line(LogLevel level, std::string_view component, std::string_view text);

/// Formats only when the level is on: `log(LogLevel::kInfo, "checkpoint", "completed {}", id);`
template <class... Args>
void log(LogLevel level, std::string_view component, fmt::format_string<Args...> format, Args&&... args) {
  if (level >= log_level()) log_line(level, component, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace yeoul
