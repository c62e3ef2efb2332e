#include <algorithm>

#include "yeoul/sql/operators/cell_aggregate.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

enum class Pick : uint8_t { kFirst, kLast, kAll };

/// FIRST_VALUE, LAST_VALUE (which pass over NULLs) and ARRAY_AGG: the values in the order they came. A retraction takes
/// the first equal value out (Flink's FirstValue- and LastValueWithRetractAggFunction, ArrayAggFunction). Where only
/// one value is asked for and none is retracted, only that is kept.
template <Pick kPick>
class KeptValues {
 public:
  struct Cell {
    std::vector<std::string> values;  ///< canonical bytes
  };
  static void encode(const Cell& cell, ByteWriter& out) {
    out.varint(cell.values.size());
    for (const std::string& value : cell.values) out.string(value);
  }
  static void decode(ByteReader& in, Cell& cell) {
    for (uint64_t count = in.varint(); count > 0; --count) cell.values.emplace_back(in.string());
  }

  KeptValues(int argument, bool retracts) : argument_(static_cast<size_t>(argument)), retracts_(retracts) {}

  void bind(const RowBatch& batch) { column_ = batch.columns[argument_].get(); }

  void accumulate(Cell& cell, size_t row) {
    if (kPick != Pick::kAll && column_->is_null(row)) return;
    if (kPick != Pick::kAll && !retracts_ && !cell.values.empty()) {
      if (kPick == Pick::kFirst) return;
      cell.values.clear();
    }
    append_canonical(*column_, row, cell.values.emplace_back());
  }

  void retract(Cell& cell, size_t row) {
    if (kPick != Pick::kAll && column_->is_null(row)) return;
    bytes_.clear();
    append_canonical(*column_, row, bytes_);
    const auto it = std::find(cell.values.begin(), cell.values.end(), bytes_);
    if (it != cell.values.end()) cell.values.erase(it);
  }

  void append(const Cell& cell, ColumnBuilder& out) const {
    if (cell.values.empty()) return out.append_null();
    if constexpr (kPick == Pick::kAll) {
      for (std::string_view value : cell.values) append_from_canonical(value, out.child(0));
      out.finish_list();
    } else {
      std::string_view value = kPick == Pick::kFirst ? cell.values.front() : cell.values.back();
      append_from_canonical(value, out);
    }
  }

 private:
  size_t argument_;
  bool retracts_;
  const Column* column_ = nullptr;
  std::string bytes_;
};

}  // namespace

std::unique_ptr<AggregateState> make_value_list(const AggregateCall& call, const Schema& input, bool retracts,
                                                const std::string& name, KeyedStateBackend& backend) {
  const int argument = call.arguments[0];
  const LogicalType type = input.fields()[static_cast<size_t>(argument)].type.as_nullable();
  const std::string value_type = fmt::format("ARRAY<{}>", type.to_string());
  switch (call.function) {
    case AggregateKind::kFirstValue:
      return make_cell_aggregate(KeptValues<Pick::kFirst>(argument, retracts), backend, name, value_type);
    case AggregateKind::kLastValue:
      return make_cell_aggregate(KeptValues<Pick::kLast>(argument, retracts), backend, name, value_type);
    default:
      return make_cell_aggregate(KeptValues<Pick::kAll>(argument, retracts), backend, name, value_type);
  }
}

}  // namespace yeoul
