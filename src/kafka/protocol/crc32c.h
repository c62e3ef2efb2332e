#pragma once

#include <cstdint>
#include <string_view>

namespace yeoul {

/// CRC-32C (Castagnoli) of the bytes, by the processor's instruction where it has one.
uint32_t crc32c(std::string_view bytes);

/// The same by tables, for processors without the instruction.
uint32_t crc32c_by_tables(std::string_view bytes);

}  // namespace yeoul
