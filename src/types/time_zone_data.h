#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace yeoul {

/// One name of the tz database and where its data lies in embedded_zone_bytes(): a TZif header, the 64-bit block and
/// the footer (RFC 8536). Built into the program by embed_time_zones.cmake.
struct EmbeddedZone {
  std::string_view name;
  uint32_t start;
  uint32_t size;
};

/// All zones, ascending by name.
std::span<const EmbeddedZone> embedded_zones();
std::string_view embedded_zone_bytes();

}  // namespace yeoul
