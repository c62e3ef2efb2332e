#include "yeoul/sql/operators/cell_aggregate.h"
#include "yeoul/types/dispatch.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

/// Cells of a fixed-width column.
template <class T>
struct FixedCells {
  using Value = T;
  static T get(const Column& column, size_t row) { return column.values<T>()[row]; }
  static bool less(const T& a, const T& b) { return a < b; }
  static void append(const T& value, ColumnBuilder& out) { out.append(value); }
  static void encode(const T& value, ByteWriter& out) { out.fixed(value); }
  static void decode(ByteReader& in, T& value) { value = in.fixed<T>(); }
};

struct TextCells {
  using Value = std::string;
  static std::string_view get(const Column& column, size_t row) { return column.string_at(row); }
  static bool less(std::string_view a, std::string_view b) { return a < b; }
  static void append(const std::string& value, ColumnBuilder& out) { out.append_string(value); }
  static void encode(const std::string& value, ByteWriter& out) { out.string(value); }
  static void decode(ByteReader& in, std::string& value) { value = in.string(); }
};

struct NanosCells {
  using Value = TimestampValue;
  static TimestampValue get(const Column& column, size_t row) {
    return {column.values<int64_t>()[row], column.nanos()[row]};
  }
  static bool less(const TimestampValue& a, const TimestampValue& b) { return a < b; }
  static void append(const TimestampValue& value, ColumnBuilder& out) {
    out.append_timestamp_nanos(value.millis, value.nanos);
  }
  static void encode(const TimestampValue& value, ByteWriter& out) {
    out.fixed(value.millis);
    out.fixed(value.nanos);
  }
  static void decode(ByteReader& in, TimestampValue& value) {
    value.millis = in.fixed<int64_t>();
    value.nanos = in.fixed<int32_t>();
  }
};

/// MIN and MAX of rows that are never retracted, or whose retraction changes nothing. Compares with < and > as Flink's
/// generated code does, so a first NaN stays for ever and a later one never wins.
template <class Cells, bool kMax>
class Extreme {
 public:
  struct Cell {
    typename Cells::Value value{};
    bool present = false;
  };
  static void encode(const Cell& cell, ByteWriter& out) {
    out.u8(cell.present);
    if (cell.present) Cells::encode(cell.value, out);
  }
  static void decode(ByteReader& in, Cell& cell) {
    cell.present = in.u8() != 0;
    if (cell.present) Cells::decode(in, cell.value);
  }

  explicit Extreme(int argument) : argument_(static_cast<size_t>(argument)) {}
  void bind(const RowBatch& batch) { column_ = batch.columns[argument_].get(); }
  void accumulate(Cell& cell, size_t row) const {
    if (column_->is_null(row)) return;
    const auto value = Cells::get(*column_, row);
    if (cell.present && !(kMax ? Cells::less(cell.value, value) : Cells::less(value, cell.value))) return;
    cell.value = value;
    cell.present = true;
  }
  void retract(Cell&, size_t) const {}
  void append(const Cell& cell, ColumnBuilder& out) const {
    if (cell.present) {
      Cells::append(cell.value, out);
    } else {
      out.append_null();
    }
  }

 private:
  size_t argument_;
  const Column* column_ = nullptr;
};

/// MIN and MAX under retraction: how often each value is there, in order. Keys of MAX have all bits turned, so that the
/// answer is the first in both. A value may be there less than no time, when its delete came first; it then counts for
/// nothing.
class RetractableExtreme final : public AggregateState {
 public:
  RetractableExtreme(int argument, bool max, MapStateStore& values)
      : argument_(static_cast<size_t>(argument)), max_(max), values_(values) {}

  void load(const GroupedRows&) override {}

  void append_results(const GroupedRows& rows, bool, ColumnBuilder& out) override {
    for (const Slot slot : rows.slots) append_result(slot, out);
  }

  void update(const GroupedRows& rows, const RowAction* actions) override {
    for (size_t row = 0; row < rows.num_rows(); ++row) {
      apply(rows, row, actions ? actions[row] : RowAction::kAccumulate);
    }
  }

  void trace(const GroupedRows& rows, const RowAction* actions, ColumnBuilder& before, ColumnBuilder& after) override {
    for (size_t row = 0; row < rows.num_rows(); ++row) {
      const Slot slot = rows.slots[rows.groups[row]];
      if (rows.resets[row]) values_.clear(slot);
      append_result(slot, before);
      apply(rows, row, actions ? actions[row] : RowAction::kAccumulate);
      append_result(slot, after);
    }
  }

 private:
  void apply(const GroupedRows& rows, size_t row, RowAction action) {
    const Column& column = *rows.batch->columns[argument_];
    if (action == RowAction::kIgnore || column.is_null(row)) return;
    key_.clear();
    append_sortable(column, row, key_);
    turn(key_);
    const Slot slot = rows.slots[rows.groups[row]];
    const std::string_view key = key_;
    void* cell = nullptr;
    values_.entries({&slot, 1}, {&key, 1}, true, {&cell, 1});
    auto& count = *static_cast<int64_t*>(cell);
    count += static_cast<int64_t>(action);
    if (count == 0) values_.erase(slot, key);
  }

  void append_result(Slot slot, ColumnBuilder& out) {
    bool found = false;
    values_.for_each(slot, [&](std::string_view key, void* count) {
      if (*static_cast<int64_t*>(count) <= 0) return true;
      found = true;
      key_ = key;
      turn(key_);
      std::string_view bytes = key_;
      append_from_sortable(bytes, out);
      return false;
    });
    if (!found) out.append_null();
  }

  void turn(std::string& key) const {
    if (!max_) return;
    for (char& byte : key) byte = static_cast<char>(~byte);
  }

  size_t argument_;
  bool max_;
  MapStateStore& values_;
  std::string key_;
};

template <class Cells>
std::unique_ptr<AggregateState> make_extreme(const AggregateCall& call, const std::string& name,
                                             const std::string& value_type, KeyedStateBackend& backend) {
  const int argument = call.arguments[0];
  if (call.function == AggregateKind::kMax) {
    return make_cell_aggregate(Extreme<Cells, true>(argument), backend, name, value_type);
  }
  return make_cell_aggregate(Extreme<Cells, false>(argument), backend, name, value_type);
}

}  // namespace

std::unique_ptr<AggregateState> make_min_max(const AggregateCall& call, const Schema& input, bool retracts,
                                             const std::string& name, KeyedStateBackend& backend) {
  const LogicalType& type = input.fields()[static_cast<size_t>(call.arguments[0])].type;
  const std::string value_type = type.as_nullable().to_string();
  if (retracts) {
    StateDescriptor descriptor{
        .name = name, .kind = StateKind::kSortedMap, .value_type = "BIGINT", .map_key_type = value_type};
    return std::make_unique<RetractableExtreme>(call.arguments[0], call.function == AggregateKind::kMax,
                                                backend.map_state(descriptor, cell_type<int64_t>()));
  }
  std::unique_ptr<AggregateState> state;
  const PhysicalType physical = type.physical();
  if (physical == PhysicalType::kBytes) return make_extreme<TextCells>(call, name, value_type, backend);
  if (physical == PhysicalType::kTimestampNanos) return make_extreme<NanosCells>(call, name, value_type, backend);
  visit_fixed_width(physical, [&]<class T>(std::type_identity<T>) {
    state = make_extreme<FixedCells<T>>(call, name, value_type, backend);
  });
  if (!state) throw internal_error(9000, "aggregate '{}' cannot compare {}", name, value_type);
  return state;
}

}  // namespace yeoul
