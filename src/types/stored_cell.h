#pragma once

#include <cstdint>
#include <vector>

#include "yeoul/types/column.h"

namespace yeoul {

/// The first byte of a stored cell, canonical or sortable.
inline constexpr char kNullCell = 0;
inline constexpr char kPresentCell = 1;

/// Positions of the entries of a MAP cell in the key column, in key order: the order in which maps are compared, stored
/// and sorted.
std::vector<uint32_t> entries_in_key_order(const Column& map, size_t row);

/// @throws internal error 6001: stored bytes are no cell of the type they were stored with.
[[noreturn]] void throw_damaged_cell(const char* what);

}  // namespace yeoul
