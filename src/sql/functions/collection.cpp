#include "yeoul/sql/functions/collection.h"

#include <algorithm>
#include <numeric>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/sql/functions/result_types.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

ColumnPtr borrowed(const Column* column) {
  return ColumnPtr(column, [](const Column*) {});
}

/// The argument's column with one cell for each of n rows.
ColumnPtr spread(const Argument& argument, size_t n) {
  if (!argument.constant) return slice(*argument.column, 0, n);
  const std::vector<uint32_t> zeros(n, 0);
  return take(*argument.column, zeros);
}

/// Common type of every other argument from `first` on; casts them.
LogicalType unify(Arguments& arguments, size_t first, size_t step) {
  LogicalType type = arguments[first]->type;
  for (size_t i = first; i < arguments.size(); i += step) {
    LogicalType next;
    if (!find_common_type(type, arguments[i]->type, next)) {
      throw user_error(1103, "Parameters must be of the same type: {} and {}", calcite_type_name(type),
                       calcite_type_name(arguments[i]->type));
    }
    type = next;
  }
  if (type.is(TypeRoot::kNull)) throw user_error(1103, "Parameters must be of the same type; cast NULL to a type");
  for (size_t i = first; i < arguments.size(); i += step) {
    arguments[i] = make_cast(arguments[i], type.as_nullable(arguments[i]->type.nullable()));
  }
  return type;
}

ColumnPtr make_array(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Elements elements(arguments);
  auto out = std::make_shared<Column>(call.type, n);
  out->offsets_buffer().resize((n + 1) * sizeof(int32_t));
  int32_t* offsets = out->offsets_buffer().as<int32_t>();
  std::vector<uint32_t> cells;
  cells.reserve(n * arguments.size());
  offsets[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    for (size_t a = 0; a < arguments.size(); ++a) cells.push_back(elements.cell(a, i));
    offsets[i + 1] = static_cast<int32_t>(cells.size());
  }
  out->mutable_children().push_back(take(*elements.all, cells));
  return out;
}

ExpressionPtr resolve_array(const Function& function, Arguments arguments) {
  if (arguments.empty()) throw user_error(1103, "Require at least 1 argument in ARRAY[]");
  const LogicalType element = unify(arguments, 0, 1);
  return make_kernel_call(function.name, LogicalType::array(element).not_null(), make_array, std::move(arguments));
}

/// Keys and values by turns; of equal keys the last counts, in the place of the first.
ColumnPtr make_map(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::vector<Argument> key_arguments;
  std::vector<Argument> value_arguments;
  for (size_t a = 0; a < arguments.size(); a += 2) {
    key_arguments.push_back(arguments[a]);
    value_arguments.push_back(arguments[a + 1]);
  }
  const Elements keys(key_arguments);
  const Elements values(value_arguments);
  auto out = std::make_shared<Column>(call.type, n);
  out->offsets_buffer().resize((n + 1) * sizeof(int32_t));
  int32_t* offsets = out->offsets_buffer().as<int32_t>();
  std::vector<uint32_t> key_cells;
  std::vector<uint32_t> value_cells;
  offsets[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    const size_t start = key_cells.size();
    for (size_t a = 0; a < key_arguments.size(); ++a) {
      const uint32_t key = keys.cell(a, i);
      size_t at = start;
      while (at < key_cells.size() && !equal_cells(*keys.all, key_cells[at], *keys.all, key)) ++at;
      if (at == key_cells.size()) {
        key_cells.push_back(key);
        value_cells.push_back(values.cell(a, i));
      } else {
        value_cells[at] = values.cell(a, i);
      }
    }
    offsets[i + 1] = static_cast<int32_t>(key_cells.size());
  }
  out->mutable_children().push_back(take(*keys.all, key_cells));
  out->mutable_children().push_back(take(*values.all, value_cells));
  return out;
}

ExpressionPtr resolve_map(const Function& function, Arguments arguments) {
  if (arguments.size() < 2) throw user_error(1103, "Map requires at least 2 arguments");
  if (arguments.size() % 2 != 0) throw user_error(1103, "Map requires an even number of arguments");
  const LogicalType key = unify(arguments, 0, 2);
  const LogicalType value = unify(arguments, 1, 2);
  return make_kernel_call(function.name, LogicalType::map(key, value).not_null(), make_map, std::move(arguments));
}

ColumnPtr make_row(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  for (const Argument& argument : arguments) out->mutable_children().push_back(spread(argument, n));
  return out;
}

ExpressionPtr resolve_row(const Function& function, Arguments arguments) {
  refuse_null_literals(function.name, arguments);
  std::vector<RowField> fields;
  for (const ExpressionPtr& e : arguments) fields.push_back({fmt::format("EXPR${}", fields.size()), e->type});
  return make_kernel_call(function.name, LogicalType::row(std::move(fields)).not_null(), make_row,
                          std::move(arguments));
}

ColumnPtr field_access(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& row = *arguments[0].column;
  const ColumnPtr& field = row.children()[static_cast<size_t>(call.index)];
  if (!row.may_have_nulls()) return slice(*field, 0, n);
  const ColumnPtr cells = slice(*field, 0, n);
  auto& out = const_cast<Column&>(*cells);  // just made
  for (size_t i = 0; i < n; ++i) {
    if (row.is_null(i)) out.set_null(i);
  }
  return cells;
}

/// Puts a column together from cells of a child; kNullCell is NULL.
constexpr uint32_t kNullCell = ~0u;
ColumnPtr gather_or_null(const Column& child, std::vector<uint32_t> cells, const LogicalType& type) {
  std::vector<uint32_t> nulls;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i] != kNullCell) continue;
    nulls.push_back(static_cast<uint32_t>(i));
    cells[i] = 0;
  }
  if (child.size() == 0) return repeat(type.as_nullable(), Value(), cells.size());
  const ColumnPtr taken = take(child, cells);
  auto& out = const_cast<Column&>(*taken);  // just made
  for (const uint32_t row : nulls) out.set_null(row);
  return taken;
}

ColumnPtr array_element(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& array = *arguments[0].column;
  const IntegerReader index(arguments[1]);
  std::vector<uint32_t> cells(n, kNullCell);
  for (size_t i = 0; i < n; ++i) {
    const size_t row = arguments[0].row(i);
    if (array.is_null(row) || arguments[1].column->is_null(arguments[1].row(i))) continue;
    const int64_t at = index[i];
    if (at < 1 || at > array.offsets()[row + 1] - array.offsets()[row]) continue;
    cells[i] = static_cast<uint32_t>(array.offsets()[row] + at - 1);
  }
  return gather_or_null(array.child(0), std::move(cells), call.type);
}

ColumnPtr map_value(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& map = *arguments[0].column;
  std::vector<uint32_t> cells(n, kNullCell);
  for (size_t i = 0; i < n; ++i) {
    const size_t row = arguments[0].row(i);
    if (map.is_null(row)) continue;
    for (int32_t at = map.offsets()[row]; at < map.offsets()[row + 1]; ++at) {
      const auto cell = static_cast<uint32_t>(at);
      if (equal_cells(map.child(0), cell, *arguments[1].column, arguments[1].row(i))) cells[i] = cell;
    }
  }
  return gather_or_null(map.child(1), std::move(cells), call.type);
}

ExpressionPtr resolve_element(const Function& function, Arguments arguments) {
  if (arguments.size() != 2) fail_arguments(function.name, arguments);
  refuse_null_literals(function.name, arguments);
  const LogicalType collection = arguments[0]->type;
  if (collection.is(TypeRoot::kArray) && arguments[1]->type.is_integer()) {
    return make_kernel_call(function.name, collection.child(0).as_nullable(), array_element, std::move(arguments));
  }
  if (collection.is(TypeRoot::kMap)) {
    LogicalType common;
    if (find_common_type(collection.child(0), arguments[1]->type, common)) {
      if (collection.child(0).physical() != PhysicalType::kBytes) {
        arguments[1] = make_cast(arguments[1], collection.child(0).as_nullable(arguments[1]->type.nullable()));
      }
      return make_kernel_call(function.name, collection.child(1).as_nullable(), map_value, std::move(arguments));
    }
  }
  if (collection.is(TypeRoot::kRow) && is_integer_literal(*arguments[1])) {
    const int64_t index = arguments[1]->value.integer();
    if (index >= 1 && index <= static_cast<int64_t>(collection.fields().size())) {
      return make_field_access(arguments[0], static_cast<int>(index - 1));
    }
  }
  fail_arguments(function.name, arguments, "'<ARRAY>[<INTEGER>]', '<MAP>[<KEY>]'");
}

ColumnPtr cardinality(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const int32_t* offsets = arguments[0].column->offsets();
  return write_cells<int32_t>(call, arguments, n, [&](size_t i) -> int32_t {
    const size_t row = arguments[0].row(i);
    return offsets[row + 1] - offsets[row];
  });
}

ExpressionPtr resolve_cardinality(const Function& function, Arguments arguments) {
  if (arguments.size() != 1 ||
      (arguments[0]->type.physical() != PhysicalType::kList && arguments[0]->type.physical() != PhysicalType::kMap)) {
    fail_arguments(function.name, arguments, "'CARDINALITY(<MULTISET>)', 'CARDINALITY(<ARRAY>)', 'CARDINALITY(<MAP>)'");
  }
  const LogicalType type = LogicalType::integer().as_nullable(arguments[0]->type.nullable());
  return make_kernel_call(function.name, type, cardinality, std::move(arguments));
}

ColumnPtr single_element(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                         size_t n) {
  const Column& array = *arguments[0].column;
  std::vector<uint32_t> cells(n, kNullCell);
  for (size_t i = 0; i < n; ++i) {
    const size_t row = arguments[0].row(i);
    if (array.is_null(row)) continue;
    const int32_t size = array.offsets()[row + 1] - array.offsets()[row];
    if (size > 1) context.row_error(static_cast<uint32_t>(i), "Array has more than one element.");
    if (size == 1) cells[i] = static_cast<uint32_t>(array.offsets()[row]);
  }
  return gather_or_null(array.child(0), std::move(cells), call.type);
}

LogicalType type_of_element(std::span<const ExpressionPtr> arguments) {
  return arguments[0]->type.child(0);
}

template <bool kMax>
ColumnPtr extreme_element(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& array = *arguments[0].column;
  const Column& child = array.child(0);
  std::vector<uint32_t> cells(n, kNullCell);
  for (size_t i = 0; i < n; ++i) {
    const size_t row = arguments[0].row(i);
    if (array.is_null(row)) continue;
    for (int32_t at = array.offsets()[row]; at < array.offsets()[row + 1]; ++at) {
      const auto cell = static_cast<uint32_t>(at);
      if (child.is_null(cell)) continue;
      if (cells[i] != kNullCell) {
        const std::strong_ordering order = compare_cells(child, cell, child, cells[i]);
        if (kMax ? order <= 0 : order >= 0) continue;
      }
      cells[i] = cell;
    }
  }
  return gather_or_null(child, std::move(cells), call.type);
}

ColumnPtr array_join(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& array = *arguments[0].column;
  const Column& child = array.child(0);
  const StringReader delimiter(arguments[1]);
  std::optional<StringReader> for_null;
  if (arguments.size() > 2) for_null.emplace(arguments[2]);
  return write_strings(call, arguments, n, [&](size_t i, Buffer& out) {
    const size_t row = arguments[0].row(i);
    bool first = true;
    for (int32_t at = array.offsets()[row]; at < array.offsets()[row + 1]; ++at) {
      const auto cell = static_cast<size_t>(at);
      if (child.is_null(cell) && !for_null) continue;
      if (!first) append_bytes(out, delimiter[i]);
      append_bytes(out, child.is_null(cell) ? (*for_null)[i] : child.string_at(cell));
      first = false;
    }
    return true;
  });
}

ExpressionPtr resolve_array_join(const Function& function, Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > 3 || !arguments[0]->type.is(TypeRoot::kArray) ||
      !arguments[0]->type.child(0).is_string()) {
    fail_arguments(function.name, arguments, "'ARRAY_JOIN(<ARRAY<STRING>>, <STRING>[, <STRING>])'");
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i]->type.is(TypeRoot::kNull)) arguments[i] = make_literal(LogicalType::string(), Value());
    if (!arguments[i]->type.is_string()) fail_arguments(function.name, arguments);
  }
  const LogicalType type = LogicalType::string().as_nullable(any_nullable(arguments));
  return make_kernel_call(function.name, type, array_join, std::move(arguments));
}

/// The keys (0) or values (1) of a map as an array.
template <size_t kChild>
ColumnPtr map_part(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& map = *arguments[0].column;
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  out->offsets_buffer().append(map.offsets(), (n + 1) * sizeof(int32_t));
  out->mutable_children().push_back(map.children()[kChild]);
  return out;
}

template <size_t kChild>
LogicalType type_of_map_part(std::span<const ExpressionPtr> arguments) {
  return LogicalType::array(arguments[0]->type.child(kChild));
}

LogicalType type_of_entries(std::span<const ExpressionPtr> arguments) {
  const LogicalType& map = arguments[0]->type;
  return LogicalType::array(LogicalType::row({{"key", map.child(0)}, {"value", map.child(1)}}));
}

ColumnPtr map_entries(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& map = *arguments[0].column;
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  out->offsets_buffer().append(map.offsets(), (n + 1) * sizeof(int32_t));
  auto entries = std::make_shared<Column>(call.type.child(0), map.child(0).size());
  entries->mutable_children() = map.children();
  out->mutable_children().push_back(std::move(entries));
  return out;
}

ColumnPtr map_from_arrays(KernelContext& context, const Expression& call, std::span<const Argument> arguments,
                          size_t n) {
  const Column& keys = *arguments[0].column;
  const Column& values = *arguments[1].column;
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  out->offsets_buffer().resize((n + 1) * sizeof(int32_t));
  std::vector<uint32_t> key_cells;
  std::vector<uint32_t> value_cells;
  int32_t* offsets = out->offsets_buffer().as<int32_t>();
  offsets[0] = 0;
  for (size_t i = 0; i < n; ++i) {
    const size_t a = arguments[0].row(i);
    const size_t b = arguments[1].row(i);
    if (out->is_valid(i)) {
      const int32_t count = keys.offsets()[a + 1] - keys.offsets()[a];
      if (count != values.offsets()[b + 1] - values.offsets()[b]) {
        context.row_error(static_cast<uint32_t>(i),
                          "Invalid function MAP_FROM_ARRAYS call: the arrays differ in length");
      } else {
        for (int32_t k = 0; k < count; ++k) {
          key_cells.push_back(static_cast<uint32_t>(keys.offsets()[a] + k));
          value_cells.push_back(static_cast<uint32_t>(values.offsets()[b] + k));
        }
      }
    }
    offsets[i + 1] = static_cast<int32_t>(key_cells.size());
  }
  out->mutable_children().push_back(take(keys.child(0), key_cells));
  out->mutable_children().push_back(take(values.child(0), value_cells));
  return out;
}

LogicalType type_of_zipped(std::span<const ExpressionPtr> arguments) {
  return LogicalType::map(arguments[0]->type.child(0), arguments[1]->type.child(0));
}

constexpr Function kCollectionFunctions[] = {
    {.name = "ARRAY", .resolver = resolve_array},
    {.name = "MAP", .resolver = resolve_map},
    {.name = "ROW", .resolver = resolve_row},
    {.name = "[]", .resolver = resolve_element},
    {.name = "CARDINALITY", .resolver = resolve_cardinality},
    {"ELEMENT", "A", type_of_element, single_element, NullRule::kNullable, true},
    {"ARRAY_MAX", "A", type_of_element, extreme_element<true>, NullRule::kNullable},
    {"ARRAY_MIN", "A", type_of_element, extreme_element<false>, NullRule::kNullable},
    {.name = "ARRAY_JOIN", .resolver = resolve_array_join},
    {"MAP_KEYS", "M", type_of_map_part<0>, map_part<0>},
    {"MAP_VALUES", "M", type_of_map_part<1>, map_part<1>},
    {"MAP_ENTRIES", "M", type_of_entries, map_entries},
    {"MAP_FROM_ARRAYS", "AA", type_of_zipped, map_from_arrays, NullRule::kAnyArgument, true},
};

}  // namespace

Elements::Elements(std::span<const Argument> arguments) : arguments_(arguments) {
  std::vector<ColumnPtr> columns;
  uint32_t base = 0;
  for (const Argument& argument : arguments) {
    columns.push_back(borrowed(argument.column));
    bases_.push_back(base);
    base += static_cast<uint32_t>(argument.column->size());
  }
  all = concat(columns);
}

ExpressionPtr make_field_access(ExpressionPtr row, int index) {
  YEOUL_CHECK(row->type.is(TypeRoot::kRow), "{} is no row", row->type.to_string());
  const RowField& field = row->type.fields()[static_cast<size_t>(index)];
  const LogicalType type = field.type.as_nullable(field.type.nullable() || row->type.nullable());
  auto access = std::make_shared<Expression>(*make_kernel_call("." + field.name, type, field_access, {std::move(row)}));
  access->index = index;
  return access;
}

std::span<const Function> collection_functions() {
  return kCollectionFunctions;
}

}  // namespace yeoul
