#include "yeoul/sql/operators/cell_aggregate.h"
#include "yeoul/types/dispatch.h"
#include "yeoul/types/text.h"

namespace yeoul {

namespace {

/// Adds as Flink does: integers wrap around, DECIMAL beyond 38 digits has no value (false).
template <class T>
bool add_in_place(T& sum, T value) {
  if constexpr (std::is_same_v<T, int128>) {
    static const int128 kLimit = power_of_ten(38);
    // Two values of 38 digits each fit 128 bits only nearly.
    return !__builtin_add_overflow(sum, value, &sum) && sum < kLimit && sum > -kLimit;
  } else if constexpr (std::is_floating_point_v<T>) {
    sum += value;
    return true;
  } else {
    using Bits = std::make_unsigned_t<T>;
    sum = static_cast<T>(static_cast<Bits>(static_cast<Bits>(sum) + static_cast<Bits>(value)));
    return true;
  }
}

template <class T>
T negated(T value) {
  if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, int128>) {
    return -value;
  } else {
    using Bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<Bits>(Bits{0} - static_cast<Bits>(value)));
  }
}

/// The cells of an argument, converted to what they are summed as.
template <class In>
class ArgumentCells {
 public:
  explicit ArgumentCells(int argument) : argument_(static_cast<size_t>(argument)) {}
  void bind(const RowBatch& batch) {
    column_ = batch.columns[argument_].get();
    values_ = column_->values<In>();
    nulls_ = column_->may_have_nulls();
  }
  bool is_null(size_t row) const { return nulls_ && column_->is_null(row); }
  In operator[](size_t row) const { return values_[row]; }

 private:
  size_t argument_;
  const Column* column_ = nullptr;
  const In* values_ = nullptr;
  bool nulls_ = false;
};

/// SUM and SUM0. The sum is NULL until a value comes, and after an overflow, from where it starts afresh (Flink's
/// SumAggFunction, SumWithRetractAggFunction); SUM0 starts with 0.
template <class T>
class Sum {
 public:
  struct Cell {
    T sum = 0;
    int64_t count = 0;
    bool has_sum = false;
    bool overflowed = false;
  };
  static void encode(const Cell& cell, ByteWriter& out) {
    out.fixed(cell.sum);
    out.fixed(cell.count);
    out.u8(static_cast<uint8_t>(cell.has_sum | cell.overflowed << 1));
  }
  static void decode(ByteReader& in, Cell& cell) {
    cell.sum = in.fixed<T>();
    cell.count = in.fixed<int64_t>();
    const uint8_t flags = in.u8();
    cell.has_sum = flags & 1;
    cell.overflowed = flags & 2;
  }

  Sum(int argument, bool zero) : cells_(argument), zero_(zero) {}
  void bind(const RowBatch& batch) { cells_.bind(batch); }
  void accumulate(Cell& cell, size_t row) const {
    if (cells_.is_null(row)) return;
    ++cell.count;
    add(cell, cells_[row]);
  }
  void retract(Cell& cell, size_t row) const {
    if (cells_.is_null(row)) return;
    --cell.count;
    add(cell, negated(cells_[row]));
  }
  void append(const Cell& cell, ColumnBuilder& out) const {
    if (zero_ ? cell.overflowed : cell.count == 0 || !cell.has_sum) {
      out.append_null();
    } else {
      out.append(cell.sum);
    }
  }

 private:
  void add(Cell& cell, T value) const {
    if (zero_ && cell.overflowed) return;
    const bool fits = add_in_place(cell.sum, value);
    cell.has_sum = fits;
    if (fits) return;
    cell.overflowed = true;
    cell.sum = 0;
  }

  ArgumentCells<T> cells_;
  bool zero_;
};

/// AVG: a sum and a count (Flink's AvgAggFunction). Integers are summed as BIGINT and divided towards zero; an overflow
/// of a DECIMAL sum stays.
template <class In, class T, class Out>
class Avg {
 public:
  struct Cell {
    T sum = 0;
    int64_t count = 0;
    bool overflowed = false;
  };
  static void encode(const Cell& cell, ByteWriter& out) {
    out.fixed(cell.sum);
    out.fixed(cell.count);
    out.u8(cell.overflowed);
  }
  static void decode(ByteReader& in, Cell& cell) {
    cell.sum = in.fixed<T>();
    cell.count = in.fixed<int64_t>();
    cell.overflowed = in.u8() != 0;
  }

  /// @param scale_up  digits that the result has more after its point than the argument
  Avg(int argument, int scale_up) : cells_(argument), scale_up_(scale_up) {}
  void bind(const RowBatch& batch) { cells_.bind(batch); }
  void accumulate(Cell& cell, size_t row) const {
    if (cells_.is_null(row)) return;
    ++cell.count;
    cell.overflowed |= !add_in_place(cell.sum, static_cast<T>(cells_[row]));
  }
  void retract(Cell& cell, size_t row) const {
    if (cells_.is_null(row)) return;
    --cell.count;
    cell.overflowed |= !add_in_place(cell.sum, negated(static_cast<T>(cells_[row])));
  }
  void append(const Cell& cell, ColumnBuilder& out) const {
    if (cell.count == 0 || cell.overflowed) return out.append_null();
    if constexpr (std::is_same_v<T, int128>) {
      append_decimal(cell, out);
    } else if constexpr (std::is_floating_point_v<T>) {
      out.append(static_cast<Out>(cell.sum / static_cast<T>(cell.count)));
    } else {
      // A count below zero, from deletes of rows that never came, may be -1.
      out.append(static_cast<Out>(cell.count == -1 ? negated(cell.sum) : cell.sum / cell.count));
    }
  }

 private:
  void append_decimal(const Cell& cell, ColumnBuilder& out) const {
    const bool negative = (cell.sum < 0) != (cell.count < 0);
    const int128 sum = cell.sum < 0 ? -cell.sum : cell.sum;
    const int128 count = cell.count < 0 ? -int128{cell.count} : int128{cell.count};
    const int128 scale = power_of_ten(scale_up_);
    const int128 rest = sum % count * scale;
    int128 result = 0;
    if (__builtin_mul_overflow(sum / count, scale, &result)) return out.append_null();
    result += rest / count + (rest % count * 2 >= count ? 1 : 0);
    if (result >= power_of_ten(38)) return out.append_null();
    out.append(negative ? -result : result);
  }

  ArgumentCells<In> cells_;
  int scale_up_;
};

const LogicalType& argument_type(const AggregateCall& call, const Schema& input) {
  return input.fields()[static_cast<size_t>(call.arguments[0])].type;
}

}  // namespace

std::unique_ptr<AggregateState> make_sum(const AggregateCall& call, const Schema& input, const std::string& name,
                                         KeyedStateBackend& backend) {
  std::unique_ptr<AggregateState> state;
  visit_fixed_width(argument_type(call, input).physical(), [&]<class T>(std::type_identity<T>) {
    state = make_cell_aggregate(Sum<T>(call.arguments[0], call.function == AggregateKind::kSum0), backend, name,
                                fmt::format("ROW<`sum` {}, `count` BIGINT>", call.type.as_nullable().to_string()));
  });
  if (!state) throw internal_error(9000, "aggregate '{}' cannot add {}", name, argument_type(call, input).to_string());
  return state;
}

std::unique_ptr<AggregateState> make_avg(const AggregateCall& call, const Schema& input, const std::string& name,
                                         KeyedStateBackend& backend) {
  const int argument = call.arguments[0];
  const auto make = [&]<class In, class T, class Out>(std::string_view sum_type, int scale_up) {
    return make_cell_aggregate(Avg<In, T, Out>(argument, scale_up), backend, name,
                               fmt::format("ROW<`sum` {}, `count` BIGINT>", sum_type));
  };
  const LogicalType& type = argument_type(call, input);
  switch (type.physical()) {
    case PhysicalType::kInt8:
      return make.operator()<int8_t, int64_t, int8_t>("BIGINT", 0);
    case PhysicalType::kInt16:
      return make.operator()<int16_t, int64_t, int16_t>("BIGINT", 0);
    case PhysicalType::kInt32:
      return make.operator()<int32_t, int64_t, int32_t>("BIGINT", 0);
    case PhysicalType::kInt64:
      return make.operator()<int64_t, int64_t, int64_t>("BIGINT", 0);
    case PhysicalType::kFloat:
      return make.operator()<float, double, float>("DOUBLE", 0);
    case PhysicalType::kDouble:
      return make.operator()<double, double, double>("DOUBLE", 0);
    case PhysicalType::kInt128:
      return make.operator()<int128, int128, int128>(fmt::format("DECIMAL(38, {})", type.scale()),
                                                     call.type.scale() - type.scale());
    default:
      throw internal_error(9000, "aggregate '{}' cannot average {}", name, type.to_string());
  }
}

}  // namespace yeoul
