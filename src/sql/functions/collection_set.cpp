#include <algorithm>

#include "yeoul/sql/functions/collection.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

using Cells = std::vector<uint32_t>;

/// Arrays and single elements of one element type as one column; each argument's cells by row.
class ArrayArguments {
 public:
  explicit ArrayArguments(std::span<const Argument> arguments) : arguments_(arguments) {
    std::vector<ColumnPtr> columns;
    uint32_t base = 0;
    for (const Argument& argument : arguments) {
      const bool array = argument.column->type().is(TypeRoot::kArray);
      const Column* column = array ? &argument.column->child(0) : argument.column;
      columns.emplace_back(column, [](const Column*) {});
      bases_.push_back(base);
      base += static_cast<uint32_t>(column->size());
    }
    all = concat(columns);
  }

  /// The cells of an array argument in a row; NULL arrays have none.
  Cells cells(size_t argument, size_t i) const {
    const Argument& a = arguments_[argument];
    const size_t row = a.row(i);
    Cells out;
    if (a.column->is_null(row)) return out;
    for (int32_t at = a.column->offsets()[row]; at < a.column->offsets()[row + 1]; ++at) {
      out.push_back(bases_[argument] + static_cast<uint32_t>(at));
    }
    return out;
  }
  /// The cell of an argument that is an element itself.
  uint32_t element(size_t argument, size_t i) const {
    return bases_[argument] + static_cast<uint32_t>(arguments_[argument].row(i));
  }
  bool equal(uint32_t a, uint32_t b) const { return equal_cells(*all, a, *all, b); }
  bool contains(const Cells& cells, uint32_t wanted) const {
    return std::any_of(cells.begin(), cells.end(), [&](uint32_t cell) { return equal(cell, wanted); });
  }

  ColumnPtr all;

 private:
  std::span<const Argument> arguments_;
  std::vector<uint32_t> bases_;
};

/// f(i, out) appends the cells of row i's array.
template <class F>
ColumnPtr write_arrays(const Expression& call, std::span<const Argument> null_arguments, size_t n, const Column& all,
                       F f) {
  std::shared_ptr<Column> out = result_column(call, null_arguments, n);
  out->offsets_buffer().resize((n + 1) * sizeof(int32_t));
  Cells cells;
  out->offsets_buffer().as<int32_t>()[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    if (out->is_valid(i)) f(i, cells);
    out->offsets_buffer().as<int32_t>()[i + 1] = static_cast<int32_t>(cells.size());
  }
  out->mutable_children().push_back(take(all, cells));
  return out;
}

enum class Operation : uint8_t { kDistinct, kConcat, kUnion, kExcept, kIntersect, kReverse };

template <Operation kOperation>
ColumnPtr combine(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const ArrayArguments in(arguments);
  return write_arrays(call, arguments, n, *in.all, [&](size_t i, Cells& out) {
    Cells mine;
    const auto add_new = [&](uint32_t cell) {
      if (!in.contains(mine, cell)) mine.push_back(cell);
    };
    const Cells first = in.cells(0, i);
    switch (kOperation) {
      case Operation::kReverse:
        mine.assign(first.rbegin(), first.rend());
        break;
      case Operation::kConcat:
        for (size_t a = 0; a < arguments.size(); ++a) {
          const Cells part = in.cells(a, i);
          mine.insert(mine.end(), part.begin(), part.end());
        }
        break;
      case Operation::kDistinct:
      case Operation::kUnion:
        for (size_t a = 0; a < arguments.size(); ++a) {
          for (const uint32_t cell : in.cells(a, i)) add_new(cell);
        }
        break;
      case Operation::kExcept:
      case Operation::kIntersect: {
        const Cells second = in.cells(1, i);
        for (const uint32_t cell : first) {
          if (in.contains(second, cell) == (kOperation == Operation::kIntersect)) add_new(cell);
        }
        break;
      }
    }
    out.insert(out.end(), mine.begin(), mine.end());
  });
}

/// All arguments arrays; the result's element type is common to them, or the first one's.
template <Operation kOperation>
ExpressionPtr resolve_combination(const Function& function, Arguments arguments) {
  const size_t wanted = kOperation == Operation::kDistinct || kOperation == Operation::kReverse ? 1 : 2;
  if (arguments.empty() || (kOperation != Operation::kConcat && arguments.size() != wanted)) {
    fail_arguments(function.name, arguments);
  }
  LogicalType type = arguments[0]->type;
  for (const ExpressionPtr& e : arguments) {
    LogicalType next;
    if (!e->type.is(TypeRoot::kArray) || !find_common_type(type, e->type, next)) {
      fail_arguments(function.name, arguments, "'<ARRAY>'");
    }
    type = next;
  }
  for (ExpressionPtr& e : arguments) e = make_cast(e, type.as_nullable(e->type.nullable()));
  if (kOperation == Operation::kExcept || kOperation == Operation::kIntersect) {
    const bool element_nullable = arguments[0]->type.child(0).nullable();
    type = LogicalType::array(type.child(0).as_nullable(element_nullable));
  }
  const bool nullable = any_nullable(arguments);
  return make_kernel_call(function.name, type.as_nullable(nullable), combine<kOperation>, std::move(arguments));
}

/// The second argument must fit the first one's elements as they are.
bool fit_element(Arguments& arguments) {
  if (arguments.size() != 2 || !arguments[0]->type.is(TypeRoot::kArray)) return false;
  const LogicalType element = arguments[0]->type.child(0);
  LogicalType common;
  if (!find_common_type(element, arguments[1]->type, common) || !common.same_type(element)) return false;
  arguments[1] = make_cast(arguments[1], element.as_nullable(arguments[1]->type.nullable()));
  return true;
}

[[noreturn]] void fail_element(const Function& function, const Arguments& arguments) {
  throw user_error(
      1103, "Invalid input arguments. Expected signatures are: {}(haystack <ARRAY>, needle <ARRAY ELEMENT>){}",
      function.name,
      arguments.size() == 2
          ? fmt::format(", not {} and {}", calcite_type_name(arguments[0]->type), calcite_type_name(arguments[1]->type))
          : "");
}

ColumnPtr array_contains(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const ArrayArguments in(arguments);
  return write_cells<uint8_t>(call, arguments.first(1), n,
                              [&](size_t i) -> uint8_t { return in.contains(in.cells(0, i), in.element(1, i)); });
}

ColumnPtr array_position(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const ArrayArguments in(arguments);
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    const Cells cells = in.cells(0, i);
    for (size_t k = 0; k < cells.size(); ++k) {
      if (in.equal(cells[k], in.element(1, i))) return static_cast<int32_t>(k + 1);
    }
    return 0;
  });
}

enum class Edit : uint8_t { kAppend, kPrepend, kRemove };

template <Edit kEdit>
ColumnPtr edit_array(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const ArrayArguments in(arguments);
  return write_arrays(call, arguments.first(1), n, *in.all, [&](size_t i, Cells& out) {
    const uint32_t element = in.element(1, i);
    if (kEdit == Edit::kPrepend) out.push_back(element);
    for (const uint32_t cell : in.cells(0, i)) {
      if (kEdit != Edit::kRemove || !in.equal(cell, element)) out.push_back(cell);
    }
    if (kEdit == Edit::kAppend) out.push_back(element);
  });
}

template <Edit kEdit>
ExpressionPtr resolve_edit(const Function& function, Arguments arguments) {
  if (!fit_element(arguments)) fail_element(function, arguments);
  LogicalType type = arguments[0]->type;
  if (kEdit != Edit::kRemove && arguments[1]->type.nullable()) {
    type = LogicalType::array(type.child(0).as_nullable()).as_nullable(type.nullable());
  }
  return make_kernel_call(function.name, type, edit_array<kEdit>, std::move(arguments));
}

ExpressionPtr resolve_contains(const Function& function, Arguments arguments) {
  if (!fit_element(arguments)) fail_element(function, arguments);
  const LogicalType type = LogicalType::boolean().as_nullable(arguments[0]->type.nullable());
  return make_kernel_call(function.name, type, array_contains, std::move(arguments));
}

ExpressionPtr resolve_position(const Function& function, Arguments arguments) {
  if (!fit_element(arguments)) fail_element(function, arguments);
  const LogicalType type = LogicalType::integer().as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, array_position, std::move(arguments));
}

/// array, start[, end]: from 1, negative from the end.
ColumnPtr array_slice(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const ArrayArguments in(arguments.first(1));
  const CellReader<int32_t> start(arguments[1]);
  std::optional<CellReader<int32_t>> end;
  if (arguments.size() > 2) end.emplace(arguments[2]);
  return write_arrays(call, arguments, n, *in.all, [&](size_t i, Cells& out) {
    const Cells cells = in.cells(0, i);
    const auto size = static_cast<int64_t>(cells.size());
    const auto place = [&](int64_t at) { return at < 0 ? at + size + 1 : at; };
    const int64_t first = std::max<int64_t>(1, place(start[i]));
    const int64_t last = std::min(size, end ? place((*end)[i]) : size);
    for (int64_t at = first; at <= last; ++at) out.push_back(cells[static_cast<size_t>(at - 1)]);
  });
}

/// array[, ascending[, nulls first]]
ColumnPtr array_sort(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const ArrayArguments in(arguments.first(1));
  const auto flag = [&](size_t argument, size_t i, bool otherwise) {
    if (arguments.size() <= argument) return otherwise;
    return arguments[argument].column->values<uint8_t>()[arguments[argument].row(i)] != 0;
  };
  return write_arrays(call, arguments, n, *in.all, [&](size_t i, Cells& out) {
    Cells cells = in.cells(0, i);
    const bool ascending = flag(1, i, true);
    const bool nulls_first = flag(2, i, ascending);
    std::stable_sort(cells.begin(), cells.end(), [&](uint32_t a, uint32_t b) {
      const bool null_a = in.all->is_null(a);
      const bool null_b = in.all->is_null(b);
      if (null_a || null_b) return null_a != null_b && null_a == nulls_first;
      const std::strong_ordering order = compare_cells(*in.all, a, *in.all, b);
      return ascending ? order < 0 : order > 0;
    });
    out.insert(out.end(), cells.begin(), cells.end());
  });
}

/// Later maps win; the entries keep the places of their first keys.
ColumnPtr map_union(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::vector<ColumnPtr> keys;
  std::vector<ColumnPtr> values;
  std::vector<uint32_t> bases;
  uint32_t base = 0;
  for (const Argument& argument : arguments) {
    keys.push_back(argument.column->children()[0]);
    values.push_back(argument.column->children()[1]);
    bases.push_back(base);
    base += static_cast<uint32_t>(keys.back()->size());
  }
  const ColumnPtr all_keys = concat(keys);
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  out->offsets_buffer().resize((n + 1) * sizeof(int32_t));
  Cells key_cells;
  Cells value_cells;
  out->offsets_buffer().as<int32_t>()[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    const size_t start = key_cells.size();
    for (size_t a = 0; a < arguments.size() && out->is_valid(i); ++a) {
      const Column& map = *arguments[a].column;
      const size_t row = arguments[a].row(i);
      for (int32_t at = map.offsets()[row]; at < map.offsets()[row + 1]; ++at) {
        const uint32_t cell = bases[a] + static_cast<uint32_t>(at);
        size_t place = start;
        while (place < key_cells.size() && !equal_cells(*all_keys, key_cells[place], *all_keys, cell)) ++place;
        if (place == key_cells.size()) {
          key_cells.push_back(cell);
          value_cells.push_back(cell);
        } else {
          value_cells[place] = cell;
        }
      }
    }
    out->offsets_buffer().as<int32_t>()[i + 1] = static_cast<int32_t>(key_cells.size());
  }
  out->mutable_children().push_back(take(*all_keys, key_cells));
  out->mutable_children().push_back(take(*concat(values), value_cells));
  return out;
}

ExpressionPtr resolve_map_union(const Function& function, Arguments arguments) {
  if (arguments.empty()) fail_arguments(function.name, arguments);
  LogicalType type = arguments[0]->type;
  for (const ExpressionPtr& e : arguments) {
    LogicalType next;
    if (!e->type.is(TypeRoot::kMap) || !find_common_type(type, e->type, next)) {
      fail_arguments(function.name, arguments, "'<MAP>, <MAP>'");
    }
    type = next;
  }
  for (ExpressionPtr& e : arguments) e = make_cast(e, type.as_nullable(e->type.nullable()));
  return make_kernel_call(function.name, type, map_union, std::move(arguments));
}

constexpr Function kCollectionSetFunctions[] = {
    {.name = "ARRAY_DISTINCT", .resolver = resolve_combination<Operation::kDistinct>},
    {.name = "ARRAY_REVERSE", .resolver = resolve_combination<Operation::kReverse>},
    {.name = "ARRAY_CONCAT", .resolver = resolve_combination<Operation::kConcat>},
    {.name = "ARRAY_UNION", .resolver = resolve_combination<Operation::kUnion>},
    {.name = "ARRAY_EXCEPT", .resolver = resolve_combination<Operation::kExcept>},
    {.name = "ARRAY_INTERSECT", .resolver = resolve_combination<Operation::kIntersect>},
    {.name = "ARRAY_APPEND", .resolver = resolve_edit<Edit::kAppend>},
    {.name = "ARRAY_PREPEND", .resolver = resolve_edit<Edit::kPrepend>},
    {.name = "ARRAY_REMOVE", .resolver = resolve_edit<Edit::kRemove>},
    {.name = "ARRAY_CONTAINS", .resolver = resolve_contains},
    {.name = "ARRAY_POSITION", .resolver = resolve_position},
    {"ARRAY_SLICE", "Ai?i", type_of_argument<0>, array_slice},
    {"ARRAY_SORT", "A?bb", type_of_argument<0>, array_sort},
    {.name = "MAP_UNION", .resolver = resolve_map_union},
};

}  // namespace

std::span<const Function> collection_set_functions() {
  return kCollectionSetFunctions;
}

}  // namespace yeoul
