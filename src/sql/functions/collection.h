#pragma once

#include <span>
#include <vector>

#include "yeoul/sql/functions/evaluator.h"
#include "yeoul/sql/functions/registry.h"

namespace yeoul {

/// The cells of several arguments of one type as one column, so that a result is a list of cell numbers.
class Elements {
 public:
  explicit Elements(std::span<const Argument> arguments);
  /// The number in `all` of an argument's cell of a row.
  uint32_t cell(size_t argument, size_t row) const {
    return bases_[argument] + static_cast<uint32_t>(arguments_[argument].row(row));
  }
  ColumnPtr all;

 private:
  std::span<const Argument> arguments_;
  std::vector<uint32_t> bases_;
};

}  // namespace yeoul
