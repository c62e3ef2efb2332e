#include "yeoul/sql/functions/comparison.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

template <Comparison kComparison, class T>
inline bool holds(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    // NaN equals NaN, and nothing is less or greater than it.
    const bool equal = a == b || (a != a && b != b);
    if constexpr (kComparison == Comparison::kEqual) return equal;
    if constexpr (kComparison == Comparison::kNotEqual) return !equal;
  } else {
    if constexpr (kComparison == Comparison::kEqual) return a == b;
    if constexpr (kComparison == Comparison::kNotEqual) return a != b;
  }
  if constexpr (kComparison == Comparison::kLess) return a < b;
  if constexpr (kComparison == Comparison::kLessOrEqual) return a <= b;
  if constexpr (kComparison == Comparison::kGreater) return a > b;
  if constexpr (kComparison == Comparison::kGreaterOrEqual) return a >= b;
}

template <Comparison kComparison, class T>
ColumnPtr compare_fixed(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  uint8_t* cells = out->allocate_values<uint8_t>();
  const T* a = arguments[0].column->values<T>();
  const T* b = arguments[1].column->values<T>();
  if (arguments[0].constant) {
    const T left = a[0];
    const size_t step = arguments[1].constant ? 0 : 1;
    for (size_t i = 0; i < n; ++i) cells[i] = holds<kComparison, T>(left, b[i * step]);
  } else if (arguments[1].constant) {
    const T right = b[0];
    for (size_t i = 0; i < n; ++i) cells[i] = holds<kComparison, T>(a[i], right);
  } else {
    for (size_t i = 0; i < n; ++i) cells[i] = holds<kComparison, T>(a[i], b[i]);
  }
  return out;
}

inline bool equal_bytes(std::string_view a, std::string_view b) {
  return a == b;
}

constexpr size_t kShortText = 16;

/// Compares with a constant of at most kShortText bytes, 16 bytes at once: a buffer's padding may be read.
template <bool kWanted>
void equal_short(const StringReader& a, std::string_view right, size_t n, uint8_t* cells) {
  static_assert(Buffer::kPadding >= kShortText);
  uint64_t wanted[2] = {0, 0};
  uint64_t mask[2] = {0, 0};
  if (!right.empty()) std::memcpy(wanted, right.data(), right.size());
  std::memset(mask, 0xff, right.size());
  const auto size = static_cast<int32_t>(right.size());
  const int32_t* offsets = a.offsets;
  for (size_t i = 0; i < n; ++i) {
    uint64_t have[2];
    std::memcpy(have, a.bytes + offsets[i], sizeof have);
    const uint64_t differing = ((have[0] ^ wanted[0]) & mask[0]) | ((have[1] ^ wanted[1]) & mask[1]);
    const bool equal = (differing == 0) & (offsets[i + 1] - offsets[i] == size);
    cells[i] = equal == kWanted;
  }
}

template <Comparison kComparison>
ColumnPtr compare_bytes(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::shared_ptr<Column> out = result_column(call, arguments, n);
  uint8_t* cells = out->allocate_values<uint8_t>();
  const StringReader a(arguments[0]);
  const StringReader b(arguments[1]);
  if constexpr (kComparison == Comparison::kEqual || kComparison == Comparison::kNotEqual) {
    constexpr bool kWanted = kComparison == Comparison::kEqual;
    if (arguments[1].constant && !arguments[0].constant) {
      const std::string_view right = b[0];
      if (right.size() <= kShortText && a.bytes != nullptr) {
        equal_short<kWanted>(a, right, n, cells);
        return out;
      }
      for (size_t i = 0; i < n; ++i) cells[i] = equal_bytes(a[i], right) == kWanted;
      return out;
    }
    for (size_t i = 0; i < n; ++i) cells[i] = equal_bytes(a[i], b[i]) == kWanted;
  } else {
    for (size_t i = 0; i < n; ++i) cells[i] = holds<kComparison, std::string_view>(a[i], b[i]);
  }
  return out;
}

template <Comparison kComparison>
ColumnPtr compare_nanos(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const TimestampReader a(arguments[0]);
  const TimestampReader b(arguments[1]);
  return write_cells<uint8_t>(call, arguments, n,
                              [&](size_t i) -> uint8_t { return holds<kComparison, TimestampValue>(a[i], b[i]); });
}

/// ARRAY, MAP, ROW: by elements.
template <Comparison kComparison>
ColumnPtr compare_nested(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const auto [a, b] = std::pair(arguments[0], arguments[1]);
  return write_cells<uint8_t>(call, arguments, n, [&](size_t i) -> uint8_t {
    const size_t x = a.row(i);
    const size_t y = b.row(i);
    if constexpr (kComparison == Comparison::kEqual) return equal_cells(*a.column, x, *b.column, y);
    if constexpr (kComparison == Comparison::kNotEqual) return !equal_cells(*a.column, x, *b.column, y);
    const std::strong_ordering order = compare_cells(*a.column, x, *b.column, y);
    return holds<kComparison, int>(order < 0 ? -1 : order > 0 ? 1 : 0, 0);
  });
}

template <Comparison kComparison>
Kernel kernel_of(const LogicalType& type) {
  switch (type.physical()) {
    case PhysicalType::kBool:
      return compare_fixed<kComparison, uint8_t>;
    case PhysicalType::kInt8:
      return compare_fixed<kComparison, int8_t>;
    case PhysicalType::kInt16:
      return compare_fixed<kComparison, int16_t>;
    case PhysicalType::kInt32:
      return compare_fixed<kComparison, int32_t>;
    case PhysicalType::kInt64:
      return compare_fixed<kComparison, int64_t>;
    case PhysicalType::kFloat:
      return compare_fixed<kComparison, float>;
    case PhysicalType::kDouble:
      return compare_fixed<kComparison, double>;
    case PhysicalType::kInt128:
      return compare_fixed<kComparison, int128>;
    case PhysicalType::kBytes:
      return compare_bytes<kComparison>;
    case PhysicalType::kTimestampNanos:
      return compare_nanos<kComparison>;
    case PhysicalType::kList:
    case PhysicalType::kMap:
    case PhysicalType::kStruct:
      return compare_nested<kComparison>;
    case PhysicalType::kNone:
      return nullptr;
  }
  return nullptr;
}

Comparison comparison_named(std::string_view name) {
  if (name == "=") return Comparison::kEqual;
  if (name == "<>") return Comparison::kNotEqual;
  if (name == "<") return Comparison::kLess;
  if (name == "<=") return Comparison::kLessOrEqual;
  if (name == ">") return Comparison::kGreater;
  return Comparison::kGreaterOrEqual;
}

std::string root_name(const LogicalType& type) {
  const std::string text = calcite_type_name(type);
  return text.substr(0, text.find('('));
}

ExpressionPtr compare(std::string_view name, ExpressionPtr a, ExpressionPtr b, bool lenient) {
  const Comparison comparison = comparison_named(name);
  const bool nullable = a->type.nullable() || b->type.nullable();
  if (a->type.is(TypeRoot::kNull) || b->type.is(TypeRoot::kNull)) {
    return make_literal(LogicalType::boolean(), Value());
  }
  const bool equality = comparison == Comparison::kEqual || comparison == Comparison::kNotEqual;
  if (equality && !lenient) {
    const bool mixed = (a->type.is_numeric() && b->type.is_string()) || (a->type.is_string() && b->type.is_numeric());
    if (mixed) {
      throw user_error(1103, "implicit type conversion between {} and {} is not supported now; cast one side of {}",
                       root_name(a->type), root_name(b->type), name);
    }
  }
  const Arguments given{a, b};
  Kernel kernel = nullptr;
  if (align_for_comparison(a, b, true)) kernel = comparison_kernel(comparison, a->type);
  if (kernel == nullptr) fail_arguments(name, given, "'<COMPARABLE_TYPE> " + std::string(name) + " <COMPARABLE_TYPE>'");
  return make_kernel_call(name, LogicalType::boolean().as_nullable(nullable), kernel, {std::move(a), std::move(b)});
}

ExpressionPtr resolve_comparison(const Function& function, Arguments arguments) {
  if (arguments.size() != 2) fail_arguments(function.name, arguments);
  return compare(function.name, arguments[0], arguments[1], false);
}

template <bool kDistinct>
ColumnPtr distinct_from(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& a = *arguments[0].column;
  const Column& b = *arguments[1].column;
  Expression equality;
  equality.type = LogicalType::boolean();
  const Kernel kernel = comparison_kernel(Comparison::kEqual, a.type());
  const ColumnPtr equal = kernel(context, equality, arguments, n);
  const uint8_t* same = equal->values<uint8_t>();
  auto out = std::make_shared<Column>(call.type, n);
  uint8_t* cells = out->allocate_values<uint8_t>();
  for (size_t i = 0; i < n; ++i) {
    const bool x = a.is_valid(arguments[0].row(i));
    const bool y = b.is_valid(arguments[1].row(i));
    const bool not_distinct = x && y ? same[i] != 0 : x == y;
    cells[i] = not_distinct != kDistinct;
  }
  return out;
}

template <bool kDistinct>
ExpressionPtr resolve_distinct_from(const Function& function, Arguments arguments) {
  if (arguments.size() != 2) fail_arguments(function.name, arguments);
  const Arguments given = arguments;
  if (arguments[0]->type.is(TypeRoot::kNull)) std::swap(arguments[0], arguments[1]);
  if (arguments[1]->type.is(TypeRoot::kNull)) {
    return make_call(kDistinct ? "IS NOT NULL" : "IS NULL", {arguments[0]});
  }
  if (!align_for_comparison(arguments[0], arguments[1], false) ||
      comparison_kernel(Comparison::kEqual, arguments[0]->type) == nullptr) {
    fail_arguments(function.name, given);
  }
  return make_kernel_call(function.name, LogicalType::boolean().not_null(), distinct_from<kDistinct>,
                          std::move(arguments));
}

/// x IN (literals) over fixed-width cells; the literals are the arguments from the second on.
template <bool kNegated, class T>
ColumnPtr in_fixed(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::vector<T> items;
  bool has_null = false;
  for (const Argument& item : arguments.subspan(1)) {
    if (item.column->is_null(0)) {
      has_null = true;
    } else {
      items.push_back(item.column->values<T>()[0]);
    }
  }
  std::sort(items.begin(), items.end());
  const CellReader<T> x(arguments[0]);
  const bool few = items.size() <= 8;
  return write_cells<uint8_t>(call, arguments.first(1), n, [&](size_t i) -> std::optional<uint8_t> {
    const T value = x[i];
    const bool found = few ? std::find(items.begin(), items.end(), value) != items.end()
                           : std::binary_search(items.begin(), items.end(), value);
    if (!found && has_null) return std::nullopt;
    return static_cast<uint8_t>(found != kNegated);
  });
}

template <bool kNegated>
ColumnPtr in_bytes(KernelContext&, const Expression& call, std::span<const Argument> arguments, size_t n) {
  std::unordered_set<std::string_view> items;
  bool has_null = false;
  for (const Argument& item : arguments.subspan(1)) {
    if (item.column->is_null(0)) {
      has_null = true;
    } else {
      items.insert(item.column->string_at(0));
    }
  }
  const StringReader x(arguments[0]);
  return write_cells<uint8_t>(call, arguments.first(1), n, [&](size_t i) -> std::optional<uint8_t> {
    const bool found = items.contains(x[i]);
    if (!found && has_null) return std::nullopt;
    return static_cast<uint8_t>(found != kNegated);
  });
}

template <bool kNegated>
Kernel in_kernel(const LogicalType& type) {
  switch (type.physical()) {
    case PhysicalType::kInt8:
      return in_fixed<kNegated, int8_t>;
    case PhysicalType::kInt16:
      return in_fixed<kNegated, int16_t>;
    case PhysicalType::kInt32:
      return in_fixed<kNegated, int32_t>;
    case PhysicalType::kInt64:
      return in_fixed<kNegated, int64_t>;
    case PhysicalType::kInt128:
      return in_fixed<kNegated, int128>;
    case PhysicalType::kBytes:
      return in_bytes<kNegated>;
    default:
      return nullptr;
  }
}

template <bool kNegated>
ExpressionPtr resolve_in(const Function& function, Arguments arguments) {
  if (arguments.size() < 2) fail_arguments(function.name, arguments);
  const LogicalType x = arguments[0]->type;
  bool simple = !x.is(TypeRoot::kNull);
  Arguments items{arguments[0]};
  for (size_t i = 1; i < arguments.size() && simple; ++i) {
    simple = arguments[i]->kind == Expression::Kind::kLiteral;
    const bool null = arguments[i]->type.is(TypeRoot::kNull);
    simple &= null || arguments[i]->type.root() == x.root() || (arguments[i]->type.is_string() && x.is_string());
    simple &= null || !x.is(TypeRoot::kDecimal) || arguments[i]->type.scale() == x.scale();
    if (simple) items.push_back(null ? make_literal(x.as_nullable(), Value()) : arguments[i]);
  }
  const Kernel kernel = in_kernel<kNegated>(x);
  if (simple && kernel != nullptr && !x.is_timestamp()) {
    const LogicalType type = LogicalType::boolean().as_nullable(any_nullable(items));
    return make_kernel_call(function.name, type, kernel, std::move(items));
  }
  Arguments terms;
  for (size_t i = 1; i < arguments.size(); ++i) {
    terms.push_back(compare(kNegated ? "<>" : "=", arguments[0], arguments[i], true));
  }
  if (terms.size() == 1) return terms[0];
  return make_call(kNegated ? "AND" : "OR", std::move(terms));
}

template <bool kNegated, bool kSymmetric>
ExpressionPtr resolve_between(const Function& function, Arguments arguments) {
  if (arguments.size() != 3) fail_arguments(function.name, arguments);
  const auto inside = [&](const ExpressionPtr& low, const ExpressionPtr& high) {
    return make_call("AND", {make_call(">=", {arguments[0], low}), make_call("<=", {arguments[0], high})});
  };
  ExpressionPtr result = inside(arguments[1], arguments[2]);
  if (kSymmetric) result = make_call("OR", {result, inside(arguments[2], arguments[1])});
  return kNegated ? make_call("NOT", {result}) : result;
}

constexpr Function kComparisonFunctions[] = {
    {.name = "=", .resolver = resolve_comparison},
    {.name = "<>", .resolver = resolve_comparison},
    {.name = "<", .resolver = resolve_comparison},
    {.name = "<=", .resolver = resolve_comparison},
    {.name = ">", .resolver = resolve_comparison},
    {.name = ">=", .resolver = resolve_comparison},
    {.name = "IS DISTINCT FROM", .resolver = resolve_distinct_from<true>},
    {.name = "IS NOT DISTINCT FROM", .resolver = resolve_distinct_from<false>},
    {.name = "IN", .resolver = resolve_in<false>},
    {.name = "NOT IN", .resolver = resolve_in<true>},
    {.name = "BETWEEN", .resolver = resolve_between<false, false>},
    {.name = "NOT BETWEEN", .resolver = resolve_between<true, false>},
    {.name = "BETWEEN SYMMETRIC", .resolver = resolve_between<false, true>},
    {.name = "NOT BETWEEN SYMMETRIC", .resolver = resolve_between<true, true>},
};

}  // namespace

Kernel comparison_kernel(Comparison comparison, const LogicalType& type) {
  switch (comparison) {
    case Comparison::kEqual:
      return kernel_of<Comparison::kEqual>(type);
    case Comparison::kNotEqual:
      return kernel_of<Comparison::kNotEqual>(type);
    case Comparison::kLess:
      return kernel_of<Comparison::kLess>(type);
    case Comparison::kLessOrEqual:
      return kernel_of<Comparison::kLessOrEqual>(type);
    case Comparison::kGreater:
      return kernel_of<Comparison::kGreater>(type);
    case Comparison::kGreaterOrEqual:
      return kernel_of<Comparison::kGreaterOrEqual>(type);
  }
  return nullptr;
}

bool align_for_comparison(ExpressionPtr& a, ExpressionPtr& b, bool lenient) {
  const LogicalType x = a->type;
  const LogicalType y = b->type;
  const auto cast_to = [](ExpressionPtr& e, const LogicalType& type) {
    e = make_cast(e, type.as_nullable(e->type.nullable()));
  };
  if ((x.is_string() && y.is_string()) || (x.is_binary() && y.is_binary())) return true;
  if (x.is_string() != y.is_string()) {
    ExpressionPtr& text = x.is_string() ? a : b;
    ExpressionPtr& other = x.is_string() ? b : a;
    const LogicalType target = other->type;
    if (target.is(TypeRoot::kBoolean)) {
      cast_to(other, LogicalType::string());
    } else if (target.is(TypeRoot::kDate) || target.is(TypeRoot::kTime) || target.is_timestamp() ||
               (lenient && target.is_numeric())) {
      cast_to(text, target);
    } else {
      return false;
    }
    return true;
  }
  LogicalType type;
  const bool decimal_and_float =
      (x.is(TypeRoot::kDecimal) && y.is(TypeRoot::kFloat)) || (x.is(TypeRoot::kFloat) && y.is(TypeRoot::kDecimal));
  if (decimal_and_float) {
    type = LogicalType::real();
  } else if (!find_common_type(x, y, type)) {
    return false;
  }
  cast_to(a, type);
  cast_to(b, type);
  return true;
}

std::span<const Function> comparison_functions() {
  return kComparisonFunctions;
}

}  // namespace yeoul
