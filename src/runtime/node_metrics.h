#pragma once

#include <cstdint>

#include "yeoul/common/metrics.h"
#include "yeoul/connectors/api/sink.h"
#include "yeoul/connectors/api/source.h"
#include "yeoul/runtime/operator.h"

namespace yeoul {

/// Counters of one node in one subtask. Outlive restarts, so they only grow. Threads: written by the task, read by any.
struct NodeMetrics {
  Counter records_in;
  Counter records_out;
  Gauge watermark{kMinWatermark};
  SourceMetrics source;
  SinkMetrics sink;
};

}  // namespace yeoul
