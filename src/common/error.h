#pragma once

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace yeoul {

/// Says who can mend a failure. The restart strategy reads this, never the text (docs/architecture.md, D18).
enum class ErrorFamily {
  kUser,      ///< SQL, options or data are wrong: restarting cannot help.
  kExternal,  ///< A broker, disk or network failed: a restart may help.
  kInternal,  ///< A fault of Yeoul's own.
};

/// A failure with a user in mind: a family, a stable code (printed as YEOUL-2003), and a text that reads from the
/// outside in, the cause last: `table 'orders': kafka topic=orders partition=3 offset=42: value is not valid JSON`.
/// Code ranges: 1000 SQL text, 1100 names and types, 1200 planning, 2000 options and catalog, 3000 data,
/// 4000 Kafka, 4500 other external systems, 5000 files, 6000 state and checkpoints, 7000 job life, 9000 internal.
class Error : public std::exception {
 public:
  Error(ErrorFamily family, int code, std::string message)
      : family_(family), code_(code), message_(std::move(message)) {}

  ErrorFamily family() const { return family_; }
  int code() const { return code_; }
  /// The text without the code.
  const std::string& message() const { return message_; }
  /// The text without the code.
  const char* what() const noexcept override { return message_.c_str(); }
  /// The text a user sees: message, then the code in brackets.
  std::string to_string() const { return fmt::format("{} [YEOUL-{}]", message_, code_); }

  /// Puts what the catching layer knows in front: `<context>: <message>`. Catch by reference, add, `throw;`.
  Error& add_context(std::string_view context) {
    message_ = fmt::format("{}: {}", context, message_);
    return *this;
  }

 private:
  ErrorFamily family_;
  int code_;
  std::string message_;
};

/// Make an error of a family with a formatted message: `throw user_error(2003, "no table '{}'", name);`
template <class... Args>
Error user_error(int code, fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorFamily::kUser, code, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
Error external_error(int code, fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorFamily::kExternal, code, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
Error internal_error(int code, fmt::format_string<Args...> format, Args&&... args) {
  return Error(ErrorFamily::kInternal, code, fmt::format(format, std::forward<Args>(args)...));
}

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& detail);

}  // namespace yeoul

/// Asserts what only a fault of ours can break; stays on in release and fails the job, not the process. Never for
/// user input. Further arguments are a fmt message.
#define YEOUL_CHECK(condition, ...)                                                         \
  do {                                                                                      \
    if (!(condition)) [[unlikely]]                                                          \
      ::yeoul::check_failed(#condition, __FILE__, __LINE__, ::fmt::format("" __VA_ARGS__)); \
  } while (false)
