#pragma once

#include "yeoul/common/options.h"
#include "yeoul/sql/binder/logical_plan.h"
#include "yeoul/sql/planner/physical_plan.h"

namespace yeoul {

/// Turns a logical plan (a LogicalSink or LogicalCollect) into a physical one: projections and filters merged, unused
/// columns not read, changelog modes settled (D14), exchanges and what changelogs need put in.
/// @param session  SET options: table.exec.mini-batch.*, table.exec.source.cdc-events-duplicate, table.exec.sink.*
/// @throws user errors 12xx: a sink that cannot take the query's changelog, or whose key is not the query's.
PhysicalNodePtr make_physical_plan(const LogicalNodePtr& plan, const OptionMap& session);

}  // namespace yeoul
