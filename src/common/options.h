#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/common/error.h"

namespace yeoul {

/// Options as a user gave them: key to text. Of a table (WITH), a session (SET) or the command line (-D).
using OptionMap = std::map<std::string, std::string, std::less<>>;

enum class OptionType { kString, kInt, kLong, kDouble, kBoolean, kDuration, kMemorySize, kEnum, kStringList, kMap };

/// One option as a row of data: parsing, validation, error text and docs read the same row.
struct OptionSpec {
  std::string_view key;  ///< exact key; for kMap the prefix with its dot, e.g. "properties."
  OptionType type = OptionType::kString;
  std::string_view fallback = "";  ///< text of the default; empty: none
  std::string_view help = "";
  bool required = false;
  std::string_view values = "";  ///< kEnum: the allowed values, separated by '|'
};

/// Parses Flink's duration text ("200 ms", "1s", "10 min", "1 h", "1 d"; without unit: milliseconds) to milliseconds.
/// @throws user error 2010 naming `key`.
int64_t parse_duration_ms(std::string_view key, std::string_view text);

/// Parses Flink's memory size ("64 kb", "1mb", "1024") to bytes. @throws user error 2010 naming `key`.
int64_t parse_memory_bytes(std::string_view key, std::string_view text);

/// @throws user error 2010 naming `key`.
bool parse_boolean(std::string_view key, std::string_view text);
int64_t parse_integer(std::string_view key, std::string_view text);
double parse_double(std::string_view key, std::string_view text);

/// The candidate nearest to `name` by edit distance; empty when none is near.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// Options read against their rows. Values are validated on construction, so that a job fails before it starts.
class Options {
 public:
  /// @param owner  for messages, e.g. "table 'orders' (connector 'kafka')"
  /// @throws user error 2011 for a key that no row names, with the nearest known key; 2012 for a missing required
  ///         key; 2010 for a value of the wrong form.
  Options(std::string owner, std::span<const OptionSpec> specs, OptionMap values);

  bool has(std::string_view key) const { return values_.find(key) != values_.end(); }
  /// The user's text, else the row's fallback.
  std::string text(std::string_view key) const;
  std::optional<std::string> optional_text(std::string_view key) const;
  int64_t integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool boolean(std::string_view key) const;
  int64_t duration_ms(std::string_view key) const;
  int64_t memory_bytes(std::string_view key) const;
  /// Semicolon-separated list, blanks trimmed; empty when unset.
  std::vector<std::string> list(std::string_view key) const;
  /// All options below a prefix (a kMap row's key), the prefix cut off.
  OptionMap below(std::string_view prefix) const;
  const OptionMap& values() const { return values_; }
  const std::string& owner() const { return owner_; }

 private:
  const OptionSpec& spec(std::string_view key) const;

  std::string owner_;
  std::vector<OptionSpec> specs_;
  OptionMap values_;
};

}  // namespace yeoul
