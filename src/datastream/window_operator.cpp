#include "yeoul/datastream/window_operator.h"

#include "yeoul/common/error.h"

namespace yeoul {

void throw_no_timestamp(const std::string& operator_name) {
  throw user_error(7115,
                   "'{}' has windows of event time, but a record has no timestamp: call "
                   "assign_timestamps_and_watermarks() before it, or give from_source() a strategy with a timestamp "
                   "assigner",
                   operator_name);
}

void throw_merged_too_late(int64_t max_timestamp, int64_t watermark) {
  throw user_error(7117,
                   "merged windows end at {}, which is not later than the watermark {}: an assigner must not make "
                   "windows end earlier by merging",
                   max_timestamp, watermark);
}

}  // namespace yeoul
