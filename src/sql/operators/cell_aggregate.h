#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "yeoul/sql/operators/aggregate_state.h"

namespace yeoul {

/// The cell type of a function's Cell, by its own codec.
template <class Function>
CellType function_cell_type() {
  using Cell = typename Function::Cell;
  return {.size = sizeof(Cell),
          .alignment = alignof(Cell),
          .trivial = std::is_trivially_copyable_v<Cell> && std::is_trivially_destructible_v<Cell>,
          .construct = [](void* cell) { new (cell) Cell(); },
          .copy = [](void* to, const void* from) { *static_cast<Cell*>(to) = *static_cast<const Cell*>(from); },
          .destroy = [](void* cell) { static_cast<Cell*>(cell)->~Cell(); },
          .encode = [](const void* cell, ByteWriter& out) { Function::encode(*static_cast<const Cell*>(cell), out); },
          .decode = [](ByteReader& in, void* cell) { Function::decode(in, *static_cast<Cell*>(cell)); }};
}

/// An aggregate whose whole state is one cell per key. `Function` has a Cell with its codec, bind(batch), and per row
/// accumulate(cell, row), retract(cell, row) and append(cell, builder); its loops are inlined here.
template <class Function>
class CellAggregate final : public AggregateState {
 public:
  using Cell = typename Function::Cell;

  CellAggregate(Function function, KeyedStateBackend& backend, const std::string& name, std::string value_type)
      : function_(std::move(function)),
        store_(backend.value_state({.name = name, .kind = StateKind::kValue, .value_type = std::move(value_type)},
                                   function_cell_type<Function>())) {}

  void load(const GroupedRows& rows) override {
    cells_.resize(rows.num_groups());
    store_.cells(rows.slots, {reinterpret_cast<void**>(cells_.data()), cells_.size()});
  }

  void append_results(const GroupedRows&, bool, ColumnBuilder& out) override {
    for (const Cell* cell : cells_) function_.append(*cell, out);
  }

  void update(const GroupedRows& rows, const RowAction* actions) override {
    function_.bind(*rows.batch);
    const uint32_t* groups = rows.groups.data();
    const size_t count = rows.num_rows();
    Cell* const* cells = cells_.data();
    if (!actions) {
      for (size_t row = 0; row < count; ++row) function_.accumulate(*cells[groups[row]], row);
      return;
    }
    for (size_t row = 0; row < count; ++row) apply(*cells[groups[row]], row, actions[row]);
  }

  void trace(const GroupedRows& rows, const RowAction* actions, ColumnBuilder& before, ColumnBuilder& after) override {
    function_.bind(*rows.batch);
    for (size_t row = 0; row < rows.num_rows(); ++row) {
      Cell& cell = *cells_[rows.groups[row]];
      if (rows.resets[row]) cell = Cell();
      function_.append(cell, before);
      apply(cell, row, actions ? actions[row] : RowAction::kAccumulate);
      function_.append(cell, after);
    }
  }

 private:
  void apply(Cell& cell, size_t row, RowAction action) {
    if (action == RowAction::kAccumulate) {
      function_.accumulate(cell, row);
    } else if (action == RowAction::kRetract) {
      function_.retract(cell, row);
    }
  }

  Function function_;
  ValueStateStore& store_;
  std::vector<Cell*> cells_;
};

template <class Function>
std::unique_ptr<AggregateState> make_cell_aggregate(Function function, KeyedStateBackend& backend,
                                                    const std::string& name, std::string value_type) {
  return std::make_unique<CellAggregate<Function>>(std::move(function), backend, name, std::move(value_type));
}

}  // namespace yeoul
