#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "yeoul/sql/planner/physical_plan.h"

namespace yeoul {

/// How a column of a changelog's row changes while the row is updated.
enum class Monotonicity : uint8_t { kConstant, kIncreasing, kDecreasing, kNone };

/// Of each column of a node's output, as Flink's FlinkRelMdModifiedMonotonicity finds it; nothing where rows may be
/// deleted.
std::optional<std::vector<Monotonicity>> column_monotonicity(const PhysicalNode& node);

/// Marks the MIN and MAX calls whose result no retraction can change: MAX of what only grows, MIN of what only falls.
void mark_calls_ignoring_retractions(const PhysicalNode& input, const std::vector<int>& keys,
                                     std::vector<AggregateCall>& calls);

}  // namespace yeoul
