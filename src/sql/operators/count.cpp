#include "yeoul/sql/operators/cell_aggregate.h"

namespace yeoul {

namespace {

/// COUNT(x, …): rows where no argument is NULL. COUNT(*) with FILTER or DISTINCT: no arguments.
class Count {
 public:
  struct Cell {
    int64_t count = 0;
  };
  static void encode(const Cell& cell, ByteWriter& out) { out.fixed(cell.count); }
  static void decode(ByteReader& in, Cell& cell) { cell.count = in.fixed<int64_t>(); }

  explicit Count(std::vector<int> arguments) : arguments_(std::move(arguments)) {}

  void bind(const RowBatch& batch) {
    nullable_.clear();
    for (const int argument : arguments_) {
      const Column& column = *batch.columns[static_cast<size_t>(argument)];
      if (column.may_have_nulls()) nullable_.push_back(&column);
    }
  }
  void accumulate(Cell& cell, size_t row) const { cell.count += counts(row); }
  void retract(Cell& cell, size_t row) const { cell.count -= counts(row); }
  void append(const Cell& cell, ColumnBuilder& out) const { out.append(cell.count); }

 private:
  bool counts(size_t row) const {
    for (const Column* column : nullable_) {
      if (column->is_null(row)) return false;
    }
    return true;
  }

  std::vector<int> arguments_;
  std::vector<const Column*> nullable_;
};

/// COUNT(*) of all rows: the number of records, which the operator keeps for itself.
class CountRecords final : public AggregateState {
 public:
  void load(const GroupedRows&) override {}
  void append_results(const GroupedRows& rows, bool after, ColumnBuilder& out) override {
    for (const int64_t count : after ? rows.records_after : rows.records_before) out.append(count);
  }
  void update(const GroupedRows&, const RowAction*) override {}
  void trace(const GroupedRows& rows, const RowAction*, ColumnBuilder& before, ColumnBuilder& after) override {
    for (const int64_t count : rows.row_records_before) before.append(count);
    for (const int64_t count : rows.row_records_after) after.append(count);
  }
};

}  // namespace

std::unique_ptr<AggregateState> make_aggregate_state(const AggregateCall& call, const Schema& input, bool retracts,
                                                     const std::string& name, KeyedStateBackend& backend) {
  switch (call.function) {
    case AggregateKind::kCountStar:
      if (!call.distinct && call.filter < 0) return std::make_unique<CountRecords>();
      [[fallthrough]];
    case AggregateKind::kCount:
      return make_cell_aggregate(Count(call.arguments), backend, name, "BIGINT");
    case AggregateKind::kSum:
    case AggregateKind::kSum0:
      return make_sum(call, input, name, backend);
    case AggregateKind::kAvg:
      return make_avg(call, input, name, backend);
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      return make_min_max(call, input, retracts && !call.ignores_retractions, name, backend);
    case AggregateKind::kFirstValue:
    case AggregateKind::kLastValue:
    case AggregateKind::kArrayAgg:
      return make_value_list(call, input, retracts, name, backend);
  }
  throw internal_error(9000, "aggregate '{}' has no state", name);
}

}  // namespace yeoul
