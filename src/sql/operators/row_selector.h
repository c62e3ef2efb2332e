#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "yeoul/sql/operators/aggregate_state.h"

namespace yeoul {

/// Decides what each row does to the aggregates that share one FILTER and one set of DISTINCT arguments. How often each
/// distinct value is there is map state, kept in the same way whether rows may be retracted or not. Threads: the
/// task's.
class RowSelector {
 public:
  /// Neither filter nor distinct.
  RowSelector() = default;
  /// @param distinct  the arguments whose values count once; empty: no DISTINCT
  RowSelector(int filter, std::vector<int> distinct, const Schema& input, std::span<const std::string> column_names,
              KeyedStateBackend& backend);

  bool serves(int filter, const std::vector<int>& distinct) const { return filter_ == filter && distinct_ == distinct; }
  /// Computes what each row of the batch does; to be called once a batch.
  void select(const GroupedRows& rows);
  /// What each row does; null: all accumulate.
  const RowAction* actions() const { return actions_; }

 private:
  void apply_filter(const GroupedRows& rows);
  void apply_distinct(const GroupedRows& rows);
  void count_values(const GroupedRows& rows, const CanonicalKeys& values, size_t first, size_t last);

  int filter_ = -1;
  std::vector<int> distinct_;
  MapStateStore* values_ = nullptr;
  const RowAction* actions_ = nullptr;
  std::vector<RowAction> own_actions_;

  // Scratch: the rows at hand and their entries.
  std::vector<uint32_t> counted_;
  std::vector<Slot> slots_;
  std::vector<std::string_view> keys_;
  std::vector<void*> counts_;
};

}  // namespace yeoul
