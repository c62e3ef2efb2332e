#pragma once

#include <cstdint>
#include <string_view>

namespace yeoul {

/// A property that is a whole number: what Java's clients take, and what can be done here. A value that Java takes and
/// that cannot be done is moved to the nearest that can, with a note.
struct PropertyLimits {
  std::string_view name;  ///< Java's
  int64_t java_min;
  int64_t java_max;
  int64_t min;
  int64_t max;
};

/// The limits of a property under its Java name; null for one that is no number.
const PropertyLimits* find_property_limits(std::string_view name);

/// The values of a property that takes one of a few, separated by '|', in lower case; empty for others.
std::string_view property_choices(std::string_view name);

}  // namespace yeoul
