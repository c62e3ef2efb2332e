#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "yeoul/runtime/operator.h"
#include "yeoul/sql/functions/aggregate_call.h"

namespace yeoul {

/// When a grouped aggregate emits (docs/architecture.md, D15).
enum class AggregateEmission : uint8_t {
  kFold,       ///< one update per key and input batch: table.exec.mini-batch.enabled is not set
  kPerRow,     ///< Flink's changelog, one update per input row: … is false
  kMiniBatch,  ///< one update per key and bundle: … is true
};

/// GROUP BY, SELECT DISTINCT (no aggregates) and global aggregates (no keys). Emits the keys, then the aggregates:
/// +I for a key's first record, then updates where the result changed, -D with the last row when its record count falls
/// to 0. A retraction for a key that has no record is dropped. No input, no row.
struct GroupAggregateSpec {
  Schema input;
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
