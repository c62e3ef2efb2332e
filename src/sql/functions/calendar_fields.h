#pragma once

#include <cstdint>

namespace yeoul {

/// The day `months` later; a day that the month lacks is its last.
int64_t add_months(int64_t days, int64_t months);

}  // namespace yeoul
