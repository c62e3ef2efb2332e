#pragma once

#include <memory>

#include "yeoul/common/clock.h"
#include "yeoul/common/options.h"
#include "yeoul/connectors/api/sink.h"
#include "yeoul/runtime/stream_graph.h"
#include "yeoul/sql/planner/physical_plan.h"
#include "yeoul/types/time_zone.h"

namespace yeoul {

/// What operators get besides the plan.
struct TranslationConfig {
  int parallelism = 1;  ///< parallelism.default
  OptionMap session;    ///< SET options: table.exec.source.idle-timeout, scan.watermark.*
  TimeZone zone;        ///< table.local-time-zone
  const Clock* clock = &system_clock();
  std::shared_ptr<const Sink> collect;  ///< where a PhysicalCollect's rows go
};

/// Adds a physical plan to a stream graph; several plans share one graph in a statement set.
void translate(const PhysicalNode& plan, const NodeUids& uids, const TranslationConfig& config, StreamGraph& graph);

}  // namespace yeoul
