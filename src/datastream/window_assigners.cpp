#include "yeoul/datastream/window_assigners.h"

#include <cstdlib>

#include "yeoul/common/error.h"

namespace yeoul {

void check_window_spans(std::string_view assigner, Duration size, Duration slide, Duration offset) {
  if (size.to_millis() < 1 || slide.to_millis() < 1) {
    throw user_error(7116, "{} of {} ms every {} ms: both must be 1 ms or more", assigner, size.to_millis(),
                     slide.to_millis());
  }
  if (std::llabs(offset.to_millis()) >= slide.to_millis()) {
    throw user_error(7116, "{} every {} ms with offset {} ms: the offset must be smaller", assigner, slide.to_millis(),
                     offset.to_millis());
  }
}

int64_t checked_gap(int64_t millis) {
  if (millis < 1) throw user_error(7116, "a session gap of {} ms: it must be 1 ms or more", millis);
  return millis;
}

}  // namespace yeoul
