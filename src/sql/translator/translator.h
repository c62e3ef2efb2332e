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
  // Where a PhysicalCollect's rows go: one of both.
  std::shared_ptr<const Sink> collect;             ///< the user
  std::shared_ptr<const OperatorFactory> convert;  ///< an operator in front of what the program does with them
};

/// Adds a physical plan to a stream graph; several plans share one graph in a statement set. Returns its last node.
int translate(const PhysicalNode& plan, const NodeUids& uids, const TranslationConfig& config, StreamGraph& graph);

}  // namespace yeoul
