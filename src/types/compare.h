#pragma once

#include <cstdint>
#include <vector>

#include "yeoul/types/column.h"

namespace yeoul {

/// Positions of the entries of a MAP cell in the key column, in key order: the order in which maps are compared, stored
/// and sorted.
std::vector<uint32_t> entries_in_key_order(const Column& map, size_t row);

}  // namespace yeoul
