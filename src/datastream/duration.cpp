#include "yeoul/datastream/duration.h"

#include "yeoul/common/error.h"

namespace yeoul {

void throw_too_long(double count, double unit_s) {
  throw user_error(7116, "a duration of {:g} times {:g} s is too long: milliseconds in 64 bits reach 292 million years",
                   count, unit_s);
}

int64_t checked_millis(std::string_view what, Duration span, int64_t min_ms) {
  if (span.to_millis() >= min_ms) return span.to_millis();
  throw user_error(7116, "{} of {} ms: it must {}", what, span.to_millis(),
                   min_ms == 0 ? "not be negative" : fmt::format("be {} ms or more", min_ms));
}

int64_t checked_count(std::string_view what, int64_t count, int64_t min) {
  if (count >= min) return count;
  throw user_error(7116, "{} of {} records: it must {}", what, count,
                   min == 0 ? "not be negative" : fmt::format("be {} or more", min));
}

}  // namespace yeoul
