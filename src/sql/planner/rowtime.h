#pragma once

#include <vector>

#include "yeoul/sql/planner/physical_plan.h"

namespace yeoul {

/// For each column of a node's output whether it is a rowtime attribute: the column of a table's WATERMARK, handed on
/// unchanged. What is grouped by or computed from one is a plain timestamp, as in Flink.
std::vector<bool> rowtime_columns(const PhysicalNode& node);

}  // namespace yeoul
