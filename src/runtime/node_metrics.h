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
  Gauge input_watermark{kMinWatermark};
  Gauge watermark{kMinWatermark};  ///< the last one emitted; of a sink: that came in
  Counter busy_ns;                 ///< in its own code, without that of the nodes behind it
  Gauge emit_event_time_lag_ms{-1};
  Gauge idle_since_ms{-1};  ///< sources: since when nothing has come (steady); -1: something comes
  MetricGroup own;          ///< of an operator
  SourceMetrics source;
  SinkMetrics sink;
};

}  // namespace yeoul
