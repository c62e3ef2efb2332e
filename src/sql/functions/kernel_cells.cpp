#include "yeoul/sql/functions/kernel_cells.h"

#include "yeoul/types/kernels.h"

namespace yeoul {

std::shared_ptr<Column> result_column(const LogicalType& type, size_t n) {
  return std::make_shared<Column>(type, n);
}

std::shared_ptr<Column> result_column(const Expression& call, std::span<const Argument> arguments, size_t n) {
  auto out = std::make_shared<Column>(call.type, n);
  for (const Argument& argument : arguments) {
    const Column& column = *argument.column;
    if (!column.may_have_nulls()) continue;
    if (argument.constant || column.type().is(TypeRoot::kNull)) {
      if (column.is_valid(0)) continue;
      out->ensure_validity();
      std::memset(out->validity_buffer().data(), 0, out->validity_buffer().size());
      continue;
    }
    const size_t bytes = (n + 7) / 8;
    const uint8_t* in = column.validity_buffer().as<uint8_t>();
    if (out->validity_buffer().size() == 0) {
      out->ensure_validity();
      std::memcpy(out->validity_buffer().data(), in, bytes);
    } else {
      uint8_t* bits = out->validity_buffer().as<uint8_t>();
      for (size_t i = 0; i < bytes; ++i) bits[i] &= in[i];
    }
  }
  return out;
}

std::shared_ptr<const Column> null_column(const LogicalType& type, size_t n) {
  return repeat(type.as_nullable(), Value(), n);
}

}  // namespace yeoul
