#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yeoul::ast {

/// Where a piece of SQL starts. Line and column count from 1, the column in code points; offset is the byte in the
/// text.
struct SourcePosition {
  int line = 1;
  int column = 1;
  size_t offset = 0;

  bool operator==(const SourcePosition&) const = default;
};

/// The line of SQL that holds `position`, and a caret below it; long lines are cut to what is near. `origin` is where
/// `sql` starts in the script that positions count in.
std::string show_position(std::string_view sql, SourcePosition origin, SourcePosition position);

}  // namespace yeoul::ast
