#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/types/time_zone.h"
#include "yeoul/types/value.h"

namespace yeoul {

/// A pattern of java.time.format.DateTimeFormatter or java.text.SimpleDateFormat, in English: Flink's functions use the
/// one or the other. Threads: immutable once made.
class DateTimePattern {
 public:
  enum class Style : uint8_t {
    kFormatter,  ///< DateTimeFormatter: strict widths, a day that the month lacks is its last
    kSimple,     ///< SimpleDateFormat: lenient numbers that roll over, text behind the match is ignored
  };

  /// `error()` is not empty for a pattern that is wrong.
  DateTimePattern(std::string_view pattern, Style style);
  const std::string& error() const { return error_; }

  /// Appends the wall clock (`local`) in this form. `zone`: where the pattern asks for it; null: an error is returned.
  /// Empty on success.
  std::string format(TimestampValue local, const TimeZone* zone, std::string& out) const;

  /// A wall clock from text; with an offset or zone in the text, `instant` is true and it is an instant instead.
  struct Parsed {
    TimestampValue value;
    bool instant = false;
  };
  std::optional<Parsed> parse(std::string_view text) const;

 private:
  struct Token {
    char letter = 0;  ///< 0: literal text
    int count = 0;
    std::string text;
  };
  struct Fields;

  bool parse_token(size_t index, std::string_view text, size_t& at, Fields& fields) const;
  bool parse_numeric(size_t index, std::string_view text, size_t& at, Fields& fields) const;
  bool is_numeric(size_t index) const;
  std::optional<Parsed> resolve(const Fields& fields) const;

  Style style_;
  std::vector<Token> tokens_;
  std::string error_;
};

}  // namespace yeoul
