#pragma once

#include <cstddef>

namespace yeoul::ast {

/// Where a piece of SQL starts. Line and column count from 1, the column in code points; offset is the byte in the
/// text.
struct SourcePosition {
  int line = 1;
  int column = 1;
  size_t offset = 0;

  bool operator==(const SourcePosition&) const = default;
};

}  // namespace yeoul::ast
