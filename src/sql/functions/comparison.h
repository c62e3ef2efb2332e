#pragma once

#include <string_view>

#include "yeoul/sql/functions/registry.h"

namespace yeoul {

enum class Comparison : uint8_t { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual };

/// The kernel that compares two arguments of the same type; null where the type has no such comparison.
Kernel comparison_kernel(Comparison comparison, const LogicalType& type);

/// Casts both sides to the type they are compared in. `lenient`: also a number with a text, as IN and < do it.
/// False where the types do not compare.
bool align_for_comparison(ExpressionPtr& a, ExpressionPtr& b, bool lenient);

}  // namespace yeoul
