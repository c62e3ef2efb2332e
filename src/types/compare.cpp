#include <algorithm>
#include <bit>

#include "yeoul/types/dispatch.h"
#include "yeoul/types/kernels.h"
#include "yeoul/types/stored_cell.h"

namespace yeoul {

namespace {

template <class T>
std::strong_ordering compare_numbers(T a, T b) {
  return a < b ? std::strong_ordering::less : b < a ? std::strong_ordering::greater : std::strong_ordering::equal;
}

/// As java.lang.Double.compare: NaN is last and equal to itself, -0.0 below 0.0.
template <class T>
std::strong_ordering compare_floats(T a, T b) {
  if (a < b) return std::strong_ordering::less;
  if (a > b) return std::strong_ordering::greater;
  if (a != a || b != b) return compare_numbers(a != a, b != b);
  return compare_numbers(!std::signbit(a), !std::signbit(b));
}

std::strong_ordering compare_ranges(const Column& a, int32_t from_a, int32_t to_a, const Column& b, int32_t from_b,
                                    int32_t to_b) {
  for (; from_a < to_a && from_b < to_b; ++from_a, ++from_b) {
    const std::strong_ordering order = compare_cells(a, from_a, b, from_b);
    if (order != 0) return order;
  }
  return (to_a - from_a) <=> (to_b - from_b);
}

std::strong_ordering compare_maps(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  const std::vector<uint32_t> entries_a = entries_in_key_order(a, row_a);
  const std::vector<uint32_t> entries_b = entries_in_key_order(b, row_b);
  for (size_t i = 0; i < std::min(entries_a.size(), entries_b.size()); ++i) {
    for (size_t c = 0; c < 2; ++c) {
      const std::strong_ordering order = compare_cells(a.child(c), entries_a[i], b.child(c), entries_b[i]);
      if (order != 0) return order;
    }
  }
  return entries_a.size() <=> entries_b.size();
}

std::strong_ordering compare_timestamps(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  const std::strong_ordering order = compare_numbers(a.values<int64_t>()[row_a], b.values<int64_t>()[row_b]);
  return order != 0 ? order : compare_numbers(a.nanos()[row_a], b.nanos()[row_b]);
}

}  // namespace

void throw_damaged_cell(const char* what) {
  throw internal_error(6001, "stored bytes are damaged: {}", what);
}

std::vector<uint32_t> entries_in_key_order(const Column& map, size_t row) {
  std::vector<uint32_t> entries;
  for (int32_t i = map.offsets()[row]; i < map.offsets()[row + 1]; ++i) entries.push_back(static_cast<uint32_t>(i));
  // Equal keys cannot be in a map, but MAP_FROM_ARRAYS leaves them: then the entry's place decides.
  std::stable_sort(entries.begin(), entries.end(), [&](uint32_t left, uint32_t right) {
    return compare_cells(map.child(0), left, map.child(0), right) < 0;
  });
  return entries;
}

std::strong_ordering compare_cells(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  const bool valid_a = a.is_valid(row_a);
  const bool valid_b = b.is_valid(row_b);
  if (!valid_a || !valid_b) return compare_numbers(valid_a, valid_b);
  std::strong_ordering order = std::strong_ordering::equal;
  const PhysicalType physical = a.type().physical();
  const bool fixed = visit_fixed_width(physical, [&]<class T>(std::type_identity<T>) {
    const T value_a = a.values<T>()[row_a];
    const T value_b = b.values<T>()[row_b];
    if constexpr (std::is_floating_point_v<T>) {
      order = compare_floats(value_a, value_b);
    } else {
      order = compare_numbers(value_a, value_b);
    }
  });
  if (fixed) return order;
  switch (physical) {
    case PhysicalType::kTimestampNanos:
      return compare_timestamps(a, row_a, b, row_b);
    case PhysicalType::kBytes:
      return a.string_at(row_a) <=> b.string_at(row_b);
    case PhysicalType::kList:
      return compare_ranges(a.child(0), a.offsets()[row_a], a.offsets()[row_a + 1], b.child(0), b.offsets()[row_b],
                            b.offsets()[row_b + 1]);
    case PhysicalType::kMap:
      return compare_maps(a, row_a, b, row_b);
    case PhysicalType::kStruct:
      for (size_t c = 0; c < a.children().size() && order == 0; ++c) {
        order = compare_cells(a.child(c), row_a, b.child(c), row_b);
      }
      return order;
    default:
      return order;
  }
}

bool equal_cells(const Column& a, size_t row_a, const Column& b, size_t row_b) {
  if (a.type().physical() == PhysicalType::kBytes && a.is_valid(row_a) && b.is_valid(row_b)) {
    return a.string_at(row_a) == b.string_at(row_b);
  }
  return compare_cells(a, row_a, b, row_b) == 0;
}

}  // namespace yeoul
