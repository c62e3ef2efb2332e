#include "yeoul/sql/functions/cast.h"
#include "yeoul/sql/functions/kernel_cells.h"
#include "yeoul/types/kernels.h"

namespace yeoul {

namespace {

/// Casts a child column; errors are those of the parent's row that `row_of` names.
template <class RowOf>
ColumnPtr cast_child(KernelContext& context, const ColumnPtr& child, const LogicalType& from, const LogicalType& to,
                     RowOf row_of) {
  if (from == to) return child;
  const LogicalType target = to.as_nullable(from.nullable());
  if (child->size() == 0) return repeat(target.as_nullable(), Value(), 0);
  const std::optional<CastRule> rule = find_cast(from, target);
  YEOUL_CHECK(rule.has_value(), "no cast from {} to {}", from.to_string(), to.to_string());
  Expression cast;
  cast.kind = Expression::Kind::kCast;
  cast.type = target;
  cast.arguments.push_back(make_input_ref(0, from));
  KernelContext inner(context.config());
  const Argument argument{child.get(), false};
  ColumnPtr result = rule->kernel(inner, cast, std::span(&argument, 1), child->size());
  for (RowError& error : inner.errors()) context.row_error(row_of(error.row), std::move(error.message));
  return result;
}

void copy_validity_and_offsets(const Column& from, Column& to) {
  to.validity_buffer().append(from.validity_buffer().data(), from.validity_buffer().size());
}

/// ARRAY, MAP, MULTISET: the same cells, other elements.
ColumnPtr cast_lists(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& in = *arguments[0].column;
  auto out = std::make_shared<Column>(call.type, n);
  copy_validity_and_offsets(in, *out);
  const int32_t* offsets = in.offsets();
  out->offsets_buffer().append(offsets, (n + 1) * sizeof(int32_t));
  const auto row_of = [&](uint32_t element) {
    const int32_t* after = std::upper_bound(offsets, offsets + n + 1, static_cast<int32_t>(element));
    return static_cast<uint32_t>(after - offsets - 1);
  };
  for (size_t i = 0; i < in.children().size(); ++i) {
    const LogicalType& from = in.type().fields().size() > i ? in.type().child(i) : in.child(i).type();
    const LogicalType& to = call.type.fields().size() > i ? call.type.child(i) : in.child(i).type();
    out->mutable_children().push_back(cast_child(context, in.children()[i], from, to, row_of));
  }
  return out;
}

ColumnPtr cast_rows(KernelContext& context, const Expression& call, std::span<const Argument> arguments, size_t n) {
  const Column& in = *arguments[0].column;
  auto out = std::make_shared<Column>(call.type, n);
  copy_validity_and_offsets(in, *out);
  for (size_t i = 0; i < in.children().size(); ++i) {
    out->mutable_children().push_back(cast_child(context, in.children()[i], in.type().child(i), call.type.child(i),
                                                 [](uint32_t row) { return row; }));
  }
  return out;
}

}  // namespace

CastRule nested_cast(const LogicalType& from, const LogicalType& to) {
  const bool nested =
      from.is(TypeRoot::kArray) || from.is(TypeRoot::kMap) || from.is(TypeRoot::kMultiset) || from.is(TypeRoot::kRow);
  if (!nested || from.root() != to.root() || from.fields().size() != to.fields().size()) return {};
  bool can_fail = false;
  for (size_t i = 0; i < from.fields().size(); ++i) {
    const std::optional<CastRule> rule = find_cast(from.child(i), to.child(i));
    if (!rule) return {};
    can_fail |= rule->can_fail;
  }
  return {from.is(TypeRoot::kRow) ? cast_rows : cast_lists, can_fail};
}

}  // namespace yeoul
