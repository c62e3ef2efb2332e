#pragma once

#include "yeoul/sql/planner/physical_plan.h"

namespace yeoul {

/// Whether a column that is typed NOT NULL may hold NULL all the same: Flink types some expressions so that yield NULL
/// at run time (a DECIMAL that overflows, LPAD of a negative length), and a source may lack a NOT NULL field.
bool may_break_not_null(const PhysicalNode& node, int column);

/// Flink gives the element type's default (-1, FALSE, '', 1969-12-31), not NULL, where a projected column is an element
/// that an ARRAY or MAP of NOT NULL elements does not have. Any other expression stays as it is.
ExpressionPtr with_element_default(const ExpressionPtr& projection);

}  // namespace yeoul
