#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "yeoul/sql/functions/aggregate_call.h"
#include "yeoul/state/api/keyed_state.h"
#include "yeoul/types/batch.h"

namespace yeoul {

/// What a row does to an aggregate.
enum class RowAction : int8_t { kRetract = -1, kIgnore = 0, kAccumulate = 1 };

/// The rows of one batch (without selection) as aggregates see them. Keys are numbered as they first occur in the
/// batch; such a number is a group.
struct GroupedRows {
  const RowBatch* batch = nullptr;
  std::vector<uint32_t> groups;  ///< of each row
  std::vector<Slot> slots;       ///< of each group
  /// Records of each group: before the batch, and now.
  std::vector<int64_t> records_before;
  std::vector<int64_t> records_after;
  /// What each row does; empty: all accumulate.
  std::vector<RowAction> actions;

  // Row by row, for Flink's changelog; empty when updates fold:
  std::vector<uint8_t> resets;  ///< before this row its key's state is made empty: it was deleted in this batch
  std::vector<int64_t> row_records_before;
  std::vector<int64_t> row_records_after;

  size_t num_rows() const { return groups.size(); }
  size_t num_groups() const { return slots.size(); }
};

/// State and function of one aggregate in one subtask. Per batch: load, then either results, update and results
/// (folded) or trace. Threads: the task's.
class AggregateState {
 public:
  virtual ~AggregateState() = default;
  /// Reaches the state of the batch's groups.
  virtual void load(const GroupedRows& rows) = 0;
  /// The result of every group before the batch, or now.
  virtual void append_results(const GroupedRows& rows, bool after, ColumnBuilder& out) = 0;
  /// Takes in all rows. `actions` null: all accumulate.
  virtual void update(const GroupedRows& rows, const RowAction* actions) = 0;
  /// Takes in the rows one by one, and appends for each the results of its group before and after it.
  virtual void trace(const GroupedRows& rows, const RowAction* actions, ColumnBuilder& before,
                     ColumnBuilder& after) = 0;
};

/// Registers the state of an aggregate under `name`. `retracts`: rows may be retracted.
std::unique_ptr<AggregateState> make_aggregate_state(const AggregateCall& call, const Schema& input, bool retracts,
                                                     const std::string& name, KeyedStateBackend& backend);

std::unique_ptr<AggregateState> make_sum(const AggregateCall& call, const Schema& input, const std::string& name,
                                         KeyedStateBackend& backend);
std::unique_ptr<AggregateState> make_avg(const AggregateCall& call, const Schema& input, const std::string& name,
                                         KeyedStateBackend& backend);
std::unique_ptr<AggregateState> make_min_max(const AggregateCall& call, const Schema& input, bool retracts,
                                             const std::string& name, KeyedStateBackend& backend);

std::unique_ptr<AggregateState> make_value_list(const AggregateCall& call, const Schema& input, bool retracts,
                                                const std::string& name, KeyedStateBackend& backend);

}  // namespace yeoul
