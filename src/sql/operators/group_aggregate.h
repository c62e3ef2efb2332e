#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/sql/functions/aggregate_call.h"

namespace yeoul {

/// GROUP BY, SELECT DISTINCT (no aggregates) and global aggregates (no keys). Emits the keys, then the aggregates:
/// +I for a key's first record, then updates where the result changed, -D with the last row when its record count falls
/// to 0. A retraction for a key that has no record is dropped. No input, no row.
struct GroupAggregateSpec {
  Schema input;
  /// Names of the input's columns by origin, free of aliases and positions: the names of states (D12). Empty: as in
  /// `input`.
  std::vector<std::string> input_origins;
  std::vector<int> keys;
  std::vector<AggregateCall> calls;
  /// Input may hold -U and -D.
  bool input_retracts = false;
  /// Emit -U before +U.
  bool generate_update_before = true;
  AggregateEmission emission = AggregateEmission::kFold;
  int64_t mini_batch_size = 0;           ///< kMiniBatch: table.exec.mini-batch.size, rows
  int64_t mini_batch_latency_ms = 1000;  ///< kMiniBatch: table.exec.mini-batch.allow-latency
};

/// Keyed; the key's exchange is on `keys`. A bundle is also flushed by watermarks, barriers and the end of input.
std::shared_ptr<const OperatorFactory> make_group_aggregate(GroupAggregateSpec spec);

}  // namespace yeoul
