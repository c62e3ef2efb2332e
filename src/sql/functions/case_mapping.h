#pragma once

#include <cstdint>

namespace yeoul {

/// Unicode's simple case mapping of one code point, for the scripts that have case in the BMP.
uint32_t to_upper(uint32_t code_point);
uint32_t to_lower(uint32_t code_point);

}  // namespace yeoul
