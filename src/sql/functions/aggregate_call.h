#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/types/logical_type.h"

namespace yeoul {

enum class AggregateKind : uint8_t {
  kCount,
  kCountStar,
  kSum,
  kSum0,
  kAvg,
  kMin,
  kMax,
  kFirstValue,
  kLastValue,
  kArrayAgg
};

/// When a grouped aggregate emits (docs/architecture.md, D15).
enum class AggregateEmission : uint8_t {
  kFold,       ///< one update per key and input batch: table.exec.mini-batch.enabled is not set
  kPerRow,     ///< Flink's changelog, one update per input row: … is false
  kMiniBatch,  ///< one update per key and bundle: … is true
};

/// One aggregate over the columns of its input row.
struct AggregateCall {
  AggregateKind function = AggregateKind::kCountStar;
  std::vector<int> arguments;  ///< input columns; empty for COUNT(*)
  bool distinct = false;
  int filter = -1;  ///< BOOLEAN input column of FILTER (WHERE …), or -1
  /// MIN or MAX of what only falls or only grows: no retraction changes the result.
  bool ignores_retractions = false;
  LogicalType type;  ///< of the result
  std::string name;  ///< output column

  /// "COUNT(DISTINCT user_id) FILTER big": the name of its state (D12), free of positions.
  std::string to_string(std::span<const std::string> column_names) const;
};

/// True for COUNT, SUM, AVG, MIN, MAX, FIRST_VALUE, LAST_VALUE, ARRAY_AGG.
bool is_aggregate_function(std::string_view name);
/// Resolves an aggregate by name and argument types as Flink types it (SUM of INT is INT, AVG of INT is INT, SUM of
/// DECIMAL(p,s) is DECIMAL(38,s), COUNT is BIGINT NOT NULL; the rest nullable). `grouped` false: a global aggregate,
/// whose result may be NULL. The argument columns stay to be filled in. @throws user error 1108 where the argument does
/// not fit.
AggregateCall resolve_aggregate(std::string_view name, std::span<const LogicalType> argument_types, bool star,
                                bool distinct, bool grouped);

}  // namespace yeoul
