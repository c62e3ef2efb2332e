#pragma once

#include <cstdint>
#include <type_traits>

#include "yeoul/types/logical_type.h"

namespace yeoul {

/// True for physical types with one fixed-width cell per row in the data buffer; kTimestampNanos has two parts and is
/// none of them.
constexpr bool is_fixed_width(PhysicalType type) {
  return type <= PhysicalType::kInt128;
}

/// Calls `function(std::type_identity<Carrier>{})` for a fixed-width physical type, so that a kernel picks its loop
/// once per column. Returns false without a call for other types.
template <class Function>
bool visit_fixed_width(PhysicalType type, Function&& function) {
  switch (type) {
    case PhysicalType::kBool:
      function(std::type_identity<uint8_t>{});
      return true;
    case PhysicalType::kInt8:
      function(std::type_identity<int8_t>{});
      return true;
    case PhysicalType::kInt16:
      function(std::type_identity<int16_t>{});
      return true;
    case PhysicalType::kInt32:
      function(std::type_identity<int32_t>{});
      return true;
    case PhysicalType::kInt64:
      function(std::type_identity<int64_t>{});
      return true;
    case PhysicalType::kFloat:
      function(std::type_identity<float>{});
      return true;
    case PhysicalType::kDouble:
      function(std::type_identity<double>{});
      return true;
    case PhysicalType::kInt128:
      function(std::type_identity<int128>{});
      return true;
    default:
      return false;
  }
}

}  // namespace yeoul
